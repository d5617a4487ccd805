import TestSupport
import Testing
import Web

@Suite("Pages of other sites")
struct CORSTests {
    private static let origin = "Origin: https://app.example.com"
    private static let preflight = RawRequest.get(
        "/graphql", method: "OPTIONS", fields: [origin, "Access-Control-Request-Method: POST"])

    private func configuration(_ origins: CORSPolicy.Origins) -> ServerConfiguration {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0)
        configuration.cors.origins = origins
        return configuration
    }

    @Test("may read nothing by default")
    func none() async throws {
        try await withServer { server in
            let refusal = try await server.ask(Self.preflight)
            #expect(refusal.status == 403 && refusal.code == "ORIGIN_NOT_ALLOWED")
            #expect(refusal.message?.contains("PORTICO_CORS_ORIGINS") == true, "\(refusal.body)")
            let answer = try await server.ask(
                RawRequest.post(RawRequest.query("{ hello }"), fields: [Self.origin]))
            #expect(answer["access-control-allow-origin"] == nil)
        }
    }

    @Test(
        "may send and read from this machine only, with any port",
        arguments: [
            ("http://localhost:5173", true), ("http://127.0.0.1:3000", true), ("https://localhost", true),
            ("http://[::1]:8080", true), ("http://app.localhost:1", true),
            ("http://localhost.evil.example", false),
            ("http://127.0.0.1.evil.example", false), ("http://evil.example:5173", false), ("null", false),
            ("http://localhost:5173/", false), ("http://user@localhost", false), ("file://localhost", false),
        ])
    func thisMachine(_ origin: String, _ isAllowed: Bool) async throws {
        try await withServer(configuration(.loopback)) { server in
            let preflight = try await server.ask(
                RawRequest.get(
                    "/graphql", method: "OPTIONS",
                    fields: ["Origin: \(origin)", "Access-Control-Request-Method: POST"]))
            #expect(preflight.status == (isAllowed ? 204 : 403))
            #expect(preflight["access-control-allow-origin"] == (isAllowed ? origin : nil))
            #expect(preflight["vary"]?.contains("origin") == true || !isAllowed)
        }
    }

    @Test("may send and read if they are listed")
    func listed() async throws {
        let sites: Set = ["https://app.example.com", "https://other.example.com"]
        try await withServer(configuration(.listed(sites))) { server in
            let consent = try await server.ask(Self.preflight)
            #expect(consent.status == 204)
            #expect(consent["access-control-allow-origin"] == "https://app.example.com")
            #expect(consent["access-control-allow-methods"] == "GET, HEAD, POST, PUT, DELETE")
            #expect(consent["access-control-allow-headers"]?.contains("authorization") == true)
            #expect(consent["access-control-max-age"] == "3600")
            #expect(consent["access-control-allow-credentials"] == nil)
            #expect(consent["vary"] == "origin")
            #expect(consent["content-length"] == nil)
            for body in [RawRequest.query("{ hello }"), "no JSON"] {
                let answer = try await server.ask(RawRequest.post(body, fields: [Self.origin]))
                #expect(answer["access-control-allow-origin"] == "https://app.example.com")
                #expect(answer["access-control-expose-headers"] == "retry-after, x-request-id")
            }
            let stranger = try await server.ask(
                RawRequest.post(RawRequest.query("{ hello }"), fields: ["Origin: https://evil.example.com"]))
            #expect(stranger.status == 200)
            #expect(stranger["access-control-allow-origin"] == nil)
        }
    }

    @Test(
        "may send the headers of common clients by default, listed headers, or any header",
        arguments: [
            (
                CORSPolicy().allowedHeaders, ["apollographql-client-name", "sentry-trace", "baggage"],
                ["x-mine"]
            ),
            (["x-mine"], ["x-mine"], ["sentry-trace"]), (nil, ["*"], ["x-mine"]),
        ])
    func headers(allowed: [String]?, present: [String], absent: [String]) async throws {
        var configuration = configuration(.any)
        configuration.cors.allowedHeaders = allowed
        try await withServer(configuration) { server in
            let value = try #require(try await server.ask(Self.preflight)["access-control-allow-headers"])
            let headers = value.split(separator: ", ").map(String.init)
            #expect(Set(headers).isSuperset(of: present + ["authorization"]), "\(value)")
            #expect(Set(headers).isDisjoint(with: absent), "\(value)")
        }
    }

    @Test(
        "send only headers whose names are tokens",
        arguments: [("X-Mine", "x-mine"), ("", nil), ("two words", nil), ("a:b", nil)] as [(String, String?)])
    func headerNames(name: String, normalized: String?) {
        #expect(CORSPolicy.normalizedHeader(name) == normalized)
    }

    @Test("may all send and read if any site is allowed")
    func anybody() async throws {
        try await withServer(configuration(.any)) { server in
            let consent = try await server.ask(Self.preflight)
            #expect(consent["access-control-allow-origin"] == "*")
        }
    }

    @Test(
        "cannot send requests without a preflight",
        arguments: [
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a",
        ])
    func simpleTypes(_ type: String) async throws {
        try await withServer(configuration(.any)) { server in
            let body = RawRequest.query("mutation { act }")
            let answer = try await server.ask(
                "POST /graphql HTTP/1.1\r\nHost: a\r\n\(Self.origin)\r\nContent-Type: \(type)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(answer.status == 415)
        }
    }
}
