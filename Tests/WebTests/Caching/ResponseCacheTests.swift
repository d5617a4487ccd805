import GraphQL
import NIOCore
import TestSupport
import Testing
import Web

@Suite("The response cache")
struct ResponseCacheTests {
    /// A service that counts its calls, with a cache policy for some documents.
    private func service(_ asked: Counter) -> TestGraphQLService {
        var service = TestService.make()
        let respond = service.respond
        service.respond = { request, context in
            asked.increment()
            if request.operationName == "Late" { context.upstreamLog?.record(Self.staleRead) }
            return respond(request, context)
        }
        service.prepare = { request in
            let policy: CachePolicy? =
                switch request.document {
                case "{ hello }", "query Echo", "{ partial }": CachePolicy(maxAge: 60)
                case "{ session }": CachePolicy(maxAge: 60, isPrivate: true)
                case "{ name }": CachePolicy(maxAge: 0)
                default: nil
                }
            return PreparedRequest(unprepared: request, operationType: .query, cachePolicy: policy)
        }
        service.audience = { session in session == "somebody" ? ["subscribers"] : [] }
        return service
    }

    private static let staleRead = UpstreamCall(
        provider: "alpaca", call: "quotes", outcome: .stale, start: .now)

    @Test("reuses a response for its audience, with its age, unless the client demands a new one")
    func reuse() async throws {
        let asked = Counter()
        let request = RawRequest.query("{ hello }")
        try await withServer(service(asked)) { server in
            let client = try server.client()
            let first = try await client.asking(RawRequest.post(request))
            #expect(first["cache-control"] == "public, max-age=60")
            #expect(first["age"] == nil)
            let second = try await client.asking(RawRequest.post(request))
            #expect(second.body == first.body)
            #expect(second["age"].flatMap { Int($0) } != nil)
            #expect(asked.count == 1)
            #expect(second["cache-control"] == "public, max-age=60")
            // A shared cache must not store a response that depends on the user's connections (RFC 9111, section 3.5).
            for isReused in [false, true] {
                let own = try await client.asking(
                    RawRequest.post(request, fields: ["Authorization: Bearer good"]))
                #expect(own["cache-control"] == "private, max-age=60")
                #expect((own["age"] != nil) == isReused)
            }
            #expect(asked.count == 2)
            let fields = ["Cache-Control: no-cache", "Authorization: Bearer good"]
            _ = try await client.asking(RawRequest.post(request, fields: fields))
            #expect(asked.count == 3)
            // The directive has no effect for a client without a token.
            let anonymous = try await client.asking(
                RawRequest.post(request, fields: ["Cache-Control: no-cache"]))
            #expect(anonymous.body == first.body && anonymous["age"] != nil)
            #expect(asked.count == 3)
            // A client with an unknown token belongs to the audience of clients without a token.
            let refused = try await client.asking(
                RawRequest.post(request, fields: ["Authorization: Bearer bad"]))
            #expect(refused.body == first.body)
            #expect(asked.count == 3)
        }
    }

    @Test("has separate responses for other variables and operation names")
    func keys() async throws {
        let asked = Counter()
        try await withServer(service(asked)) { server in
            let client = try server.client()
            let bodies = [
                #"{"query":"query Echo","variables":{"a":1}}"#,
                #"{"query":"query Echo","variables":{"a":2}}"#,
                #"{"query":"query Echo","operationName":"Echo","variables":{"a":2}}"#,
            ]
            for _ in 0..<2 {
                for body in bodies { _ = try await client.asking(RawRequest.post(body)) }
            }
            #expect(asked.count == 3)
            let answer = try await client.asking(RawRequest.post(bodies[1]))
            #expect(answer.body == #"{"a":2}"#)
        }
    }

    @Test(
        "stores no response that is private, without an age, partial, expired, or with more than data",
        arguments: [
            (RawRequest.query("{ session }"), "private, max-age=60"),
            (RawRequest.query("{ name }"), "no-store"),
            (#"{"query":"{ hello }","operationName":"Late"}"#, "no-store"),
            (RawRequest.query("{ partial }"), "no-store"),
            (#"{"query":"{ hello }","extensions":{"cost":true}}"#, "public, max-age=60"),
            (RawRequest.query("{ id }"), nil),
        ])
    func anew(_ body: String, _ cacheControl: String?) async throws {
        let asked = Counter()
        try await withServer(service(asked)) { server in
            let client = try server.client()
            for _ in 0..<2 {
                #expect(try await client.asking(RawRequest.post(body))["cache-control"] == cacheControl)
            }
            #expect(asked.count == 2)
        }
    }

    @Test("counts the size of its document and its variables towards the limit")
    func weights() throws {
        let cache = ResponseCache(bytes: 1 << 20)
        let policy = CachePolicy(maxAge: 10)
        let response = GraphQLResponse(body: [1], outcome: .complete)
        func key(_ number: Int) throws -> ResponseCache.Key {
            let text = InputValue.string("\(number)\(String(repeating: "x", count: 100_000))")
            let request = GraphQLRequest("query Echo", variables: ["text": text])
            return try #require(
                ResponseCache.Key(PreparedRequest(unprepared: request), policy, audience: ["all"]))
        }
        for number in 0..<100 { cache.store(response, for: try key(number), policy, now: .now()) }
        #expect(cache.count <= 10)
        #expect(cache.response(for: try key(99), now: .now()) != nil)
    }

    @Test("differs for canonically equivalent variables, and is the same for undeclared ones")
    func realKeys() throws {
        let schema = try LiveService.schema()
        func key(_ text: String, _ others: InputObject = [:]) throws -> ResponseCache.Key {
            let request = GraphQLRequest(
                "query($text: String!) { echo(text: $text) }",
                variables: InputObject([(name: "text", value: .string(text))] + others.fields))
            return try #require(
                ResponseCache.Key(schema.prepare(request), CachePolicy(maxAge: 10), audience: ["all"]))
        }
        #expect(try key("\u{E9}") != key("e\u{301}"))
        #expect(try key("a") == key("a", ["undeclared": .string("b")]))
    }

    @Test("is removed when it expires, also without a look-up")
    func removal() throws {
        let cache = ResponseCache(bytes: 1 << 20)
        let policy = CachePolicy(maxAge: 10)
        let response = GraphQLResponse(body: [1], outcome: .complete)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        func keep(_ document: String, _ now: NIODeadline) throws {
            let request = PreparedRequest(unprepared: GraphQLRequest(document))
            let key = try #require(ResponseCache.Key(request, policy, audience: ["all"]))
            cache.store(response, for: key, policy, now: now)
        }
        for number in 0..<5 { try keep("{ a\(number) }", start) }
        #expect(cache.count == 5)
        try keep("{ b }", start + .seconds(11))
        #expect(cache.count == 1)
    }

    @Test("removes a response when its age is over")
    func age() throws {
        let cache = ResponseCache(bytes: 10_000)
        let policy = CachePolicy(maxAge: 10)
        let key = try #require(
            ResponseCache.Key(
                PreparedRequest(unprepared: GraphQLRequest("{ a }")), policy, audience: ["all"]))
        let response = GraphQLResponse(body: [1], outcome: .complete)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        cache.store(response, for: key, policy, now: start)
        #expect(cache.response(for: key, now: start + .seconds(9))?.age == 9)
        #expect(cache.response(for: key, now: start + .seconds(10)) == nil)
    }
}
