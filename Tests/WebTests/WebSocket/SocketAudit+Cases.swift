private let initialisation = #"{"type":"connection_init"}"#
private let acknowledgement = #"{"type":"connection_ack"}"#
private let invalid = "Invalid message: "

extension SocketAudit {
    static let all =
        initialising + pinging + subscribing + subscribingWrongly + erring + ending + breaking

    static let initialising =
        [
            SocketAudit(
                first: "INIT-1", "connection_init is acknowledged, without a payload", .says(initialisation),
                .hears(acknowledgement), .isQuiet),
            SocketAudit(
                first: "INIT-2", "connection_init may have a payload",
                .says(#"{"type":"connection_init","payload":{"some":["thing",null]}}"#),
                .hears(acknowledgement)),
            SocketAudit(
                first: "INIT-3", "its payload may be null",
                .says(#"{"type":"connection_init","payload":null}"#), .hears(acknowledgement)),
            SocketAudit(
                first: "INIT-4", "members that the protocol does not know are passed over",
                .says(#"{"payload":{},"id":7,"version":2,"type":"connection_init"}"#),
                .hears(acknowledgement)),
            SocketAudit(
                "INIT-5", "a second connection_init closes the socket", .says(initialisation),
                .isClosed(4429, "Too many initialisation requests")),
            SocketAudit(
                first: "INIT-6", "so do two at once", .says(initialisation), .says(initialisation),
                .hears(acknowledgement), .isClosed(4429, "Too many initialisation requests")),
            SocketAudit(
                first: "INIT-7", "who may not come in is told so",
                .says(#"{"type":"connection_init","payload":{"Authorization":"Bearer bad"}}"#),
                .isClosed(4403, "The token is not valid: sign in again, and connect with the new token")),
            SocketAudit(
                first: "INIT-8", "what is subscribed before closes the socket", .subscribes("a", "{ hello }"),
                .isClosed(4401, "Unauthorized")),
            SocketAudit(
                first: "INIT-9", "an operation that is completed before is none, and no fault",
                .completes("a"), .says(initialisation), .hears(acknowledgement)),
            SocketAudit(
                first: "INIT-10", "what is subscribed right behind connection_init is answered",
                .says(initialisation), .subscribes("a", "{ hello }"), .hears(acknowledgement),
                .next("a", #"{"hello":"world"}"#), .complete("a")),
        ]
        + ["[]", "\"x\"", "1", "true"].enumerated().map { index, payload in
            SocketAudit(
                first: "INIT-\(11 + index)", "a payload that is \(payload) is none",
                .says(#"{"type":"connection_init","payload":\#(payload)}"#),
                .isClosed(4400, invalid + "'payload' must be an object"))
        }

    static let pinging =
        [
            SocketAudit(
                "PING-1", "a ping is answered by a pong", .says(#"{"type":"ping"}"#),
                .hears(#"{"type":"pong"}"#)),
            SocketAudit(
                "PING-2", "with its payload", .says(#"{"type":"ping","payload":{"at":[1,{"x":"é"}]}}"#),
                .hears(#"{"type":"pong","payload":{"at":[1,{"x":"é"}]}}"#)),
            SocketAudit(
                "PING-3", "and without one where it has none", .says(#"{"type":"ping","payload":null}"#),
                .hears(#"{"type":"pong"}"#)),
            SocketAudit(
                "PING-4", "an empty payload is one", .says(#"{"type":"ping","payload":{}}"#),
                .hears(#"{"type":"pong","payload":{}}"#)),
            SocketAudit(
                first: "PING-5", "also before connection_init", .says(#"{"type":"ping"}"#),
                .hears(#"{"type":"pong"}"#), .says(initialisation), .hears(acknowledgement)),
            SocketAudit(
                "PING-6", "also between the responses of an operation",
                .subscribes("a", "subscription { endless }"),
                .next("a", #"{"endless":1}"#), .says(#"{"type":"ping","payload":{"n":1}}"#),
                .hears(#"{"type":"pong","payload":{"n":1}}"#)),
            SocketAudit(
                "PING-7", "a pong that nobody asked for is taken", .says(#"{"type":"pong"}"#),
                .says(#"{"type":"pong","payload":null}"#), .says(#"{"type":"pong","payload":{"n":1}}"#),
                .isQuiet),
        ]
        + ["ping", "pong"].flatMap { type in
            ["[]", "\"x\"", "1"].map { payload in
                SocketAudit(
                    "PING-\(type)-\(payload)", "a payload that is no object closes the socket",
                    .says(#"{"type":"\#(type)","payload":\#(payload)}"#),
                    .isClosed(4400, invalid + "'payload' must be an object"))
            }
        }

    static let subscribing = [
        SocketAudit(
            "SUB-1", "a query has one response, and is complete", .subscribes("a", "{ hello }"),
            .next("a", #"{"hello":"world"}"#), .complete("a"), .isQuiet),
        SocketAudit(
            "SUB-2", "so has a mutation", .subscribes("a", "mutation { act }"),
            .next("a", #"{"act":"done"}"#), .complete("a"), .isQuiet),
        SocketAudit(
            "SUB-3", "a subscription has one for each event, and is complete with the last",
            .subscribes("a", "subscription { count(to: 3) }"), .next("a", #"{"count":1}"#),
            .next("a", #"{"count":2}"#), .next("a", #"{"count":3}"#), .complete("a"), .isQuiet),
        SocketAudit(
            "SUB-4", "an id is any text", .subscribes(#"é\"\\ 🙂"#, "{ hello }"),
            .next(#"é\"\\ 🙂"#, #"{"hello":"world"}"#), .complete(#"é\"\\ 🙂"#)),
        SocketAudit(
            "SUB-5", "the operation is chosen by its name",
            .subscribes(
                "a", payload: #"{"query":"query A { hello } mutation B { act }","operationName":"B"}"#),
            .next("a", #"{"act":"done"}"#), .complete("a")),
        SocketAudit(
            "SUB-6", "variables are taken",
            .subscribes(
                "a", payload: #"{"query":"query A($t: String!) { echo(text: $t) }","variables":{"t":"x"}}"#),
            .next("a", #"{"echo":"x"}"#), .complete("a")),
        SocketAudit(
            "SUB-7", "also by a subscription",
            .subscribes(
                "a",
                payload: #"{"query":"subscription A($n: Int!) { count(to: $n) }","variables":{"n":1}}"#),
            .next("a", #"{"count":1}"#), .complete("a")),
        SocketAudit(
            "SUB-8", "what is null is as good as left out",
            .subscribes(
                "a",
                payload: #"{"query":"{ hello }","operationName":null,"variables":null,"extensions":null}"#),
            .next("a", #"{"hello":"world"}"#), .complete("a")),
        SocketAudit(
            "SUB-9", "extensions are taken, and members that the protocol does not know",
            .subscribes("a", payload: #"{"query":"{ hello }","extensions":{"x":[1]},"key":-1}"#),
            .next("a", #"{"hello":"world"}"#), .complete("a")),
        SocketAudit(
            "SUB-10", "several operations run at a time, of every type",
            .subscribes("a", "subscription { endless }"), .next("a", #"{"endless":1}"#),
            .subscribes("b", "subscription { endless }"), .next("b", #"{"endless":1}"#),
            .subscribes("c", "mutation { act }"), .next("c", #"{"act":"done"}"#), .complete("c"),
            .subscribes("d", "{ hello }"), .next("d", #"{"hello":"world"}"#), .complete("d"), .isQuiet),
        SocketAudit(
            "SUB-11", "an id is free again when its operation is complete", .subscribes("a", "{ hello }"),
            .next("a", #"{"hello":"world"}"#), .complete("a"), .subscribes("a", "mutation { act }"),
            .next("a", #"{"act":"done"}"#), .complete("a")),
        SocketAudit(
            "SUB-12", "an id that is in use closes the socket", .subscribes("a", "subscription { endless }"),
            .next("a", #"{"endless":1}"#), .subscribes("a", "{ hello }"),
            .isClosed(4409, "Subscriber for a already exists")),
        SocketAudit(
            "SUB-13", "also while it is a query's", .subscribes("a", "{ never }"),
            .subscribes("a", "{ hello }"), .isClosed(4409, "Subscriber for a already exists")),
        SocketAudit(
            "SUB-14", "the reason fits into a closing frame, however long the id is",
            .subscribes(String(repeating: "🙂", count: 64), "{ never }"),
            .subscribes(String(repeating: "🙂", count: 64), "{ never }"),
            .isClosed(4409, "Subscriber for \(String(repeating: "🙂", count: 23)) already exists")),
    ]

    static let subscribingWrongly =
        [
            ("", "no id"), (#""id":null,"#, "null"), (#""id":"","#, "the empty id"),
            (#""id":1,"#, "a number"),
            (#""id":["a"],"#, "a list"),
        ].map { id, name in
            SocketAudit(
                "SUB-ID \(name)", "an operation needs an id that is a text",
                .says(#"{\#(id)"type":"subscribe","payload":{"query":"{ hello }"}}"#),
                .isClosed(4400, invalid + "'id' must be a string that is not empty"))
        }
        + ["", #","payload":null"#].map { payload in
            SocketAudit(
                "SUB-PAYLOAD \(payload)", "an operation needs a payload",
                .says(#"{"id":"a","type":"subscribe"\#(payload)}"#),
                .isClosed(4400, invalid + "'subscribe' needs a 'payload'"))
        }
        + ["[]", "\"{ hello }\"", "1"].map { payload in
            SocketAudit(
                "SUB-PAYLOAD \(payload)", "which is an object", .subscribes("a", payload: payload),
                .isClosed(4400, invalid + "'payload' must be an object"))
        }
        + ["{}", #"{"query":null}"#, #"{"query":1}"#, #"{"query":["{ hello }"]}"#].map { payload in
            SocketAudit(
                "SUB-QUERY \(payload)", "with a query that is a text", .subscribes("a", payload: payload),
                .isClosed(4400, invalid))
        }
        + [
            #""variables":[]"#, #""variables":"{}""#, #""variables":1"#, #""operationName":1"#,
            #""operationName":{}"#, #""extensions":[]"#, #""extensions":"x""#,
        ].map { member in
            SocketAudit(
                "SUB-MEMBER \(member)", "and members of their types",
                .subscribes("a", payload: #"{"query":"{ hello }",\#(member)}"#), .isClosed(4400, invalid))
        }

    static let erring = [
        SocketAudit(
            "ERR-1", "an operation that is not valid has errors, and nothing more",
            .subscribes("a", "subscription { nothing }"), .error("a", "Cannot query field"), .isQuiet),
        SocketAudit(
            "ERR-2", "so has a text that is none", .subscribes("a", "{"), .error("a", "Syntax Error"),
            .isQuiet),
        SocketAudit(
            "ERR-3", "and the empty one", .subscribes("a", ""), .error("a", "Syntax Error"), .isQuiet),
        SocketAudit(
            "ERR-4", "and an operation that is not there",
            .subscribes("a", payload: #"{"query":"query A { hello }","operationName":"B"}"#),
            .error("a", "Unknown operation named"), .isQuiet),
        SocketAudit(
            "ERR-5", "and a variable that is not of its type",
            .subscribes(
                "a",
                payload: #"{"query":"query A($t: String!) { echo(text: $t) }","variables":{"t":null}}"#),
            .error("a", "Variable"), .isQuiet),
        SocketAudit(
            "ERR-6", "the id is free again behind errors", .subscribes("a", "{ nothing }"),
            .error("a", "Cannot query field"), .subscribes("a", "{ hello }"),
            .next("a", #"{"hello":"world"}"#), .complete("a")),
        SocketAudit(
            "ERR-7", "a field that fails is part of a response", .subscribes("a", "{ hello failing }"),
            .hearsAny(
                #"{"id":"a","type":"next","payload":{"data":{"hello":"world","failing":null},"errors":[{"message":"#
            ),
            .complete("a")),
        SocketAudit(
            "ERR-8", "an event that fails, too, and the next one comes",
            .subscribes("a", "subscription { partly }"),
            .hearsAny(
                #"{"id":"a","type":"next","payload":{"data":{"partly":null},"errors":[{"message":"#),
            .next("a", #"{"partly":2}"#), .complete("a")),
    ]

    static let ending = [
        SocketAudit(
            "END-1", "an operation that the client completes is not told of again",
            .subscribes("a", "subscription { endless }"), .next("a", #"{"endless":1}"#), .completes("a"),
            .isQuiet),
        SocketAudit(
            "END-2", "its id is free at once", .subscribes("a", "subscription { endless }"),
            .next("a", #"{"endless":1}"#), .completes("a"), .subscribes("a", "{ hello }"),
            .next("a", #"{"hello":"world"}"#), .complete("a")),
        SocketAudit(
            "END-3", "a query that is completed before its response has none", .subscribes("a", "{ never }"),
            .completes("a"), .isQuiet, .subscribes("a", "{ hello }"), .next("a", #"{"hello":"world"}"#),
            .complete("a")),
        SocketAudit(
            "END-4", "what is complete already may be completed, and what never was",
            .subscribes("a", "{ hello }"), .next("a", #"{"hello":"world"}"#), .complete("a"), .completes("a"),
            .completes("nothing"), .isQuiet),
        SocketAudit(
            "END-5", "the others go on", .subscribes("a", "subscription { endless }"),
            .next("a", #"{"endless":1}"#), .completes("b"), .subscribes("a", "{ hello }"),
            .isClosed(4409, "Subscriber for a already exists")),
    ]

    static let breaking =
        [
            ("nonsense", "no JSON: Expected a value, found \"n\""), ("", "no JSON"),
            (#"{"type":"ping","type":"ping"}"#, #"no JSON: The object has the name "type" twice"#),
            ("{", "no JSON"), ("[]", "must be an object"),
            ("null", "must be an object"), (#""ping""#, "must be an object"), ("1", "must be an object"),
            ("{}", "'type' must be a string"), (#"{"type":null}"#, "'type' must be a string"),
            (#"{"type":1}"#, "'type' must be a string"), (#"{"type":""}"#, "unknown type"),
            (#"{"type":"start"}"#, "unknown type"), (#"{"type":"GQL_START"}"#, "unknown type"),
            (#"{"type":"connection_terminate"}"#, "unknown type"), (#"{"type":"Ping"}"#, "unknown type"),
            // Messages that only a server sends.
            (acknowledgement, "unknown type"), (#"{"id":"a","type":"next","payload":{}}"#, "unknown type"),
            (#"{"id":"a","type":"error","payload":[]}"#, "unknown type"),
            (#"{"type":"complete"}"#, "'id' must be a string"),
            (#"{"id":"","type":"complete"}"#, "'id' must be a string"),
            (#"{"id":7,"type":"complete"}"#, "'id' must be a string"),
            (#"{"type":"\#(String(repeating: "🙂", count: 200))"}"#, "unknown type"),
        ].map { message, reason in
            SocketAudit(
                "MSG \(message.prefix(40))", "what the protocol does not know closes the socket",
                .says(message), .isClosed(4400, invalid + reason))
        }
        + [
            SocketAudit(
                first: "MSG-FIRST", "also before connection_init", .says("nonsense"),
                .isClosed(4400, invalid + "no JSON")),
            SocketAudit(
                "MSG-LAST", "and nothing is heard behind it", .says("nonsense"),
                .subscribes("a", "{ hello }"),
                .isClosed(4400, invalid + "no JSON")),
        ]
}
