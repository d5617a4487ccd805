import NIOCore
import NIOHTTP1
import PorticoCore
import TestSupport
import Testing
import Web

@Suite("A rate limiter")
struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test("admits a burst, then a rate per second")
    func bucket() {
        let limiter = RateLimiter<String>(CallRate(burst: 3, every: .milliseconds(500)), capacity: 10)
        for _ in 0..<3 { #expect(limiter.consume("a", now: start) == nil) }
        #expect(limiter.consume("a", now: start) == .milliseconds(500))
        #expect(limiter.consume("a", now: start + .milliseconds(300)) == .milliseconds(200))
        #expect(limiter.consume("a", now: start + .milliseconds(500)) == nil)
        #expect(limiter.consume("a", now: start + .milliseconds(500)) == .milliseconds(500))
        #expect(limiter.consume("b", now: start) == nil)
        // A pause fills the bucket, and not more.
        for _ in 0..<3 { #expect(limiter.consume("a", now: start + .seconds(3_600)) == nil) }
        #expect(limiter.consume("a", now: start + .seconds(3_600)) == .milliseconds(500))
    }

    @Test("removes full buckets when it needs room; without room, new clients share a bucket")
    func table() {
        let limiter = RateLimiter<Int>(CallRate(burst: 1, every: .seconds(1)), capacity: 2)
        #expect(limiter.consume(1, now: start) == nil)
        #expect(limiter.consume(2, now: start) == nil)
        #expect(limiter.consume(3, now: start) == nil)
        #expect(limiter.consume(4, now: start) == .seconds(1))
        #expect(limiter.consume(1, now: start) == .seconds(1))
        #expect(limiter.consume(4, now: start + .seconds(2)) == nil)
        #expect(limiter.consume(5, now: start + .seconds(2)) == nil)
        #expect(limiter.consume(4, now: start + .seconds(2)) == .seconds(1))
    }
}

@Suite("The rate limit of a client")
struct ClientRateLimitsTests {
    /// The time between two requests, longer than the slowest machine takes for a test.
    private let pause = Duration.seconds(3_600)

    /// Limits that also apply to clients on this machine.
    private var limits: ServerLimits {
        var limits = ServerLimits.patient
        limits.exemptsThisMachine = false
        return limits
    }

    @Test("of an address responds with 429 and the retry time; health checks and the connection continue")
    func address() async throws {
        var limits = limits
        limits.addressRate = CallRate(burst: 2, every: pause)
        try await withServer(limits: limits) { server in
            let client = try server.client()
            let request = RawRequest.post(RawRequest.query("{ hello }"))
            for _ in 0..<2 { #expect(try await client.asking(request).status == 200) }
            let refusal = try await client.asking(request)
            #expect(refusal.status == 429)
            #expect(refusal.code == "RATE_LIMITED")
            let wait = try #require(refusal["retry-after"].flatMap { Int($0) })
            #expect((3_000...3_600).contains(wait))
            #expect(
                refusal.message == "Too many requests come from your address. Try again in \(wait) seconds.")
            let retryAt = refusal.json?["errors"]?[0]?["extensions"]?["retryAt"]?.string
            #expect(retryAt?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(try await client.asking(RawRequest.get("/health/live")).status == 200)
        }
    }

    @Test(
        "of an address counts every route except health checks",
        arguments: [
            ("/schema.graphql", 429), ("/metrics", 429), ("/file", 429),
            ("/graphql?query=%7B+hello+%7D", 429),
            ("/health/live", 200), ("/health/ready", 200),
        ])
    func routes(path: String, status: Int) async throws {
        var limits = limits
        limits.addressRate = CallRate(burst: 1, every: pause)
        let file = ReadOnlyRoute { _ in HTTPResponse(.ok, "text/plain", body: []) }
        try await withServer(limits: limits, routes: ["/file": file]) { server in
            let type = "application/graphql-response+json"
            let request = RawRequest.get(path, fields: ["Accept: \(type)"])
            #expect(try await server.ask(request).status == 200)
            let second = try await server.ask(request)
            #expect(second.status == status)
            guard status == 429 else { return }
            #expect(second.code == "RATE_LIMITED")
            #expect(second.message?.hasPrefix("Too many requests come from your address.") == true)
            #expect(second["content-type"] == "\(type); charset=utf-8")
            #expect(second["retry-after"] != nil)
        }
    }

    @Test("of an unknown token is that of its address: invented tokens need no memory")
    func unknownToken() async throws {
        var limits = limits
        limits.tokenRate = CallRate(burst: 1, every: pause)
        limits.trackedClients = 1
        func request(_ token: String) -> String {
            RawRequest.post(RawRequest.query("{ session }"), fields: ["Authorization: Bearer \(token)"])
        }
        try await withServer(limits: limits) { server in
            for token in ["bad", "bad", "worse"] {
                let answer = try await server.ask(request(token))
                #expect(answer.status == 200)
                #expect(answer.body == #"{"data":{"session":"refused"}}"#)
            }
            #expect(try await server.ask(request("good")).status == 200)
        }
    }

    @Test("of a token that must be verified counts after its verification, and only if it is valid")
    func unverifiedToken() async throws {
        var limits = limits
        limits.tokenRate = CallRate(burst: 1, every: pause)
        limits.trackedClients = 1
        var service = TestService.make()
        service.mustVerify = { _ in true }
        func request(_ token: String) -> String {
            RawRequest.post(RawRequest.query("{ session }"), fields: ["Authorization: Bearer \(token)"])
        }
        try await withServer(service, limits: limits) { server in
            for token in ["bad", "bad", "worse"] {
                let answer = try await server.ask(request(token))
                #expect(answer.status == 200)
                #expect(answer.body == #"{"data":{"session":"refused"}}"#)
            }
            let first = try await server.ask(request("good"))
            #expect(first.body == #"{"data":{"session":"somebody"}}"#)
            // Tokens that are invented between do not remove the count of this one.
            #expect(try await server.ask(request("bad")).status == 200)
            let refusal = try await server.ask(request("good"))
            #expect(refusal.status == 429)
            #expect(refusal.code == "RATE_LIMITED")
            #expect(refusal.message?.hasPrefix("Too many requests come with your token.") == true)
        }
    }

    @Test(
        "of a token is one for all its texts, whether its session is known or must be verified",
        arguments: [false, true])
    func texts(mustVerify: Bool) async throws {
        var limits = limits
        limits.tokenRate = CallRate(burst: 2, every: pause)
        var service = TestService.make()
        service.mustVerify = { _ in mustVerify }
        service.session = { .success($0 == "other" ? "other" : "somebody") }
        service.credential = { $0 }
        func request(_ token: String) -> String {
            RawRequest.post(RawRequest.query("{ session }"), fields: ["Authorization: Bearer \(token)"])
        }
        try await withServer(service, limits: limits) { server in
            for (token, status) in [
                ("a.b.c", 200), ("a.b.d", 200), ("a.b.c", 429), ("a.b.e", 429), ("other", 200),
            ] {
                let answer = try await server.ask(request(token))
                #expect(answer.status == status, "\(token)")
            }
        }
    }

    @Test("of a token is separate on every connection")
    func token() async throws {
        var limits = limits
        limits.tokenRate = CallRate(burst: 1, every: pause)
        let request = RawRequest.post(RawRequest.query("{ session }"), fields: ["Authorization: Bearer good"])
        try await withServer(limits: limits) { server in
            #expect(try await server.ask(request).status == 200)
            let refusal = try await server.ask(request)
            #expect(refusal.status == 429)
            let wait = try #require(refusal["retry-after"])
            #expect(
                refusal.message == "Too many requests come with your token. Try again in \(wait) seconds.")
            #expect(try await server.ask(RawRequest.post(RawRequest.query("{ session }"))).status == 200)
        }
    }

    @Test("counts each request of an array, for the address and for the token")
    func batch() async throws {
        let pairs: [(CallRate?, CallRate?)] = [
            (CallRate(burst: 3, every: pause), nil), (nil, CallRate(burst: 3, every: pause)),
        ]
        let one = RawRequest.query("{ hello }")
        let request = RawRequest.post("[\(one),\(one)]", fields: ["Authorization: Bearer good"])
        for (addressRate, tokenRate) in pairs {
            var limits = limits
            limits.batch = 2
            if let addressRate { limits.addressRate = addressRate }
            if let tokenRate { limits.tokenRate = tokenRate }
            try await withServer(limits: limits) { server in
                #expect(try await server.ask(request).status == 200)
                let refusal = try await server.ask(request)
                #expect(refusal.status == 429)
                #expect(refusal["retry-after"] != nil)
            }
        }
    }

    @Test("does not count this machine, unless a proxy forwards the request")
    func thisMachine() async throws {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
        configuration.limits.addressRate = CallRate(burst: 1, every: pause)
        configuration.trustedProxies = 1
        try await withServer(configuration) { server in
            let client = try server.client()
            for _ in 0..<3 {
                #expect(try await client.asking(RawRequest.post(RawRequest.query("{ hello }"))).status == 200)
            }
            for (chain, status) in [
                ("10.0.0.1", 200), ("10.0.0.2, 10.0.0.1", 429), ("10.0.0.1, 10.0.0.2", 200),
            ] {
                let request = RawRequest.post(
                    RawRequest.query("{ hello }"), fields: ["X-Forwarded-For: \(chain)"])
                #expect(try await client.asking(request).status == status)
            }
        }
    }

    @Test("of connections refuses those of one address above it")
    func connections() async throws {
        var limits = limits
        limits.connectionsPerAddress = 1
        try await withServer(limits: limits) { server in
            let first = try server.client()
            #expect(try await first.asking(RawRequest.get("/health/live")).status == 200)
            let refusal = try await server.client().response()
            #expect(refusal.status == 503)
            #expect(
                refusal.message
                    == "Too many connections are open from your address. Send many requests on one of them.")
        }
    }
}

@Suite("A client's address")
struct ClientAddressTests {
    @Test(
        "is parsed from its text forms",
        arguments: [
            ("127.0.0.1", ClientAddress.ipv4(0x7F00_0001)), ("::1", .ipv4(0x7F00_0001)),
            ("::ffff:10.1.2.3", .ipv4(0x0A01_0203)),
            ("2001:db8:1:2:3:4:5:6", .ipv6Network(0x2001_0DB8_0001_0002)),
        ])
    func reading(_ text: String, _ address: ClientAddress) {
        #expect(ClientAddress(text) == address)
    }

    @Test("is nil for other texts", arguments: ["", "unknown", "10.0.0.1:80", "1.2.3", "_hidden"])
    func misreading(_ text: String) {
        #expect(ClientAddress(text) == nil)
    }
}

@Suite("The client that trusted proxies name")
struct ForwardedClientTests {
    /// Header fields, and the client that they name; nil for none.
    struct Case: CustomTestStringConvertible, Sendable {
        let fields: [String]
        let proxies: Int
        let client: String?

        init(_ fields: String..., behind proxies: Int = 1, is client: String?) {
            (self.fields, self.proxies, self.client) = (fields, proxies, client)
        }

        var testDescription: String { "\(fields) behind \(proxies)" }

        static let all = forwardedFor + forwarded + several

        private static let forwardedFor = [
            Case("X-Forwarded-For: 1.1.1.1, 2.2.2.2,3.3.3.3", is: "3.3.3.3"),
            Case("X-Forwarded-For: 1.1.1.1, 2.2.2.2,3.3.3.3", behind: 3, is: "1.1.1.1"),
            Case("X-Forwarded-For: 1.1.1.1, 2.2.2.2,3.3.3.3", behind: 4, is: nil),
            Case("X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 2.2.2.2", behind: 2, is: "1.1.1.1"),
            Case("X-Forwarded-For: 1.1.1.1:4711", is: "1.1.1.1"), Case("X-Forwarded-For: 1.1.1.1:", is: nil),
            Case("X-Forwarded-For: 1.1.1.1:a", is: nil), Case("X-Forwarded-For: 1.1.1.1:123456", is: nil),
            Case("X-Forwarded-For: 2001:db8::1", is: "2001:db8::1"),
            Case("X-Forwarded-For: [2001:db8::1]", is: "2001:db8::1"),
            Case("X-Forwarded-For: [2001:db8::1]:4711", is: "2001:db8::1"),
            Case("X-Forwarded-For: [2001:db8::1]4711", is: nil),
            Case("X-Forwarded-For: [2001:db8::1", is: nil),
            Case("X-Forwarded-For: [1.1.1.1]", is: nil), Case("X-Forwarded-For: unknown", is: nil),
            Case("X-Forwarded-For: 1.1.1.1, unknown", is: nil), Case("X-Forwarded-For: 127.1", is: nil),
            Case("X-Forwarded-For:", is: nil), Case("X-Forwarded-For: 1.1.1.1, , 2.2.2.2, ", is: "2.2.2.2"),
            Case("Via: 1.1 proxy", is: nil),
        ]

        private static let forwarded = [
            Case("Forwarded: for=1.1.1.1", is: "1.1.1.1"),
            Case("Forwarded: For=\"1.1.1.1:4711\"", is: "1.1.1.1"),
            Case("Forwarded: for=\"[2001:db8::1]\"", is: "2001:db8::1"),
            Case("Forwarded: proto=https;for=\"[2001:db8::1]:4711\";by=2.2.2.2", is: "2001:db8::1"),
            Case("Forwarded: for=\"[2001:db8::1]:_port\"", is: "2001:db8::1"),
            Case("Forwarded: for=[2001:db8::1]:4711", is: "2001:db8::1"),
            Case("Forwarded: for=\"\\1.1.1.1\"", is: "1.1.1.1"),
            Case("Forwarded: for=1.1.1.1, for=2.2.2.2;proto=http", behind: 2, is: "1.1.1.1"),
            Case("Forwarded: for=1.1.1.1;host=\"a,b;c\" , ,for=2.2.2.2", behind: 2, is: "1.1.1.1"),
            Case("Forwarded: for=1.1.1.1", "Forwarded: for=2.2.2.2", is: "2.2.2.2"),
            Case("Forwarded: for=1.1.1.1", "Forwarded: for=2.2.2.2", behind: 3, is: nil),
            Case("Forwarded: for=unknown", is: nil), Case("Forwarded: for=_hidden", is: nil),
            Case("Forwarded: proto=https", is: nil), Case("Forwarded: for=1.1.1.1, proto=https", is: nil),
            Case("Forwarded: for=1.1.1.1;for=2.2.2.2", is: nil),
            // What a client sends cannot hide what the proxy appends.
            Case("Forwarded: for=\"1.1.1.1", "Forwarded: for=2.2.2.2", is: nil),
            Case("Forwarded: for=\"1.1.1.1", "Forwarded: for=\"[2001:db8::1]\"", is: nil),
            Case("Forwarded: for=1.1.1.1\\", "Forwarded: for=2.2.2.2", is: nil),
        ]

        private static let several = [
            Case("X-Real-IP: 1.1.1.1", is: "1.1.1.1"), Case("X-Real-IP: [2001:db8::1]:1", is: "2001:db8::1"),
            Case("X-Real-IP: 1.1.1.1", behind: 2, is: nil), Case("X-Real-IP: localhost", is: nil),
            Case("X-Forwarded-For: 1.1.1.1", "X-Real-IP: 1.1.1.1", "Forwarded: for=1.1.1.1", is: "1.1.1.1"),
            Case("X-Forwarded-For: 1.1.1.1, 2.2.2.2", "X-Real-IP: 2.2.2.2", behind: 2, is: "1.1.1.1"),
            Case("X-Forwarded-For: 1.1.1.1, 2.2.2.2", "Forwarded: for=1.1.1.1", behind: 2, is: "1.1.1.1"),
            // One of them is the client's own.
            Case("X-Forwarded-For: 1.1.1.1", "Forwarded: for=2.2.2.2", is: nil),
            Case("X-Forwarded-For: 1.1.1.1", "X-Real-IP: 2.2.2.2", is: nil),
            Case("X-Forwarded-For: unknown", "X-Real-IP: 2.2.2.2", is: nil),
        ]
    }

    @Test(
        "is the one of the outermost trusted proxy; nil without an address that can be read",
        arguments: Case.all)
    func client(_ forwarded: Case) throws {
        let head = try head(forwarded.fields)
        #expect(
            head.fields.forwardedClient(proxies: forwarded.proxies)
                == forwarded.client.flatMap { ClientAddress($0) })
    }

    @Test(
        "is not this machine, also with an address of its loopback",
        arguments: ["127.0.0.1", "127.0.0.1:80", "::1", "::ffff:127.0.0.1"])
    func loopback(_ address: String) throws {
        let head = try head(["X-Forwarded-For: \(address)"])
        #expect(head.fields.forwardedClient(proxies: 1) == .localIntermediary)
    }

    /// The head of a request, as the server's parser reads it.
    private func head(_ fields: [String]) throws -> RequestHead {
        var parser = RequestParser(ServerLimits())
        parser.receive(
            ByteBuffer(
                string: (["GET / HTTP/1.1", "Host: a"] + fields + ["", ""]).joined(separator: "\r\n")))
        guard case .head(let head)? = parser.next() else { throw Malformed() }
        return head
    }

    private struct Malformed: Error {}
}

@Suite("A rate limiter that replicas share")
struct SharedRateLimiterTests {
    private let start = ContinuousClock.now
    private let limit = CallRate(burst: 4, every: .milliseconds(500))

    @Test("returns what each key spent since the last merge, without refused requests")
    func spent() {
        let limiter = RateLimiter<String>(limit, capacity: 10, isShared: true)
        for _ in 0..<5 { _ = limiter.consume("a", now: start) }
        _ = limiter.consume("b", now: start)
        #expect(limiter.takeSpent() == ["a": .seconds(2), "b": .milliseconds(500)])
        #expect(limiter.takeSpent().isEmpty)
        _ = limiter.consume("b", now: start)
        #expect(limiter.takeSpent() == ["b": .milliseconds(500)])
    }

    @Test("records nothing if it is not shared")
    func notShared() {
        let limiter = RateLimiter<String>(limit, capacity: 10)
        _ = limiter.consume("a", now: start)
        #expect(limiter.takeSpent().isEmpty)
    }

    @Test("takes the later of both times, up to a full burst, and only for keys that it knows")
    func merge() {
        let limiter = RateLimiter<String>(limit, capacity: 10, isShared: true)
        _ = limiter.consume("a", now: start)
        // Spent at another replica: three requests.
        limiter.merge(["a": .seconds(2), "b": .seconds(2)], now: start)
        #expect(limiter.consume("a", now: start) == .milliseconds(500))
        #expect(limiter.consume("b", now: start) == nil)
        limiter.merge(["a": .milliseconds(500)], now: start)
        #expect(limiter.consume("a", now: start) == .milliseconds(500))
        limiter.merge(["a": .seconds(3_600)], now: start)
        #expect(limiter.consume("a", now: start) == .milliseconds(500))
        #expect(limiter.consume("a", now: start + .milliseconds(500)) == nil)
    }

    @Test("two replicas together admit a burst each, then the rate of one limit")
    func together() {
        let replicas = [
            RateLimiter<String>(limit, capacity: 10, isShared: true),
            RateLimiter<String>(limit, capacity: 10, isShared: true),
        ]
        var (admitted, full, now) = (0, start, start)
        // Ten seconds with a merge each quarter, which is done here as Redis does it.
        for _ in 0..<40 {
            for replica in replicas {
                for _ in 0..<10 where replica.consume("a", now: now) == nil { admitted += 1 }
            }
            for replica in replicas {
                full = max(full, now) + (replica.takeSpent()["a"] ?? .zero)
            }
            for replica in replicas { replica.merge(["a": now.duration(to: full)], now: now) }
            now = now + .milliseconds(250)
        }
        // Two bursts of 4, and 2 per second.
        #expect((16...28).contains(admitted), "\(admitted)")
    }

    @Test("divides rate and burst among replicas that cannot merge, and admits single requests")
    func divided() {
        let limiter = RateLimiter<String>(limit, capacity: 10, isShared: true)
        limiter.divide(among: 2)
        for _ in 0..<2 { #expect(limiter.consume("a", now: start) == nil) }
        #expect(limiter.consume("a", now: start) == .seconds(1))
        limiter.divide(among: 100)
        #expect(limiter.consume("b", now: start) == nil)
        #expect(limiter.consume("b", now: start) == .seconds(2))
        limiter.divide(among: 1)
        for _ in 0..<4 { #expect(limiter.consume("c", now: start) == nil) }
        #expect(limiter.consume("c", now: start) == .milliseconds(500))
    }
}
