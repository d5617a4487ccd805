import GraphQL
import NIOCore
import TestSupport
import Testing
import Web

@Suite("GraphQL over WebSocket")
struct SocketTests {
    @Test("opens with the accept value of RFC 6455's example, and returns the subprotocol")
    func handshake() async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.client().asking(SocketClient.handshake())
            #expect(response.status == 101)
            #expect(response["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(response["sec-websocket-protocol"] == "graphql-transport-ws")
            #expect(response["upgrade"] == "websocket")
        }
    }

    /// Some clients compare the names with their capitals.
    @Test("has the handshake fields of RFC 6455")
    func names() async throws {
        try await withServer(LiveService.make()) { server in
            let client = try server.client()
            try await client.send(SocketClient.handshake())
            var lines: Set<String> = []
            while let line = Optional(try await client.line()), !line.isEmpty { lines.insert(line) }
            for line in [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Protocol: graphql-transport-ws",
                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
            ] { #expect(lines.contains(line), "\(line)") }
        }
    }

    @Test(
        "refuses an invalid handshake",
        arguments: [
            (SocketClient.handshake(version: "8"), 426, "13"),
            (SocketClient.handshake(key: "short"), 400, nil),
            (SocketClient.handshake(target: "/graphql?token=abc"), 400, nil),
            (SocketClient.handshake(fields: "Authorization: Basic YTpi\r\n"), 401, nil),
            (SocketClient.handshake(http: "1.0"), 400, nil),
        ])
    func refusedHandshakes(text: String, status: Int, version: String?) async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(text)
            #expect(response.status == status)
            #expect(response["sec-websocket-version"] == version)
            #expect(response["upgrade"] == version.map { _ in "websocket" })
            #expect(response.message != nil)
        }
    }

    @Test("closes a socket of another protocol with 4406", arguments: ["graphql-ws", "notme", nil])
    func otherProtocols(protocols: String?) async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.open(server, SocketClient.handshake(protocols: protocols))
            let close = try await socket.next()
            #expect(close.closeCode == 4406)
            #expect(close.closeMessage == "Subprotocol not acceptable")
        }
    }

    /// Expects the frame that closes a socket whose token has ended, and the end of its connection without a
    /// response of its client.
    private func expectEnd(of socket: SocketClient, _ close: SocketClient.Frame) async throws {
        #expect(close.closeCode == 4403)
        #expect(close.closeMessage == "The session has ended: connect again with another token")
        #expect(try await socket.client.rest().isEmpty)
    }

    @Test("sends UNAUTHENTICATED to each stream when its token ends, and is closed with 4403")
    func endingToken() async throws {
        let end = Event<Void>()
        try await withServer(LiveService.make(endingTokens: end)) { server in
            let (busy, idle) = (try await SocketClient.begin(server), try await SocketClient.begin(server))
            for id in ["a", "b"] {
                try await busy.subscribe(id, "subscription { endless }")
                #expect(try await busy.next().text.contains(#""endless":1"#))
            }
            end.happen()
            var told: Set<String> = []
            for _ in 0..<2 {
                let message = try JSONValue(parsing: try await busy.next().text)
                #expect(message["type"] == "next")
                let error = message["payload"]?["errors"]?[0]
                #expect(error?["message"] == "The session has ended: sign in again.")
                #expect(error?["extensions"]?["code"] == "UNAUTHENTICATED")
                told.insert(message["id"]?.string ?? "")
            }
            #expect(told == ["a", "b"])
            try await expectEnd(of: busy, try await busy.next())
            try await expectEnd(of: idle, try await idle.next())
        }
    }

    @Test("starts no operation once its token has ended, even before it is notified")
    func untold() async throws {
        let end = Event<Void>()
        var service = try LiveService.make(endingTokens: end)
        service.onEnd = { _, _ in nil }
        try await withServer(service) { server in
            let socket = try await SocketClient.begin(server)
            end.happen()
            try await socket.subscribe("1", "mutation { act }")
            try await expectEnd(of: socket, try await socket.next())
        }
    }

    @Test("sends the response of the operation that has ended its token, before it is closed")
    func endedByItself() async throws {
        try await withServer(LiveService.make(endingTokens: Event())) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("1", "mutation { renew }")
            #expect(
                try await socket.next().text
                    == #"{"id":"1","type":"next","payload":{"data":{"renew":"another token"}}}"#)
            #expect(try await socket.next().text == #"{"id":"1","type":"complete"}"#)
            try await expectEnd(of: socket, try await socket.next())
        }
    }

    @Test("waits only a moment for a running operation when its token has ended")
    func slowOperation() async throws {
        let end = Event<Void>()
        try await withServer(LiveService.make(endingTokens: end)) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("1", "{ never }")
            try await socket.subscribe("2", "{ hello }")
            #expect(try await socket.next().text.contains("world"))
            #expect(try await socket.next().text.contains("complete"))
            end.happen()
            try await expectEnd(of: socket, try await socket.next())
        }
    }

    @Test("opens with an unknown token, and then uses the token of its first message")
    func tokenOfFirstMessage() async throws {
        try await withServer(LiveService.make()) { server in
            let handshake = SocketClient.handshake(fields: "Authorization: Bearer bad\r\n")
            let socket = try await SocketClient.open(server, handshake)
            try await socket.say(#"{"type":"connection_init","payload":{"token":"good"}}"#)
            #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
            let other = try await SocketClient.open(server, handshake)
            try await other.say(#"{"type":"connection_init"}"#)
            #expect(try await other.next().closeCode == 4403)
        }
    }

    @Test("of a server that stops is closed with 1001 at once if it has subscriptions only")
    func drainsSubscriptions() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("s", "subscription { endless }")
            #expect(try await socket.next().text.contains(#""endless":1"#))
            server.stop()
            let close = try await socket.next()
            #expect(close.closeCode == 1001)
            #expect(close.closeMessage == "The server is stopping")
        }
    }

    @Test("of a server that stops is closed after its queries, and starts no other operation")
    func drainsQueries() async throws {
        let gate = Event<Void>()
        var service = try LiveService.make()
        service.subscribe = { [subscribe = service.subscribe] request, context in
            if request.operationType == .mutation { await gate.wait() }
            return await subscribe(request, context)
        }
        try await withServer(service) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("q", "mutation { act }")
            try await socket.subscribe("e", #"{ echo(text: "begun") }"#)
            for part in ["begun", "complete"] { #expect(try await socket.next().text.contains(part)) }
            server.stop()
            try await waitUntil { (try? await server.ask(RawRequest.get("/schema.graphql")))?.status == 503 }
            try await socket.subscribe("late", "{ failing }")
            let refusal = try await socket.next().text
            #expect(refusal.contains(#""id":"late","type":"error""#))
            #expect(refusal.contains("SHUTTING_DOWN"))
            gate.happen()
            #expect(try await socket.next().text.contains(#"{"act":"done"}"#))
            #expect(try await socket.next().text == #"{"id":"q","type":"complete"}"#)
            #expect(try await socket.next().closeCode == 1001)
        }
    }

    @Test("of a server that stops gets an error for each query that was not finished")
    func abortsQueries() async throws {
        var limits = ServerLimits.patient
        limits.drainTimeout = .milliseconds(50)
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("q", "{ never }")
            try await socket.subscribe("e", #"{ echo(text: "begun") }"#)
            for part in ["begun", "complete"] { #expect(try await socket.next().text.contains(part)) }
            server.stop()
            let error = try await socket.next().text
            #expect(error.contains(#""id":"q","type":"error""#))
            #expect(error.contains("REQUEST_ABORTED"))
            #expect(try await socket.next().closeCode == 1001)
        }
    }

    @Test("is counted while it is open")
    func counting() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            #expect(
                try await server.ask(RawRequest.get("/metrics")).body.contains("\nportico_websockets 1\n"))
            try await socket.send(opcode: 8, [])
            try await waitUntil {
                try await server.ask(RawRequest.get("/metrics")).body.contains("\nportico_websockets 0\n")
            }
        }
    }

    @Test(
        "does not match ids of operations that are only canonically equivalent, and refuses too long ones"
    )
    func ids() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            for id in ["\u{E9}", "e\u{301}"] {
                try await socket.subscribe(id, "subscription { endless }")
                #expect(try await socket.next().text.utf8.starts(with: #"{"id":"\#(id)","type":"next""#.utf8))
            }
            try await socket.subscribe(String(repeating: "x", count: 257), "{ hello }")
            let close = try await socket.next()
            #expect(close.closeCode == 4400)
            #expect(close.closeMessage == "Invalid message: 'id' must have at most 256 bytes")
        }
    }

    @Test("is closed after a message with more values than the limit")
    func values() async throws {
        var limits = ServerLimits.patient
        limits.jsonValues = 20
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            let items = Array(repeating: "0", count: 20).joined(separator: ",")
            try await socket.say(#"{"type":"ping","payload":{"a":[\#(items)]}}"#)
            let close = try await socket.next()
            #expect(close.closeCode == 4400)
            #expect(close.closeMessage.contains("The text has more than 20 values"))
        }
    }

    @Test(
        "refuses operations above the memory limit of running ones, and accepts them again afterwards")
    func memory() async throws {
        var limits = ServerLimits.patient
        limits.streamMemory = 300_000
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            let comment = String(repeating: "x", count: 200_000)
            try await socket.subscribe("a", "subscription { endless } # a\(comment)")
            #expect(try await socket.next().text.contains(#""endless":1"#))
            // The same document counts once.
            try await socket.subscribe("b", "subscription { endless } # a\(comment)")
            #expect(try await socket.next().text.contains(#""endless":1"#))
            try await socket.subscribe("c", "subscription { endless } # c\(comment)")
            let refusal = try await socket.next().text
            #expect(refusal.contains(#""id":"c","type":"error""#), "\(refusal.prefix(300))")
            #expect(refusal.contains("OVERLOADED"))
            #expect(
                refusal.contains(
                    "The running operations take too much memory. Try again in a moment, or send a shorter document."
                ))
            try await socket.say(#"{"id":"a","type":"complete"}"#)
            try await socket.say(#"{"id":"b","type":"complete"}"#)
            let gone = "\nportico_http_stream_memory_bytes 0\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(gone) }
            try await socket.subscribe("c", "subscription { endless } # c\(comment)")
            #expect(try await socket.next().text.contains(#""endless":1"#))
        }
    }

    @Test("returns each response of a subscription, then Complete")
    func subscription() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("a", "subscription { count(to: 2) }")
            for expected in [
                #"{"id":"a","type":"next","payload":{"data":{"count":1}}}"#,
                #"{"id":"a","type":"next","payload":{"data":{"count":2}}}"#,
                #"{"id":"a","type":"complete"}"#,
            ] { #expect(try await socket.next().text == expected) }
            // The id is free again.
            try await socket.subscribe("a", "{ hello }")
            #expect(
                try await socket.next().text
                    == #"{"id":"a","type":"next","payload":{"data":{"hello":"world"}}}"#)
            #expect(try await socket.next().text == #"{"id":"a","type":"complete"}"#)
        }
    }

    @Test("runs several operations concurrently, and ends one at the client's request")
    func several() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("endless", "subscription { endless }")
            #expect(try await socket.next().text.contains(#""endless":1"#))
            try await socket.subscribe("m", "mutation { act }")
            #expect(try await socket.next().text.contains(#"{"act":"done"}"#))
            #expect(try await socket.next().text == #"{"id":"m","type":"complete"}"#)
            try await socket.say(#"{"id":"endless","type":"complete"}"#)
            // The id is free, so the operation has ended; no other message was sent for it.
            try await socket.subscribe("endless", "subscription { count(to: 1) }")
            #expect(try await socket.next().text.contains(#""count":1"#))
        }
    }

    @Test("returns the error of an operation that does not start, and continues")
    func errors() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("x", "subscription { nothing }")
            let message = try JSONValue(parsing: try await socket.next().text)
            #expect(message["type"]?.string == "error")
            #expect(message["id"]?.string == "x")
            #expect(
                message["payload"]?[0]?["message"]?.string
                    == "Cannot query field \"nothing\" on type \"Subscription\".")
            #expect(message["payload"]?[0]?["locations"]?[0]?["column"]?.digits == "16")
            try await socket.say(#"{"type":"ping","payload":{"a":[1]}}"#)
            #expect(try await socket.next().text == #"{"type":"pong","payload":{"a":[1]}}"#)
        }
    }

    @Test(
        "uses the token of the first message",
        arguments: [
            (#"{"Authorization":"Bearer good"}"#, "somebody"),
            (#"{"authorization":"bearer good"}"#, "somebody"),
            (#"{"token":"good"}"#, "somebody"), ("{}", "anonymous"), ("null", "anonymous"),
        ])
    func token(payload: String, session: String) async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server, payload: payload)
            try await socket.subscribe("w", "subscription { whose }")
            #expect(try await socket.next().text.contains(#""whose":"\#(session)""#))
        }
    }

    @Test("uses the token of the handshake if the first message has none")
    func tokenOfHandshake() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.open(
                server, SocketClient.handshake(fields: "Authorization: Bearer good\r\n"))
            try await socket.say(#"{"type":"connection_init"}"#)
            #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
            try await socket.subscribe("w", "subscription { whose }")
            #expect(try await socket.next().text.contains(#""whose":"somebody""#))
        }
    }

    /// A client message, and the close code of the socket.
    struct Fault: CustomTestStringConvertible, Sendable {
        let says: [String]
        let code: Int
        let message: String
        var isInitialised = true

        var testDescription: String { "\(code) \(message)" }

        static let all = [
            Fault(says: [#"{"type":"connection_init"}"#], code: 4429, message: "Too many initialisation"),
            Fault(
                says: [#"{"id":"a","type":"subscribe","payload":{"query":"{ hello }"}}"#], code: 4401,
                message: "Unauthorized", isInitialised: false),
            Fault(
                says: [#"{"type":"connection_init","payload":{"Authorization":"Bearer bad"}}"#], code: 4403,
                message: "The token is not valid: sign in again, and connect with the new token",
                isInitialised: false),
            Fault(
                says: [#"{"type":"connection_init","payload":{"Authorization":"Basic good"}}"#], code: 4403,
                message:
                    #"The token of the first message is malformed: send {"Authorization": "Bearer <token>"}"#,
                isInitialised: false),
            Fault(
                says: Array(
                    repeating:
                        #"{"id":"a","type":"subscribe","payload":{"query":"subscription { endless }"}}"#,
                    count: 2), code: 4409, message: "Subscriber for a already exists"),
            Fault(says: ["nonsense"], code: 4400, message: "no JSON"),
            Fault(says: ["[]"], code: 4400, message: "must be an object"),
            Fault(says: ["{}"], code: 4400, message: "'type' must be a string"),
            Fault(says: [#"{"type":"start"}"#], code: 4400, message: "unknown type 'start'"),
            Fault(says: [#"{"type":"complete"}"#], code: 4400, message: "'id' must be a string"),
            Fault(
                says: [#"{"type":"subscribe","payload":{"query":"{ hello }"}}"#], code: 4400,
                message: "'id' must be a string"),
            Fault(says: [#"{"id":"a","type":"subscribe"}"#], code: 4400, message: "needs a 'payload'"),
            Fault(
                says: [#"{"id":"a","type":"subscribe","payload":{}}"#], code: 4400,
                message: "'payload.query' must be a string"),
            Fault(
                says: [#"{"id":"a","type":"subscribe","payload":{"query":"{ hello }","variables":"x"}}"#],
                code: 4400, message: "'variables' must be an object"),
            Fault(
                says: [#"{"type":"ping","payload":"x"}"#], code: 4400, message: "'payload' must be an object"),
        ]
    }

    @Test("closes a socket whose client violates the protocol, with the reason", arguments: Fault.all)
    func faults(fault: Fault) async throws {
        try await withServer(LiveService.make()) { server in
            let socket =
                fault.isInitialised
                ? try await SocketClient.begin(server) : try await SocketClient.open(server)
            for text in fault.says { try await socket.say(text) }
            var frame = try await socket.next()
            while frame.opcode != 8 { frame = try await socket.next() }
            #expect(frame.closeCode == fault.code)
            #expect(frame.closeMessage.contains(fault.message), "\(frame.closeMessage)")
        }
    }

    @Test("closes a socket without a message in time")
    func silence() async throws {
        var limits = ServerLimits.patient
        limits.initialisationTimeout = .milliseconds(50)
        try await withServer(LiveService.make(), limits: limits) { server in
            let close = try await SocketClient.open(server).next()
            #expect(close.closeCode == 4408)
            #expect(close.closeMessage == "Connection initialisation timeout")
        }
    }

    @Test("refuses operations above the limit, and continues the others")
    func limit() async throws {
        var limits = ServerLimits.patient
        limits.operationsPerSocket = 1
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("a", "subscription { endless }")
            #expect(try await socket.next().text.contains(#""endless":1"#))
            try await socket.subscribe("b", "{ hello }")
            let message = try JSONValue(parsing: try await socket.next().text)
            #expect(message["type"]?.string == "error")
            #expect(message["payload"]?[0]?["message"]?.string?.contains("1 operations at a time") == true)
            try await socket.say(#"{"id":"a","type":"complete"}"#)
            try await socket.subscribe("b", "{ hello }")
            #expect(try await socket.next().text.contains("world"))
        }
    }

    /// Frames that a client must not send.
    @Test(
        "closes a socket after frames that clients must not send",
        arguments: [
            ("unmasked", 1002), ("reserved", 1002), ("binary", 4400), ("no text", 1007), ("huge", 1009),
        ])
    func frames(kind: String, code: Int) async throws {
        var limits = ServerLimits.patient
        limits.body = 1_000
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            let ping = Array(#"{"type":"ping"}"#.utf8)
            switch kind {
            case "unmasked": try await socket.send(opcode: 1, ping, isMasked: false)
            case "reserved": try await socket.send(opcode: 1, ping, reserved: 0x40)
            case "binary": try await socket.send(opcode: 2, ping)
            case "no text": try await socket.send(opcode: 1, [0x22, 0xFF, 0x22])
            default: try await socket.send(opcode: 1, [UInt8](repeating: 0x20, count: 2_000))
            }
            #expect(try await socket.next().closeCode == code)
        }
    }

    /// Opcodes with their payloads, and the close code of the server: reserved opcodes, and invalid close
    /// frames.
    static let wrongFrames: [(UInt8, [UInt8], Int)] =
        [3, 7, 11, 15].map { ($0, [], 1002) }
        + [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map {
            (8, [UInt8($0 >> 8), UInt8($0 & 0xFF)], 1002)
        } + [(8, [3], 1002), (8, [3, 0xE8, 0xFF], 1007)]

    @Test("closes a socket after frames that RFC 6455 does not define", arguments: wrongFrames)
    func unknownFrames(opcode: UInt8, payload: [UInt8], code: Int) async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.send(opcode: opcode, payload)
            #expect(try await socket.next().closeCode == code)
        }
    }

    @Test("responds to a close frame without a code by one without a code")
    func silentGoodbye() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.send(opcode: 8, [])
            #expect(try await socket.next() == SocketClient.Frame(opcode: 8, payload: []))
        }
    }

    @Test("assembles a message from fragments, and responds to pings between them")
    func fragments() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.send(opcode: 1, Array(#"{"type":"#.utf8), isFinal: false)
            try await socket.send(opcode: 9, [7])
            #expect(try await socket.next() == SocketClient.Frame(opcode: 10, payload: [7]))
            try await socket.send(opcode: 0, Array(#""ping"}"#.utf8))
            #expect(try await socket.next().text == #"{"type":"pong"}"#)
        }
    }

    @Test("closes normally when the client does, and when the server stops")
    func closing() async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.send(opcode: 8, [0x03, 0xE8])
            #expect(try await socket.next().closeCode == 1000)
            let other = try await SocketClient.begin(server)
            try await other.subscribe("a", "subscription { endless }")
            #expect(try await other.next().text.contains("endless"))
            server.stop()
            #expect(try await other.next().closeCode == 1001)
        }
    }
}
