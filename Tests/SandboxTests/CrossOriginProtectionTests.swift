import Sandbox
import Testing

@Suite("The sandbox and pages of other sites")
struct CrossOriginProtectionTests {
    /// Sends a request with the given fields in place of `Host`.
    private static func send(_ request: String, _ fields: [String], of client: Client) async throws
        -> Client.Reply
    {
        let lines = ["\(request) HTTP/1.1", "Content-Length: 0", "Connection: close"] + fields
        return Client.Reply(try await client.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n"))
    }

    @Test(
        "it accepts requests for its own hosts only",
        arguments: [
            ("localhost", 200), ("LOCALHOST:1", 200), ("portico.localhost", 200), ("127.0.0.1:9000", 200),
            ("127.9.9.9", 200), ("[::1]:9000", 200), ("localhost.", 200), ("rebound.example", 421),
            ("127.0.0.1.rebound.example", 421), ("notlocalhost", 421), ("0.0.0.0", 421), ("192.168.1.7", 421),
            ("[2001:db8::1]", 421), ("", 421),
        ])
    func hosts(host: String, status: Int) async throws {
        try await withSandbox { fixture in
            let control = try await Self.send("GET /_sandbox/calls", ["Host: \(host)"], of: fixture.client)
            #expect(control.status == status)
            let fields = ["Host: \(host)", "Authorization: Bearer sandbox-demo-token"]
            let provider = try await Self.send("GET /alpaca/v2/account", fields, of: fixture.client)
            #expect(provider.status == status)
            guard status == 421 else { return }
            #expect(
                control.body.contains("Use localhost or the address that it listens on, or start it with"))
            #expect(fixture.sandbox.calls.total == 0, "it is not counted")
        }
    }

    @Test(
        "if it listens beyond this machine, it also accepts addresses and names without a dot",
        arguments: [
            ("localhost", 200), ("192.168.1.7:9000", 200), ("[2001:db8::1]", 200), ("sandbox:9000", 200),
            ("rebound.example", 421),
        ])
    func beyond(host: String, status: Int) async throws {
        try await withSandbox({ $0.host = "0.0.0.0" }) { fixture in
            let reply = try await Self.send("GET /_sandbox/calls", ["Host: \(host)"], of: fixture.client)
            #expect(reply.status == status)
        }
    }

    @Test("it refuses pages of other sites, and accepts its own pages and programs")
    func origins() async throws {
        try await withSandbox { fixture in
            let own = fixture.sandbox.address
            for (origin, status) in [
                ("http://\(own)", 204), (nil, 204), ("http://attacker.example", 403),
                ("https://\(own)", 403), ("http://127.0.0.1", 403), ("null", 403), ("", 403),
            ] {
                let fields = ["Host: \(own)"] + (origin.map { ["Origin: \($0)"] } ?? [])
                let reset = try await Self.send("POST /_sandbox/reset", fields, of: fixture.client)
                #expect(reset.status == status, "\(origin ?? "none")")
                let token = fields + ["Authorization: Bearer sandbox-demo-token"]
                let account = try await Self.send("GET /alpaca/v2/account", token, of: fixture.client)
                #expect(account.status == (status == 204 ? 200 : 403), "\(origin ?? "none")")
                guard status == 403 else { continue }
                #expect(reset.body.contains("Send the request from a program, without an Origin"))
            }
        }
    }

    @Test(
        "it opens no WebSocket for pages of other sites, or under another name",
        arguments: [("Origin: http://attacker.example", 403), ("Host: rebound.example", 421)])
    func streams(field: String, status: Int) async throws {
        try await withSandbox { fixture in
            let host = field.hasPrefix("Host") ? [] : ["Host: \(fixture.sandbox.address)"]
            let fields =
                host + [
                    field, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ]
            let text = try await fixture.client.exchange(
                (["GET /alpaca/stream HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
            #expect(Client.Reply(text).status == status)
            #expect(fixture.sandbox.calls.total == 0)
            let own = ["Origin": "http://\(fixture.sandbox.address)"]
            try await StreamClient.open("/alpaca/stream", of: fixture.client, own) { _ in }
        }
    }
}
