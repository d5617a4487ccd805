import Coordination
import Foundation
import Gateway
import NIOCore
import PorticoCore
import TestSupport
import Testing
import Web

@testable import PorticoApp

@Suite("The configured HTTP server")
struct HTTPServerSettingsTests {
    @Test("hides in production what anonymous clients do not need")
    func production() async throws {
        try await withServer(["--production"]) { server in
            #expect(try await server.get("/schema.graphql").status == 404)
            #expect(try await server.get("/graphql?query=%7B__typename%7D").status == 405)
            let introspection = try await server.ask("{ __schema { queryType { name } } }")
            #expect(introspection.json?["data"] == nil)
            let misspelt = try await server.ask("{ acount { id } }")
            #expect(misspelt.message?.contains("Did you mean") == false)
            #expect(try await server.ask("{ account }").message?.contains("Did you mean") == false)
            let misnamed =
                #"{"query":"mutation A($i: SignInInput!) { signIn(input: $i) { token } }","variables":{"i":{"usernam":"a"}}}"#
            #expect(try await !server.send(RawRequest.post(misnamed)).body.contains("Did you mean"))
            // As scanners look whether each of ten directives is looked at.
            let overloaded = try await server.ask("{ __typename \(String(repeating: "@aa", count: 10)) }")
            #expect(overloaded.json?["errors"]?.elements?.count == 6)
            #expect(try await server.ask("{ __typename }").body == #"{"data":{"__typename":"Query"}}"#)
        }
    }

    @Test(
        "allows the pages of this machine only with the sandbox on a loopback address",
        arguments: [
            ([:], true), (["PORTICO_CORS_ORIGINS": "https://app.example.com"], false),
            (["PORTICO_HOST": "0.0.0.0", "PORTICO_SANDBOX": "true"], false),
            (["PORTICO_PRODUCTION": "true"], false),
        ] as [([String: String], Bool)])
    func localPages(environment: [String: String], areAllowed: Bool) async throws {
        try await withServer(environment: environment) { server in
            let preflight = try await server.send(
                RawRequest.get(
                    "/graphql", method: "OPTIONS",
                    fields: ["Origin: http://localhost:5173", "Access-Control-Request-Method: POST"]))
            #expect(preflight.status == (areAllowed ? 204 : 403))
        }
    }

    @Test("logs once that a page was refused, with the remedy; a page of this machine reads the sandbox")
    func refusedPage() async throws {
        try await withServer { server in
            for origin in ["https://evil.example", "https://evil.example", "http://localhost:5173"] {
                let answer = try await server.send(
                    RawRequest.post(RawRequest.query("{ __typename }"), fields: ["Origin: \(origin)"]))
                #expect(answer.status == 200)
                let preflight = try await server.send(
                    RawRequest.get(
                        "/graphql", method: "OPTIONS",
                        fields: ["Origin: \(origin)", "Access-Control-Request-Method: POST"]))
                #expect(preflight.status == (origin == "http://localhost:5173" ? 204 : 403))
            }
            let line = await server.program.errors.first { $0.contains("PORTICO_CORS_ORIGINS") ? $0 : nil }
            #expect(line?.contains("https://evil.example") == true)
        }
    }

    @Test("sends a browser that opens the endpoint to the page at /, and no other client")
    func opened() async throws {
        try await withServer { server in
            let html = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
            let page = try await server.send(RawRequest.get("/graphql", fields: [html]))
            #expect(page.status == 303 && page["location"] == "/")
            let query = try await server.send(
                RawRequest.get("/graphql?query=%7B__typename%7D", fields: [html]))
            let client = try await server.send(RawRequest.get("/graphql"))
            #expect(query.status == 200 && client.status == 400)
        }
        try await withServer(["--explorer", "off"]) { server in
            let page = try await server.send(RawRequest.get("/graphql", fields: ["Accept: text/html,*/*"]))
            #expect(page.status == 400)
        }
    }

    @Test(
        "gives clients one second to close their side after a last response, in every environment",
        arguments: [[:], ["PORTICO_PRODUCTION": "true"], ["PORTICO_SHUTDOWN_GRACE_PERIOD": "5"]])
    func lingerTime(environment: [String: String]) async throws {
        let settings = try HTTPServerSettings(SettingsLoader.load(environment: environment))
        #expect(settings.server.limits.lingerTimeout == .seconds(1))
    }

    @Test(
        "limits the connections of one address, and behind proxies only if that is set",
        arguments: [
            ([:], 256), (["TRUSTED_PROXIES": "1"], 10_000),
            (["TRUSTED_PROXIES": "1", "MAXIMUM_CONNECTIONS": "500"], 500),
            (["TRUSTED_PROXIES": "1", "MAXIMUM_CONNECTIONS_PER_ADDRESS": "7"], 7),
        ] as [([String: String], Int)])
    func connectionsOfAddress(changes: [String: String], limit: Int) throws {
        let environment = Dictionary(uniqueKeysWithValues: changes.map { ("PORTICO_" + $0, $1) })
        let settings = try HTTPServerSettings(SettingsLoader.load(environment: environment))
        #expect(settings.server.limits.connectionsPerAddress == limit)
    }

    @Test(
        "allows one address as many new guests as are set, and all addresses not fewer",
        arguments: [
            (nil, 60, CallRate(burst: 2_000, every: .milliseconds(500))),
            (3_600, 3_600, CallRate(burst: 3_600, every: .milliseconds(500))),
            (36_000, 36_000, CallRate(burst: 36_000, every: .milliseconds(100))),
        ] as [(Int?, Int, CallRate)])
    func guests(setting: Int?, perHour: Int, total: CallRate) async throws {
        var environment = ["PORTICO_ALPACA_KEY_ID": "PKTEST", "PORTICO_ALPACA_SECRET_KEY": "secret"]
        environment["PORTICO_GUESTS_PER_ADDRESS"] = setting.map { "\($0)" }
        let values = try SettingsLoader.load(environment: environment)
        let limits = try ServeSettings(values, sandbox: nil).userPolicy.limits
        #expect(limits.arrivals == CallRate(perHour: perHour))
        #expect(limits.totalArrivals == total)
    }

    @Test("runs only the documents of a directory if it is set")
    func documents() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-documents-\(UUID())")
        let inner = folder.appending(path: "app")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("{ __typename }".utf8).write(to: inner.appending(path: "Type.graphql"))
        let environment = ["PORTICO_DOCUMENTS": folder.path, "PORTICO_DOCUMENTS_ONLY": "true"]
        // As `printf '{ __typename }' | sha256sum` has it.
        let id = "7f56e67dd21ab3f30d1ff8b7bed08893f0a0db86449836189b361dd1e56ddb4b"
        try await withServer(environment: environment) { server in
            let named = try await server.send(RawRequest.post(#"{"documentId":"\#(id)"}"#))
            #expect(named.body == #"{"data":{"__typename":"Query"}}"#)
            #expect(try await server.ask("{ accounts { id } }").code == "DOCUMENT_NOT_TRUSTED")
        }
    }

    @Test("sends browsers the sites that may read responses, and collectors the metrics")
    func corsAndMetrics() async throws {
        try await withServer(environment: ["PORTICO_CORS_ORIGINS": "HTTPS://App.Example.com:443/"]) {
            server in
            let fields = ["Origin: https://app.example.com"]
            let answer = try await server.send(RawRequest.get("/health/live", fields: fields))
            #expect(answer["access-control-allow-origin"] == "https://app.example.com")
            let metrics = try await server.get("/metrics")
            #expect(metrics.body.contains(#"portico_http_requests_total{path="/health/live",method="GET""#))
        }
    }

    /// A page of another site that resolves its name to this machine has the sandbox's token, which is
    /// public.
    @Test(
        "refuses a page that reaches the sandbox by DNS rebinding or a socket, and serves the server's own page"
    )
    func otherSites() async throws {
        let query = RawRequest.query("{ account { equity } }")
        func ask(_ server: RunningServer, host: String, _ fields: String...) async throws -> RawResponse {
            let head = [
                "POST /graphql HTTP/1.1", "Host: \(host)", "Content-Type: application/json",
                "Authorization: Bearer sandbox", "Content-Length: \(query.utf8.count)",
            ]
            return try await server.send((head + fields + ["", query]).joined(separator: "\r\n"))
        }
        func open(_ server: RunningServer, host: String, from origin: String) async throws -> RawResponse {
            try await server.send(
                [
                    "GET /graphql HTTP/1.1", "Host: \(host)", "Origin: \(origin)", "Connection: Upgrade",
                    "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: graphql-transport-ws", "", "",
                ].joined(separator: "\r\n"))
        }
        try await withServer(environment: ["PORTICO_HOSTS": "portico.example.com"]) { server in
            let rebound = try await ask(
                server, host: "evil.example:\(server.port)", "Origin: http://evil.example")
            #expect(rebound.status == 421)
            #expect(rebound.code == "HOST_NOT_ALLOWED")
            #expect(rebound.message?.contains("add the name to its setting \"hosts\"") == true)
            let own = "127.0.0.1:\(server.port)"
            let foreign = try await open(server, host: own, from: "https://evil.example")
            #expect(foreign.status == 403)
            #expect(foreign.code == "ORIGIN_NOT_ALLOWED")
            for (host, origin) in [
                (own, "http://\(own)"), ("localhost:9999", "http://localhost:9999"),
                ("portico.example.com", "https://portico.example.com"), (own, "https://portico.example.com"),
            ] {
                #expect(try await ask(server, host: host, "Origin: \(origin)").failures.isEmpty)
                #expect(try await open(server, host: host, from: origin).status == 101)
            }
        }
    }

    @Test("accepts in a container an address or a service's name, and no public name")
    func containers() async throws {
        try await withServer(["--host", "0.0.0.0", "--sandbox"]) { server in
            for (host, status) in [
                ("10.1.2.3:8080", 200), ("portico", 200), ("localhost:8080", 200), ("evil.example:8080", 421),
            ] {
                let answer = try await server.send("GET /health/live HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(answer.status == status, "\(host)")
            }
        }
    }

    @Test("warns at its start, and at the first request of a proxy, that no trusted proxy is set")
    func proxies() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let fields = ["X-Forwarded-For: 10.0.0.1"]
                let answer = try await server.send(RawRequest.get("/health/live", fields: fields))
                #expect(answer.status == 200)
                for text in [
                    "Clients on this machine are exempt from the limits of addresses.",
                    "no proxy is trusted to name its clients",
                ] {
                    let line = await server.program.errors.first { $0.contains(text) ? $0 : nil }
                    #expect(line?.contains("PORTICO_TRUSTED_PROXIES") == true)
                }
            }
        }
    }
}
