import Logging
import NIOCore
import PorticoCore
import TestSupport
import Testing
import Web

@Suite("The hosts that a server accepts")
struct HostPolicyTests {
    /// A server, the host of a request, and whether the server accepts it.
    struct Case: Sendable, CustomTestStringConvertible {
        let listening: String
        var names: [String] = []
        let accepted: [String]
        let refused: [String]

        var testDescription: String { "on \(listening), also as \(names)" }

        private static let loopback = [
            "localhost", "LocalHost:8080", "localhost.", "app.localhost:80", "127.0.0.1", "127.8.9.10:9090",
            "[::1]",
            "[::1]:8080",
        ]
        private static let foreign = [
            "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
            "evil.local.example", "127.0.0.1a.example",
        ]

        static let all = [
            Case(
                listening: "127.0.0.1", accepted: loopback,
                refused: foreign + ["portico", "10.0.0.1", "nas.local", "[fe80::1]", "0.0.0.0:8080"]),
            Case(listening: "localhost", accepted: loopback, refused: foreign + ["portico"]),
            Case(listening: "::1", accepted: loopback, refused: foreign + ["[::2]"]),
            Case(
                listening: "127.0.0.1", names: ["Portico.example.com", "10.0.0.1:8443"],
                accepted: loopback + [
                    "portico.example.com", "PORTICO.example.com:443", "10.0.0.1", "10.0.0.1:8443",
                ],
                refused: foreign + ["example.com", "a.portico.example.com", "10.0.0.2"]),
            Case(
                listening: "0.0.0.0",
                accepted: loopback + [
                    "portico", "portico:8080", "10.1.2.3:8080", "[2001:db8::1]:8080", "nas.local",
                    "portico.default.svc.cluster.local", "host.docker.internal:8080", "0.0.0.0:8080",
                    "portico.default.svc:9090", "portico.test", "portico.home.arpa",
                ],
                refused: foreign + [
                    "portico.example.com", "1.2.3", "1.2.3.256", "1.2.3.4.5", "0x7f.0.0.1", "portico.default",
                ]),
            Case(
                listening: "::", names: ["portico.example.com"],
                accepted: loopback + ["portico.example.com", "nas"],
                refused: foreign),
            Case(
                listening: "portico.example.com", accepted: loopback + ["portico.example.com:8080"],
                refused: foreign),
        ]
    }

    @Test("are this machine's, the address it listens on, and the configured ones", arguments: Case.all)
    func hosts(_ each: Case) {
        let policy = HostPolicy(
            listeningOn: each.listening, names: each.names.compactMap(HostPolicy.normalized))
        for (hosts, isAccepted) in [(each.accepted, true), (each.refused, false)] {
            for host in hosts {
                let isAnswered = policy.accepts(host.utf8Span.span)
                #expect(isAnswered == isAccepted, "\(host)")
                let isAnsweredByAny = HostPolicy.any.accepts(host.utf8Span.span)
                #expect(isAnsweredByAny)
            }
        }
    }

    @Test(
        "identify the server's own pages by their origin",
        arguments: [
            ("http://localhost:8080", "localhost:8080", true),
            ("http://LOCALHOST:8080", "localhost:8080", true),
            ("https://a.example", "a.example", true), ("https://a.example", "a.example:443", true),
            ("http://a.example", "a.example:80", true), ("https://a.example", "a.example:8443", false),
            ("http://localhost:3000", "localhost:8080", false),
            ("http://127.0.0.1:8080", "localhost:8080", false), ("null", "localhost:8080", false),
            ("http://127.0.0.1", "127.0.0.1:8080", false), ("", "localhost:8080", false),
            ("https://portico.example.com", "127.0.0.1:8080", true),
            ("https://portico.example.com:8443", "127.0.0.1:8080", false),
        ])
    func origins(_ origin: String, _ host: String, isOwn: Bool) {
        let policy = HostPolicy(listeningOn: "127.0.0.1", names: ["portico.example.com"])
        #expect(policy.isOwn(origin: origin, host: host) == isOwn)
    }
}

@Suite("A configured host or origin")
struct ConfiguredNameTests {
    private static let hostCases: [(String, String?)] = [
        ("Portico.Example.com", "portico.example.com"), ("a:8443", "a:8443"), ("a_b-c.", "a_b-c."),
        ("10.0.0.1:80", "10.0.0.1:80"), ("[2001:DB8:0::1]:443", "[2001:db8::1]:443"), ("a:0443", "a:443"),
        ("*.example.com", nil), (".example.com", nil), ("a..b", nil), ("a.*", nil), ("a:99999", nil),
        ("a:65536", nil), ("a:0", nil), ("a:", nil), ("a:+80", nil), ("a b", nil), ("", nil), (".", nil),
        ("[::1", nil), ("[1:::2]", nil), ("[127.0.0.1]", nil), ("::1", nil), ("https://a", nil), ("a/", nil),
        ("b%61", nil), ("é.example", nil),
    ]

    @Test("of hosts is in lower case, or refused if no client sends it", arguments: hostCases)
    func hosts(_ text: String, normal: String?) {
        #expect(HostPolicy.normalized(text) == normal)
    }

    private static let originCases: [(String, String?)] = [
        ("https://app.example.com", "https://app.example.com"),
        ("HTTPS://App.Example.com/", "https://app.example.com"), ("https://a:443", "https://a"),
        ("http://a:80/", "http://a"), ("http://a:443", "http://a:443"), ("https://a:80", "https://a:80"),
        ("http://[::1]:3000", "http://[::1]:3000"), ("https://*.example.com", nil), ("https://a//", nil),
        ("http://[::FFFF:102:304]:3000", "http://[::ffff:102:304]:3000"),
        ("http://[::7f00:1]", "http://[::7f00:1]"),
        ("https://a/b", nil), ("https://a?b", nil), ("https://", nil), ("https:///", nil),
        ("https://u@a", nil), ("https://a:99999", nil), ("ftp://a", nil), ("a", nil), ("null", nil),
    ]

    @Test("of origins is in the form of browsers, or refused if no browser sends it", arguments: originCases)
    func origins(_ text: String, normal: String?) {
        #expect(CORSPolicy.normalized(text) == normal)
    }
}

@Suite("A request that a page of another site makes a browser send")
struct CrossSiteTests {
    private static let evil = "Origin: https://evil.example"

    private func configuration(_ change: (inout ServerConfiguration) -> Void = { _ in })
        -> ServerConfiguration
    {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
        configuration.hosts = HostPolicy(listeningOn: "127.0.0.1")
        change(&configuration)
        return configuration
    }

    private func get(_ path: String, host: String = "localhost", _ fields: String...) -> String {
        (["GET \(path) HTTP/1.1", "Host: \(host)"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    @Test("under a name that was rebound to this machine is refused in every form")
    func rebinding() async throws {
        try await withServer(configuration(), LiveService.make()) { server in
            let body = RawRequest.query("{ hello }")
            let requests = [
                get("/graphql?query=%7Bhello%7D", host: "evil.example:\(server.port)"),
                get("/health/ready", host: "evil.example"), get("/nothing", host: "evil.example"),
                "POST /graphql HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
                SocketClient.handshake(host: "evil.example"),
            ]
            for request in requests {
                let refusal = try await server.ask(request)
                #expect(refusal.status == 421)
                #expect(refusal.code == "HOST_NOT_ALLOWED")
            }
            let refusal = try await server.ask(get("/", host: "evil.example:1"))
            #expect(
                refusal.message
                    == "This server does not accept the host \"evil.example:1\". Use an address that it listens "
                    + "on, or add the name to its setting \"hosts\".")
            // HTTP/1.0 does not require a Host field; browsers always send one.
            #expect(try await server.ask("GET /health/live HTTP/1.0\r\n\r\n").status == 200)
        }
    }

    @Test("over HTTP/2 under a name that was rebound to this machine is refused")
    func rebindingHTTP2() async throws {
        try await withCertificate { files in
            try await withServer(configuration { $0.tls = files }) { server in
                for (host, status) in [("evil.example", 421), ("localhost", 200)] {
                    let answer = try await Command.run(
                        "curl",
                        [
                            "-sS", "-k", "-i", "--noproxy", "*", "--max-time", "60", "--http2", "--resolve",
                            "\(host):\(server.port):127.0.0.1", "https://\(host):\(server.port)/health/live",
                        ])
                    #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/2 \(status)"), "\(host)")
                }
            }
        }
    }

    @Test("without a preflight is refused: reads, streams of events and WebSockets")
    func origins() async throws {
        try await withServer(configuration(), LiveService.make()) { server in
            let query = "/graphql?query=%7Bhello%7D"
            let stream = "/graphql?query=subscription%7Bcount(to:1)%7D"
            let handshake = SocketClient.handshake(fields: Self.evil + "\r\n")
            for request in [
                get(query, Self.evil), get(stream, Self.evil, "Accept: text/event-stream"), handshake,
                get(query, "Origin: null"), get("/schema.graphql", Self.evil), get("/metrics", Self.evil),
                // Another server on this machine.
                get(query, "Origin: http://localhost:3000"),
                // Images and scripts, for which browsers send no Origin field.
                get(query, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"),
                get(query, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"),
                get(query, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"),
            ] {
                let refusal = try await server.ask(request)
                #expect(refusal.status == 403, "\(request)")
                #expect(refusal.code == "ORIGIN_NOT_ALLOWED")
            }
            #expect(
                try await server.ask(get(query, Self.evil)).message
                    == "Pages of \"https://evil.example\" may not send this request. Add the site to "
                    + "PORTICO_CORS_ORIGINS of the server, or its name to PORTICO_HOSTS if it is the server's own."
            )
        }
    }

    @Test("is accepted if the server's own page sends it, the user opens it, or the site is allowed")
    func allowed() async throws {
        let allowed = configuration { $0.cors.origins = .listed(["https://app.example.com"]) }
        try await withServer(allowed, LiveService.make()) { server in
            let query = "/graphql?query=%7Bhello%7D"
            let own = "Origin: http://localhost:\(server.port)"
            let host = "localhost:\(server.port)"
            for request in [
                get(query), get(query, host: host, own), get(query, "Origin: https://app.example.com"),
                get(query, "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"),
                // Behind a proxy that changes Host.
                get(query, "Origin: https://portico.example.com", "Sec-Fetch-Site: same-origin"),
                get("/schema.graphql", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"),
            ] {
                let answer = try await server.ask(request)
                #expect(answer.status == 200, "\(request)")
            }
            for origin in [own, "Origin: https://app.example.com"] {
                let handshake = SocketClient.handshake(host: host, fields: origin + "\r\n")
                let answer = try await server.ask(handshake)
                #expect(answer.status == 101)
            }
        }
    }

    @Test("counts against the limits of an address, also on this machine")
    func limits() async throws {
        var limits = ServerLimits.patient
        limits.addressRate = CallRate(burst: 1, every: .seconds(3_600))
        let allowed = configuration {
            $0.limits = limits
            $0.cors.origins = .any
        }
        try await withServer(allowed) { server in
            let requests: [(fields: [String], statuses: [Int])] = [
                ([], [200, 200, 200]), (["Origin: https://a.example"], [200, 429]),
                (["Origin: https://b.example"], [429]), ([], [200]),
            ]
            for (fields, statuses) in requests {
                for status in statuses {
                    let request = RawRequest.post(RawRequest.query("{ hello }"), fields: fields)
                    let answer = try await server.ask(request)
                    #expect(answer.status == status)
                }
            }
        }
    }
}

@Suite("A proxy on this machine that is not trusted")
struct UntrustedProxyTests {
    @Test(
        "is reported once, and all its clients count as one address",
        arguments: [
            "X-Forwarded-For: 10.0.0.1", "Forwarded: for=10.0.0.1", "X-Real-IP: 10.0.0.1", "Via: 1.1 proxy",
            "X-Forwarded-Proto: https", "X-Forwarded-Host: portico.example.com",
        ])
    func oneAddress(_ field: String) async throws {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
        configuration.limits.addressRate = CallRate(burst: 3, every: .seconds(3_600))
        let log = LogLines()
        try await withServer(configuration, logger: Logger(label: "test") { _ in log }) { server in
            // Metrics are served to this machine only, not to clients of a proxy.
            #expect(try await server.ask(RawRequest.get("/metrics", fields: [field])).status == 404)
            let query = RawRequest.query("{ hello }")
            for (other, status) in [("X: 1", 200), ("X-Forwarded-For: 10.0.0.2", 200), ("X: 2", 429)] {
                let answer = try await server.ask(RawRequest.post(query, fields: [field, other]))
                #expect(answer.status == status)
            }
            // Requests without a proxy come from this machine's owner.
            for _ in 0..<3 { #expect(try await server.ask(RawRequest.post(query)).status == 200) }
        }
        #expect(
            log.text
                == "warning A request has X-Forwarded-For or another field of a proxy, and no proxy is trusted to name "
                + "its clients: all clients of a proxy count as one address. If Portico is behind proxies, set "
                + "trusted-proxies (PORTICO_TRUSTED_PROXIES) to the number of proxies that add to X-Forwarded-For."
        )
    }
}

@Suite("A trusted proxy on this machine that names no client")
struct TrustedProxyTests {
    @Test(
        "is reported once, and the requests count as those of one address",
        arguments: [
            ("X-Forwarded-For: unknown", 1), ("X-Forwarded-For: 10.0.0.1", 2), ("X-Forwarded-For: 127.1", 1),
            ("Forwarded: for=_hidden", 1), ("X-Real-IP: 10.0.0.1", 2), ("Via: 1.1 proxy", 1),
            ("X-Forwarded-Proto: https", 1),
        ])
    func oneAddress(_ field: String, proxies: Int) async throws {
        let log = LogLines()
        let logger = Logger(label: "test") { _ in log }
        try await withServer(configuration(proxies, burst: 3), logger: logger) { server in
            let metrics = try await server.ask(RawRequest.get("/metrics", fields: [field]))
            #expect(metrics.status == 404)
            let query = RawRequest.query("{ hello }")
            for status in [200, 200, 429] {
                let answer = try await server.ask(RawRequest.post(query, fields: [field]))
                #expect(answer.status == status)
            }
            // Requests without a proxy come from this machine's owner.
            for _ in 0..<3 { #expect(try await server.ask(RawRequest.post(query)).status == 200) }
        }
        #expect(
            log.text
                == "warning A proxy forwards a request and does not name its client: X-Forwarded-For, Forwarded or "
                + "X-Real-IP must have an address from each trusted proxy, and two of these fields the same one. All "
                + "such requests of a proxy count as one address. Correct the proxy, or trusted-proxies "
                + "(PORTICO_TRUSTED_PROXIES), which is \(proxies).")
    }

    @Test(
        "that names its clients has a limit for each of them, in every form of their addresses",
        arguments: [
            ["X-Forwarded-For: 10.0.0.1:80", "X-Forwarded-For: 10.0.0.1:81", "X-Forwarded-For: 10.0.0.1"],
            [
                "X-Forwarded-For: [2001:db8::1]:80", "X-Forwarded-For: 2001:db8::1",
                "Forwarded: for=\"[2001:db8::1]\"",
            ],
            ["Forwarded: for=10.0.0.1", "X-Real-IP: 10.0.0.1", "Forwarded: for=\"10.0.0.1:_a\";proto=http"],
            ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: ::1", "X-Real-IP: 127.0.0.2"],
        ])
    func severalAddresses(_ fields: [String]) async throws {
        try await withServer(configuration(1, burst: 2)) { server in
            let query = RawRequest.query("{ hello }")
            for (field, status) in zip(fields, [200, 200, 429]) {
                let answer = try await server.ask(RawRequest.post(query, fields: [field]))
                #expect(answer.status == status)
            }
            let other = try await server.ask(RawRequest.post(query, fields: ["X-Forwarded-For: 10.0.0.2"]))
            #expect(other.status == 200)
        }
    }

    private func configuration(_ proxies: Int, burst: Int) -> ServerConfiguration {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
        configuration.limits.addressRate = CallRate(burst: burst, every: .seconds(3_600))
        configuration.trustedProxies = proxies
        return configuration
    }
}
