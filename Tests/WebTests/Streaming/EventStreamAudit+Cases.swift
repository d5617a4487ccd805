import TestSupport

private let stream = ["Accept: text/event-stream"]
private let hello = #"{"query":"{ hello }"}"#
private let count = #"{"query":"subscription { count(to: 2) }"}"#

/// A `POST` of JSON, as sent by a client of server-sent events.
private func post(_ body: String, fields: [String] = stream) -> String {
    RawRequest.post(body, fields: fields)
}

/// A `GET` of escaped parameters, as sent by `EventSource`.
private func get(_ query: String, fields: [String] = stream, method: String = "GET") -> String {
    RawRequest.get("/graphql" + (query.isEmpty ? "" : "?" + query), method: method, fields: fields)
}

/// A `POST` of another content type.
private func post(as type: String?, _ body: String = hello) -> String {
    let head =
        ["POST /graphql HTTP/1.1", "Host: portico"] + stream + (type.map { ["Content-Type: \($0)"] } ?? [])
    return (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
}

extension EventStreamAudit {
    static let all = streaming + accepting + reporting + refusing

    static let streaming = [
        EventStreamAudit(
            "SSE-1", "a subscription is a stream of `next`, and ends with `complete`", post(count),
            .data(#"{"count":1}"#, #"{"count":2}"#)),
        EventStreamAudit("SSE-2", "a query is a stream of one", post(hello), .data(#"{"hello":"world"}"#)),
        EventStreamAudit(
            "SSE-3", "so is a mutation", post(#"{"query":"mutation { act }"}"#), .data(#"{"act":"done"}"#)),
        EventStreamAudit(
            "SSE-4", "GET does as well", get("query=subscription%7Bcount(to:1)%7D"), .data(#"{"count":1}"#)),
        EventStreamAudit(
            "SSE-5", "also for a query", get("query=%7B+hello+%7D"), .data(#"{"hello":"world"}"#)),
        EventStreamAudit(
            "SSE-6", "with variables and a name in the URL",
            get(
                "query=query+A(%24t:String!)%7Becho(text:%24t)%7D&operationName=A"
                    + "&variables=%7B%22t%22:%22x%22%7D&extensions=%7B%7D"), .data(#"{"echo":"x"}"#)),
        EventStreamAudit(
            "SSE-7", "variables, a name and extensions are taken",
            post(
                #"{"query":"subscription A($n: Int!) { count(to: $n) } query B { hello }","operationName":"A","#
                    + #""variables":{"n":1},"extensions":{"x":1}}"#), .data(#"{"count":1}"#)),
        EventStreamAudit(
            "SSE-8", "what is null is as good as left out",
            post(#"{"query":"{ hello }","operationName":null,"variables":null,"extensions":null}"#),
            .data(#"{"hello":"world"}"#)),
        EventStreamAudit(
            "SSE-9", "ends of lines within texts end no line of the stream",
            post(
                #"{"query":"query A($t: String!) { echo(text: $t) }","variables":{"t":"a\n\nb\r\n: \u2028"}}"#
            ),
            .data("{\"echo\":\"a\\n\\nb\\r\\n: \u{2028}\"}")),
        EventStreamAudit(
            "SSE-10", "who comes again is told the present, whatever event it saw last",
            post(count, fields: stream + ["Last-Event-ID: 41"]), .data(#"{"count":1}"#, #"{"count":2}"#)),
        EventStreamAudit(
            "SSE-11", "the type of the body may have parameters", post(as: "application/json; charset=utf-8"),
            .data(#"{"hello":"world"}"#)),
    ]

    static let accepting = [
        EventStreamAudit(
            "ACCEPT-1", "types are compared in any case", post(hello, fields: ["accept: Text/Event-Stream"]),
            .data(#"{"hello":"world"}"#)),
        EventStreamAudit(
            "ACCEPT-2", "parameters are passed over",
            post(count, fields: ["Accept: text/event-stream; charset=utf-8; q=0.9"]),
            .data(#"{"count":1}"#, #"{"count":2}"#)),
        EventStreamAudit(
            "ACCEPT-3", "of several types the stream is taken for a subscription",
            post(
                count,
                fields: ["Accept: application/graphql-response+json, application/json, text/event-stream"]),
            .data(#"{"count":1}"#, #"{"count":2}"#)),
        EventStreamAudit(
            "ACCEPT-4", "and one response for everything else",
            post(hello, fields: ["Accept: application/json, text/event-stream"]), .single("application/json")),
        EventStreamAudit(
            "ACCEPT-5", "what is refused by its weight is not taken",
            post(hello, fields: ["Accept: text/event-stream;q=0, application/json"]),
            .single("application/json")),
        EventStreamAudit(
            "ACCEPT-6", "who takes anything is answered once", post(hello, fields: ["Accept: */*"]),
            .single("application/json")),
        EventStreamAudit(
            "ACCEPT-7", "and cannot subscribe, which is said with the types that can",
            post(count, fields: ["Accept: application/json"]), .refusal(406, "text/event-stream")),
        EventStreamAudit(
            "ACCEPT-8", "nor can who says nothing", post(count, fields: []),
            .refusal(406, "text/event-stream")),
    ]

    static let reporting = [
        EventStreamAudit(
            "REPORT-1",
            "what is wrong with an operation is told in the stream: a status would be taken for a lost one",
            post(#"{"query":"subscription { nothing }"}"#),
            .response(#"{"errors":[{"message":"Cannot query field"#)),
        EventStreamAudit(
            "REPORT-2", "also of a query", post(#"{"query":"{ nothing }"}"#),
            .response(#"{"errors":[{"message":"Cannot query field"#)),
        EventStreamAudit(
            "REPORT-3", "and by GET", get("query=%7Bnothing%7D"),
            .response(#"{"errors":[{"message":"Cannot query field"#)),
        EventStreamAudit(
            "REPORT-4", "and with its text", post(#"{"query":"{"}"#),
            .response(#"{"errors":[{"message":"Syntax Error"#)),
        EventStreamAudit(
            "REPORT-5", "and with its name", post(#"{"query":"query A { hello }","operationName":"B"}"#),
            .response(#"{"errors":[{"message":"Unknown operation named"#)),
        EventStreamAudit(
            "REPORT-6", "and with its variables",
            post(#"{"query":"query A($t: String!) { echo(text: $t) }","variables":{"t":1}}"#),
            .response(#"{"errors":[{"message":"Variable"#)),
        EventStreamAudit(
            "REPORT-7", "a field that fails is part of a response", post(#"{"query":"{ hello failing }"}"#),
            .response(#"{"data":{"hello":"world","failing":null},"errors":[{"message":"#)),
    ]

    static let refusing = [
        EventStreamAudit("REFUSE-1", "a body that is no JSON", post("{ \"not"), .refusal(400, "JSON")),
        EventStreamAudit("REFUSE-2", "or no object", post("\"x\""), .refusal(400, "object")),
        EventStreamAudit("REFUSE-3", "or has no query", post("{}"), .refusal(400, "query")),
        EventStreamAudit("REFUSE-4", "or one that is no text", post(#"{"query":1}"#), .refusal(400, "query")),
        EventStreamAudit(
            "REFUSE-5", "or variables that are none", post(#"{"query":"{ hello }","variables":"x"}"#),
            .refusal(400, "variables")),
        EventStreamAudit(
            "REFUSE-6", "or extensions", post(#"{"query":"{ hello }","extensions":[]}"#),
            .refusal(400, "extensions")),
        EventStreamAudit("REFUSE-7", "no body at all", post(""), .refusal(400, "")),
        EventStreamAudit("REFUSE-8", "a GET without a query", get(""), .refusal(400, "query")),
        EventStreamAudit(
            "REFUSE-9", "a GET whose variables are no JSON", get("query=%7Bhello%7D&variables=%7B"),
            .refusal(400, "variables")),
        EventStreamAudit("REFUSE-10", "a body of no type", post(as: nil), .refusal(415, "application/json")),
        EventStreamAudit(
            "REFUSE-11", "or of another", post(as: "text/plain"), .refusal(415, "application/json")),
        EventStreamAudit(
            "REFUSE-12", "a mutation by GET", get("query=mutation%7Bact%7D"), .refusal(405, "")),
        EventStreamAudit(
            "REFUSE-13", "a method of neither mode", get("query=%7Bhello%7D", method: "PATCH"),
            .refusal(405, "PATCH")),
        EventStreamAudit(
            "REFUSE-14", "the end of an operation of no stream", get("operationId=1", method: "DELETE"),
            .refusal(404, "event stream")),
        EventStreamAudit(
            "REFUSE-15", "an Authorization field without a bearer token",
            post(hello, fields: stream + ["Authorization: Basic YTpi"]),
            .refusal(401, "Bearer")),
        EventStreamAudit(
            "REFUSE-16", "a token in the URL", get("query=%7Bhello%7D&token=good"), .refusal(400, "token")),
    ]
}
