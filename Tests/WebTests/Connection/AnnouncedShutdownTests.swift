import NIOCore
import TestSupport
import Testing
import Web

@Suite("A server whose shutdown is announced")
struct AnnouncedShutdownTests {
    private static let hello = RawRequest.post(RawRequest.query("{ hello }"))
    private static let world = #"{"data":{"hello":"world"}}"#

    @Test("serves requests on open and on new connections, and each response ends its connection")
    func serves() async throws {
        try await withServer { server in
            let open = try server.client()
            let before = try await open.asking(Self.hello)
            #expect(before.body == Self.world)
            #expect(before["connection"] == nil)
            server.server.announceShutdown()
            for client in [open, try server.client()] {
                let response = try await client.asking(Self.hello)
                #expect(response.status == 200)
                #expect(response.body == Self.world)
                #expect(response["connection"] == "close")
                #expect(try await client.rest() == "")
            }
        }
    }

    @Test("is not ready, and alive")
    func readiness() async throws {
        try await withServer { server in
            #expect(try await server.ask(RawRequest.get("/health/ready")).body == #"{"status":"ready"}"#)
            server.server.announceShutdown()
            let ready = try await server.ask(RawRequest.get("/health/ready"))
            #expect(ready.status == 503)
            #expect(ready.body == #"{"status":"stopping"}"#)
            #expect(ready["connection"] == "close")
            #expect(try await server.ask(RawRequest.get("/health/live")).status == 200)
        }
    }

    @Test("responds to all requests that have arrived on a connection, and ends it with the last response")
    func pipelined() async throws {
        try await withServer { server in
            let client = try server.client()
            server.server.announceShutdown()
            try await client.send(Self.hello + Self.hello)
            for connection in [nil, "close"] {
                let response = try await client.response()
                #expect(response.body == Self.world)
                #expect(response["connection"] == connection)
            }
            #expect(try await client.rest() == "")
        }
    }

    @Test("refuses connections when the shutdown begins, and serves those that it has accepted")
    func closesListener() async throws {
        let (service, started, gate) = TestService.gated()
        var limits = ServerLimits.patient
        // The time for the first request of a connection; all connections of the test end before.
        limits.lingerTimeout = .seconds(60)
        try await withServer(service, limits: limits) { server in
            server.server.announceShutdown()
            let busy = try server.client()
            try await busy.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            let silent = try server.client()
            // A connection that the server has not accepted is reset when the listener closes.
            try await waitUntil { server.server.openConnections == 2 }
            server.stop()
            try await waitUntil { (try? server.client()) == nil }
            #expect(try await silent.asking(Self.hello).body == Self.world)
            silent.close()
            gate.happen()
            let response = try await busy.response()
            #expect(response.body == #"{"data":{"slow":"done"}}"#)
            #expect(response["connection"] == "close")
            busy.close()
            try await server.running.value
        }
    }

    @Test("serves WebSockets, new ones too, until the shutdown begins")
    func sockets() async throws {
        var limits = ServerLimits.patient
        limits.lingerTimeout = .milliseconds(50)
        try await withServer(LiveService.make(), limits: limits) { server in
            let open = try await SocketClient.begin(server)
            server.server.announceShutdown()
            let sockets = [open, try await SocketClient.begin(server)]
            for socket in sockets {
                try await socket.subscribe("a", "subscription { endless }")
                #expect(try await socket.next().text.contains(#""endless":1"#))
            }
            server.stop()
            for socket in sockets { #expect(try await socket.next().closeCode == 1001) }
        }
    }
}

extension HTTPServer {
    /// The number of connections that the server has accepted.
    fileprivate var openConnections: Int { state.load.connections.count }
}
