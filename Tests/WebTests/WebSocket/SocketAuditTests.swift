import NIOCore
import TestSupport
import Testing
import Web

@Suite("The audit of GraphQL over WebSocket")
struct SocketAuditTests {
    @Test("has no finding", arguments: SocketAudit.all)
    func isPassed(_ audit: SocketAudit) async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.open(server)
            if audit.isAcknowledged {
                try await socket.say(#"{"type":"connection_init"}"#)
                #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
            }
            for (index, step) in audit.steps.enumerated() {
                switch step {
                case .says(let text): try await socket.say(text)
                case .hears(let text): #expect(try await socket.next().text == text, "step \(index)")
                case .hearsAny(let beginning):
                    let text = try await socket.next().text
                    #expect(text.hasPrefix(beginning), "step \(index): \(text)")
                case .isClosed(let code, let reason):
                    let frame = try await socket.next()
                    #expect(frame.closeCode == code, "step \(index): \(frame.text)")
                    #expect(frame.closeMessage.hasPrefix(reason), "step \(index): \(frame.closeMessage)")
                    #expect(frame.payload.count <= 125, "a control frame has no room for more")
                case .isQuiet:
                    try await socket.say(#"{"type":"ping","payload":{"is":"quiet"}}"#)
                    #expect(
                        try await socket.next().text == #"{"type":"pong","payload":{"is":"quiet"}}"#,
                        "step \(index)")
                }
            }
        }
    }

    @Test("has each rule once")
    func names() {
        #expect(Set(SocketAudit.all.map(\.id)).count == SocketAudit.all.count)
    }

    /// The subprotocols that a client offers, and the one that the server selects.
    @Test(
        "HAND-1: the subprotocol is chosen from those of the client, and returned",
        arguments: [
            ("Sec-WebSocket-Protocol: graphql-transport-ws\r\n", true),
            ("Sec-WebSocket-Protocol: graphql-ws, graphql-transport-ws\r\n", true),
            ("Sec-WebSocket-Protocol: graphql-transport-ws,graphql-ws\r\n", true),
            ("Sec-WebSocket-Protocol: graphql-ws\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n", true),
            ("Sec-WebSocket-Protocol: graphql-ws\r\n", false),
            ("Sec-WebSocket-Protocol: graphql-transport-ws-2\r\n", false),
            ("Sec-WebSocket-Protocol: GraphQL-Transport-WS\r\n", false), ("", false),
        ])
    func protocols(fields: String, isSpoken: Bool) async throws {
        try await withServer(LiveService.make()) { server in
            let client = try server.client()
            let response = try await client.asking(SocketClient.handshake(protocols: nil, fields: fields))
            #expect(response.status == 101)
            #expect(response["sec-websocket-protocol"] == (isSpoken ? "graphql-transport-ws" : nil))
            let socket = SocketClient(client: client)
            try await socket.say(#"{"type":"connection_init"}"#)
            let answer = try await socket.next()
            #expect((answer.text == #"{"type":"connection_ack"}"#) == isSpoken)
            if !isSpoken {
                #expect(answer.closeCode == 4406 && answer.closeMessage == "Subprotocol not acceptable")
            }
        }
    }

    @Test(
        "HAND-2: handshakes of browsers are accepted, without extensions",
        arguments: [
            "Upgrade: websocket\r\nConnection: Upgrade\r\n", "Upgrade: WebSocket\r\nConnection: upgrade\r\n",
            "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n",
        ])
    func handshakes(fields: String) async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(
                "GET /graphql HTTP/1.1\r\nHost: a\r\n\(fields)Origin: https://a\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
                    + "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n")
            #expect(response.status == 101)
            #expect(response["sec-websocket-extensions"] == nil)
        }
    }

    /// Locations of a token, and the name of its session; nil if it is rejected.
    @Test(
        "INIT-TOKEN: a token is found in each usual place",
        arguments: [
            (#"{"Authorization":"Bearer good"}"#, "somebody"),
            (#"{"AUTHORIZATION":"bearer good"}"#, "somebody"),
            (#"{"headers":{"Authorization":"Bearer good"}}"#, "somebody"),
            (#"{"Headers":{"authorization":"Bearer good","x":1}}"#, "somebody"),
            (#"{"authToken":"good"}"#, "somebody"), (#"{"authToken":"Bearer good"}"#, "somebody"),
            (#"{"token":"good"}"#, "somebody"), (#"{"accessToken":"good"}"#, "somebody"),
            (#"{"Authorization":null}"#, "anonymous"), (#"{"Authorization":""}"#, "anonymous"),
            (#"{"headers":{}}"#, "anonymous"), (#"{"headers":null,"token":""}"#, "anonymous"),
            (#"{"Authorization":"good"}"#, nil), (#"{"Authorization":"Basic good"}"#, nil),
            (#"{"Authorization":7}"#, nil), (#"{"authToken":"bad"}"#, nil),
            (#"{"headers":{"Authorization":"Bearer bad"}}"#, nil),
        ])
    func tokens(payload: String, session: String?) async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.open(server)
            try await socket.say(#"{"type":"connection_init","payload":\#(payload)}"#)
            guard let session else {
                let frame = try await socket.next()
                #expect(frame.closeCode == 4403)
                let isUnknown = payload.contains("bad")
                #expect(
                    frame.closeMessage
                        == (isUnknown
                            ? "The token is not valid: sign in again, and connect with the new token"
                            : #"The token of the first message is malformed: send {"Authorization": "Bearer <token>"}"#)
                )
                return
            }
            #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
            try await socket.subscribe("w", "subscription { whose }")
            #expect(try await socket.next().text.contains(#""whose":"\#(session)""#))
        }
    }

    @Test("INIT-TIMEOUT: a client without ConnectionInit is disconnected")
    func timeout() async throws {
        var limits = ServerLimits.patient
        limits.initialisationTimeout = .milliseconds(50)
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.open(server)
            try await socket.say(#"{"type":"pong"}"#)
            let close = try await socket.next()
            #expect(close.closeCode == 4408 && close.closeMessage == "Connection initialisation timeout")
        }
    }

    @Test("SUB-APART: ids on two sockets are independent")
    func apart() async throws {
        try await withServer(LiveService.make()) { server in
            let (first, second) = (try await SocketClient.begin(server), try await SocketClient.begin(server))
            for socket in [first, second] {
                try await socket.subscribe("a", "subscription { endless }")
                #expect(try await socket.next().text.contains(#""endless":1"#))
            }
            try await first.say(#"{"id":"a","type":"complete"}"#)
            try await second.subscribe("a", "{ hello }")
            #expect(try await second.next().closeCode == 4409)
        }
    }

    @Test(
        "CLOSE-1: a close frame is answered with its code",
        arguments: [1_000, 1_001, 1_007, 1_014, 3_000, 4_999])
    func goodbye(code: Int) async throws {
        try await withServer(LiveService.make()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("a", "subscription { endless }")
            #expect(try await socket.next().text.contains("endless"))
            try await socket.send(opcode: 8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array("bye".utf8))
            #expect(try await socket.next().closeCode == code)
            #expect(try await socket.client.rest().isEmpty)
        }
    }
}
