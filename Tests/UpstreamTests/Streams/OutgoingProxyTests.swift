import Brokerage
import NIOCore
import NIOHTTP1
import NIOWebSocket
import TestSupport
import Testing
import Upstream

@Suite("The outgoing proxy of a stream")
struct OutgoingProxyTests {
    /// A case of libcurl's rules (documentation of CURLOPT_PROXY and CURLOPT_NOPROXY, libcurl-env(3)).
    struct Case: CustomTestStringConvertible, Sendable {
        var url = "https://stream.example"
        let environment: [String: String]
        /// Host and port; nil for none.
        let proxy: String?

        var testDescription: String { "\(url) \(environment.sorted { $0.key < $1.key })" }
    }

    @Test(
        "is that of REST calls: by the scheme and the variables of libcurl",
        arguments: [
            Case(environment: [:], proxy: nil),
            Case(environment: ["https_proxy": "http://p.example:3128"], proxy: "p.example:3128"),
            Case(environment: ["HTTPS_PROXY": "http://p.example:3128/"], proxy: "p.example:3128"),
            Case(environment: ["https_proxy": "", "HTTPS_PROXY": "p.example:8"], proxy: "p.example:8"),
            Case(
                environment: ["https_proxy": "a.example:1", "HTTPS_PROXY": "b.example:2"],
                proxy: "a.example:1"),
            Case(environment: ["https_proxy": "p.example"], proxy: "p.example:1080"),
            Case(environment: ["https_proxy": "https://p.example"], proxy: "p.example:443"),
            Case(environment: ["https_proxy": "HTTP://[2001:db8::7]:3128"], proxy: "[2001:db8::7]:3128"),
            Case(environment: ["http_proxy": "p.example:8"], proxy: nil),
            Case(environment: ["ALL_PROXY": "p.example:8"], proxy: "p.example:8"),
            Case(
                environment: ["all_proxy": "p.example:8", "ALL_PROXY": "q.example:8"], proxy: "p.example:8"),
            Case(
                url: "http://stream.example", environment: ["http_proxy": "p.example:8"], proxy: "p.example:8"
            ),
            Case(url: "http://stream.example", environment: ["HTTP_PROXY": "p.example:8"], proxy: nil),
            Case(url: "https://127.0.0.1:5", environment: ["https_proxy": "p.example:8"], proxy: nil),
            Case(url: "https://localhost", environment: ["https_proxy": "p.example:8"], proxy: nil),
        ])
    func variables(item: Case) throws {
        let url = try #require(HTTPURL(item.url))
        let proxy = try OutgoingProxy(for: url) { item.environment[$0] }
        #expect(proxy.map { "\($0.url.host):\($0.port)" } == item.proxy)
    }

    @Test(
        "is not used for the hosts of no_proxy",
        arguments: [
            ("*", "https://stream.example", true), ("*,x.example", "https://stream.example", false),
            ("stream.example", "https://stream.example", true), ("EXAMPLE", "https://stream.example", true),
            (".example", "https://stream.example", true), ("example.", "https://stream.example", true),
            ("ample", "https://stream.example", false), ("x.stream.example", "https://stream.example", false),
            ("a.example, b.example", "https://b.example:8443", true),
            ("a.example b.example", "https://b.example", true), ("192.0.2.7", "https://192.0.2.7", true),
            ("192.0.2.0/24", "https://192.0.2.7", true), ("192.0.2.0/31", "https://192.0.2.7", false),
            ("192.0.2.0/33", "https://192.0.2.7", false), ("2.7", "https://192.0.2.7", false),
            ("2001:db8::/32", "https://[2001:db8::7]", true),
            ("[2001:db8::7]", "https://[2001:db8::7]", true),
            ("2001:db8::/127", "https://[2001:db8::7]", false), (",, ,", "https://stream.example", false),
        ])
    func exceptions(list: String, address: String, isDirect: Bool) throws {
        let url = try #require(HTTPURL(address))
        for name in ["no_proxy", "NO_PROXY"] {
            let environment = ["https_proxy": "p.example:8", name: list]
            #expect(try (OutgoingProxy(for: url) { environment[$0] } == nil) == isDirect, "\(name)")
        }
    }

    @Test(
        "cannot be one of another kind, and the error has no part of its URL",
        arguments: [
            "socks5h://user:hunter2@p.example:1080", "http://user:hunter2@", "http://p.example:99999",
            "http://us%3Aer:hunter2@p.example",
        ])
    func unusable(value: String) throws {
        let url = try #require(HTTPURL("https://stream.example"))
        let error = #expect(throws: OutgoingProxy.Unusable.self) {
            try OutgoingProxy(for: url) { ["https_proxy": value][$0] }
        }
        #expect(error?.variable == "https_proxy")
    }

    @Test("shows neither its user nor its password")
    func secrets() throws {
        let url = try #require(HTTPURL("https://stream.example"))
        let proxy = try #require(
            try OutgoingProxy(for: url) { ["https_proxy": "http://someone:hunter2@p.example:3128"][$0] })
        var text = "\(proxy) \(String(reflecting: proxy))"
        dump(proxy, to: &text)
        #expect(text.contains("p.example"))
        #expect(!text.contains("hunter2") && !text.contains("someone") && !text.contains("Basic"))
    }

    // MARK: Tunnels

    @Test(
        "opens a tunnel to the server, with the user and password for the proxy only, with and without TLS",
        arguments: [(false, false), (true, false), (true, true)])
    func tunnel(isSecure: Bool, isProxySecure: Bool) async throws {
        try #require(ThrowawayCertificate.canBeMade)
        let certificate = try await ThrowawayCertificate.make(for: "stream.example")
        let server = try await WebSocketServer.start(certificate: isSecure ? certificate : nil)
        let proxy = try await ConnectProxy(
            to: server.port, certificate: isProxySecure ? certificate : nil)
        let scheme = isSecure ? "https" : "http"
        let variable = "\(scheme)_proxy"
        let value = "http\(isProxySecure ? "s" : "")://some%40one:hunter%202@127.0.0.1:\(proxy.port)"
        let url = try #require(HTTPURL("\(scheme)://stream.example:4711/v2/iex?context=7"))
        do {
            let socket = try await WebSocketConnection.open(
                url, before: .now + .seconds(60), trustedRoots: certificate.certificate,
                environment: { $0 == variable ? value : nil })
            #expect(!isProxySecure, "The certificate is not that of 127.0.0.1.")
            #expect(server.requestHead?.uri == "/v2/iex?context=7")
            #expect(server.requestHead?.headers["host"] == ["stream.example:4711"])
            #expect(server.requestHead?.headers["proxy-authorization"] == [])
            try await server.send(.text, Array("a".utf8))
            #expect(try await socket.receive() == .text("a"))
            try await socket.send(.text("b"))
            #expect(await server.receive()?.bytes == Array("b".utf8))
            socket.close()
            #expect(
                proxy.requests == [
                    """
                    CONNECT stream.example:4711 HTTP/1.1\r
                    Host: stream.example:4711\r
                    Proxy-Authorization: Basic c29tZUBvbmU6aHVudGVyIDI=
                    """
                ])
        } catch let error as WebSocketError {
            #expect(isProxySecure && error == .tls)
            #expect(proxy.requests.isEmpty)
        }
        try await proxy.stop()
        try await server.stop()
        try certificate.delete()
    }

    @Test(
        "that opens no tunnel is an error with its status",
        arguments: [
            ("407 Proxy Authentication Required", 407), ("502 Bad Gateway", 502), ("abc", Int?.none),
        ])
    func refusal(status: String, code: Int?) async throws {
        let proxy = try await ConnectProxy(to: 1, status: status)
        let url = try #require(HTTPURL("https://stream.example/"))
        let value = "http://user:hunter2@127.0.0.1:\(proxy.port)"
        let error = await #expect(throws: WebSocketError.self) {
            try await WebSocketConnection.open(
                url, before: .now + .seconds(60), environment: { $0 == "https_proxy" ? value : nil })
        }
        #expect(error == .proxyRejected(status: code))
        #expect(error.map { ProviderFailure(.alpaca, webSocket: $0, now: .earliest).cause } == .unavailable)
        try await proxy.stop()
    }

    @Test("of another kind, and one that does not exist, are errors")
    func none() async throws {
        let url = try #require(HTTPURL("https://stream.example/"))
        for (value, expected) in [
            ("socks5://127.0.0.1:1", WebSocketError.proxyRejected(status: nil)),
            ("http://127.0.0.1:1", .couldNotConnect),
        ] {
            await #expect(throws: expected) {
                try await WebSocketConnection.open(
                    url, before: .now + .seconds(60), environment: { $0 == "https_proxy" ? value : nil })
            }
        }
    }
}
