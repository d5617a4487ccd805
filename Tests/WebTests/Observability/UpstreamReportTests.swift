import Foundation
import GraphQL
import TestSupport
import Testing
import Web

@Suite("The report of upstream calls")
struct UpstreamReportTests {
    private static let field = "Portico-Upstream: true"

    /// A service with two upstream calls for each response, the later one recorded first.
    private static func service() -> TestGraphQLService {
        var service = TestService.make()
        let respond = service.respond
        service.respond = { request, context in
            if let log = context.upstreamLog { Self.note(in: log) }
            return respond(request, context)
        }
        service.prepare = { request in
            PreparedRequest(
                unprepared: request,
                cachePolicy: request.document == "{ hello }" ? CachePolicy(maxAge: 60) : nil)
        }
        service.audience = { _ in ["everyone"] }
        return service
    }

    private static func note(in log: UpstreamLog) {
        log.record(
            UpstreamCall(
                provider: "saxo", call: "quotes", outcome: .failed, start: log.start + .microseconds(1_500),
                duration: .milliseconds(2), status: 503, attempts: 3))
        log.record(
            UpstreamCall(
                provider: "alpaca", call: "positions", outcome: .cached,
                start: log.start + .microseconds(1_020)))
    }

    /// A service whose streams make two calls before their first response.
    private static func live() throws -> TestGraphQLService {
        var service = try LiveService.make()
        let subscribe = service.subscribe
        service.subscribe = { request, context in
            if let log = context.upstreamLog { Self.note(in: log) }
            return await subscribe(request, context)
        }
        return service
    }

    private static let told: JSONValue = .array([
        .object([
            "provider": "alpaca", "call": "positions", "startMs": .number(Decimal(102) / 100),
            "durationMs": 0, "outcome": "CACHED", "status": .null, "attempts": 0,
        ]),
        .object([
            "provider": "saxo", "call": "quotes", "startMs": .number(Decimal(15) / 10), "durationMs": 2,
            "outcome": "FAILED", "status": 503, "attempts": 3,
        ]),
    ])

    @Test("is returned on request, in the order of the calls, in milliseconds from the operation's start")
    func told() async throws {
        try await withServer(Self.service()) { server in
            let body = RawRequest.query("{ session }")
            let answer = try await server.ask(RawRequest.post(body, fields: [Self.field]))
            let json = try JSONValue(parsing: answer.body)
            #expect(json["data"]?["session"] == "anonymous")
            let report = json["extensions"]?["portico"]
            #expect(report?["upstream"] == Self.told)
            #expect(try #require(report?["durationMs"]?.number) >= 0)
            #expect(report?.members?.count == 2)
            #expect(answer["cache-control"] == "no-store")
        }
    }

    @Test("is returned for each request of an array")
    func batch() async throws {
        var limits = ServerLimits.patient
        limits.batch = 2
        try await withServer(Self.service(), limits: limits) { server in
            let body = "[\(RawRequest.query("{ session }")),\(RawRequest.query("{ id }"))]"
            let answer = try await server.ask(RawRequest.post(body, fields: [Self.field]))
            let answers = try #require(JSONValue(parsing: answer.body).elements)
            #expect(answers.count == 2)
            for answer in answers { #expect(answer["extensions"]?["portico"]?["upstream"] == Self.told) }
        }
    }

    @Test("is returned with each response of a stream, with its calls")
    func stream() async throws {
        try await withServer(Self.live()) { server in
            let answer = try await server.ask(
                RawRequest.post(
                    RawRequest.query("subscription { count(to: 2) }"),
                    fields: [Self.field, "Accept: text/event-stream"]))
            let events = try answer.body.split(separator: "\n").filter { $0.hasPrefix("data: {") }
                .map { try JSONValue(parsing: String($0.dropFirst(6))) }
            #expect(events.map { $0["data"]?["count"] } == [1, 2])
            let reports = events.map { $0["extensions"]?["portico"] }
            #expect(reports.map { $0?["upstream"] } == [Self.told, .array([])])
            for report in reports { #expect(try #require(report?["durationMs"]?.number) >= 0) }
        }
    }

    /// A handshake and a first message, and whether they request the report.
    @Test(
        "is returned on a socket whose handshake or first message requests it",
        arguments: [
            ("Portico-Upstream: true\r\n", "null", true), ("", #"{"Portico-Upstream":true}"#, true),
            ("", #"{"portico-upstream":"True"}"#, true),
            ("", #"{"headers":{"Portico-Upstream":"true"}}"#, true),
            ("Portico-Upstream: yes\r\n", #"{"Portico-Upstream":false}"#, false),
            ("", #"{"headers":{"x":true},"Portico-Upstream":{}}"#, false),
        ])
    func socket(fields: String, payload: String, isTold: Bool) async throws {
        try await withServer(Self.live()) { server in
            let socket = try await SocketClient.open(server, SocketClient.handshake(fields: fields))
            try await socket.say(#"{"type":"connection_init","payload":\#(payload)}"#)
            #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
            try await socket.subscribe("a", "subscription { count(to: 2) }")
            for cost in [Self.told, JSONValue.array([])] {
                let response = try JSONValue(parsing: try await socket.next().text)["payload"]
                #expect(response?["data"]?["count"] != nil)
                #expect(response?["extensions"]?["portico"]?["upstream"] == (isTold ? cost : nil))
            }
            #expect(try await socket.next().text == #"{"id":"a","type":"complete"}"#)
            // A rejected operation has only errors, in the format of the protocol.
            try await socket.subscribe("a", "{ nothing }")
            let refusal = try JSONValue(parsing: try await socket.next().text)
            #expect(refusal["type"] == "error")
            #expect(refusal["payload"]?.elements?.count == 1)
        }
    }

    @Test("is not returned on a socket in production")
    func productionSocket() async throws {
        let configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient).inProduction
        try await withServer(configuration, Self.live()) { server in
            let socket = try await SocketClient.begin(server, payload: #"{"Portico-Upstream":true}"#)
            try await socket.subscribe("a", "{ hello }")
            #expect(
                try await socket.next().text
                    == #"{"id":"a","type":"next","payload":{"data":{"hello":"world"}}}"#)
        }
    }

    @Test(
        "is returned for the value true only",
        arguments: ["Portico-Upstream: yes", "X: true"])
    func unasked(_ field: String) async throws {
        try await withServer(Self.service()) { server in
            let answer = try await server.ask(
                RawRequest.post(RawRequest.query("{ session }"), fields: [field]))
            #expect(answer.body == #"{"data":{"session":"anonymous"}}"#)
        }
    }

    @Test("is not returned in production")
    func production() async throws {
        let configuration = ServerConfiguration(host: "127.0.0.1", port: 0).inProduction
        try await withServer(configuration, Self.service()) { server in
            let answer = try await server.ask(
                RawRequest.post(RawRequest.query("{ session }"), fields: [Self.field]))
            #expect(answer.body == #"{"data":{"session":"anonymous"}}"#)
        }
    }

    @Test("is not returned with a cached response, and a response with it is not cached")
    func answerCache() async throws {
        try await withServer(Self.service()) { server in
            let client = try server.client()
            let body = RawRequest.query("{ hello }")
            for _ in 0..<2 {
                let telling = try await client.asking(RawRequest.post(body, fields: [Self.field]))
                #expect(telling.body.contains("portico"))
                #expect(telling["age"] == nil)
            }
            let first = try await client.asking(RawRequest.post(body))
            #expect(first.body == #"{"data":{"hello":"world"}}"#)
            #expect(first["age"] == nil)
            #expect(try await client.asking(RawRequest.post(body))["age"] != nil)
            let telling = try await client.asking(RawRequest.post(body, fields: [Self.field]))
            #expect(telling.body.contains("portico"))
            #expect(telling["age"] == nil)
        }
    }

    @Test("may be requested by pages of other sites that may read responses")
    func preflight() async throws {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0)
        configuration.cors.origins = .any
        try await withServer(configuration) { server in
            let consent = try await server.ask(
                "OPTIONS /graphql HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example.com\r\n"
                    + "Access-Control-Request-Method: POST\r\n"
                    + "Access-Control-Request-Headers: portico-upstream\r\n\r\n")
            #expect(consent["access-control-allow-headers"]?.contains("portico-upstream") == true)
        }
    }

    @Test("is added to other extensions of a response")
    func cost() async throws {
        try await withServer(SmallSchema.service()) { server in
            let body = #"{"query":"{ hello }","extensions":{"cost":true}}"#
            let answer = try await server.ask(RawRequest.post(body, fields: [Self.field]))
            let json = try JSONValue(parsing: answer.body)
            #expect(json["data"]?["hello"] == "world")
            #expect(json["extensions"]?.members?.keys.sorted() == ["cost", "portico"])
            #expect(json["extensions"]?["portico"]?["upstream"]?.elements == [])
        }
    }

    @Test("is added to the errors of a request that cannot be run")
    func refusal() async throws {
        try await withServer(SmallSchema.service()) { server in
            let answer = try await server.ask(
                RawRequest.post(RawRequest.query("{ nothing }"), fields: [Self.field]))
            let json = try JSONValue(parsing: answer.body)
            #expect(json["errors"]?.elements?.count == 1)
            #expect(json["extensions"]?["portico"]?["upstream"]?.elements == [])
        }
    }

    @Test("starts again with each read, so that the log of a stream stays small")
    func taking() throws {
        let log = UpstreamLog()
        let end = log.start + .milliseconds(5)
        Self.note(in: log)
        let taken = log.drain(until: end)
        #expect(taken.entries.calls.count == 2)
        #expect(taken.use(until: end).calls == 1)
        #expect(log.entries.calls.isEmpty)
        #expect(log.start == end)
        let start = end + .milliseconds(1)
        Self.note(in: log)
        #expect(log.drain(until: start + .milliseconds(5), nextFrom: start).entries.calls.count == 2)
        #expect(log.start == start)
        #expect(log.entries.calls.isEmpty)
    }

    @Test("limits the number of listed calls")
    func bound() throws {
        let log = UpstreamLog()
        for number in 0..<300 {
            log.record(UpstreamCall(provider: "A", call: "\(number)", outcome: .cached, start: log.start))
        }
        let report = log.report(until: log.start)["portico"]
        let json = try JSONValue(parsing: #require(report).json)
        #expect(json["upstream"]?.elements?.count == 256)
        #expect(json["omitted"] == 44)
    }

    @Test(
        "has milliseconds with microseconds",
        arguments: [
            (Duration.zero, "0"), (.microseconds(1), "0.001"), (.microseconds(31_200), "31.2"),
            (.milliseconds(5), "5"), (.microseconds(1_020), "1.02"), (.nanoseconds(999), "0"),
            (.seconds(-1), "0"), (.seconds(3_600), "3600000"),
        ])
    func milliseconds(_ duration: Duration, _ text: String) {
        #expect(String(decoding: InputValue.milliseconds(duration).json, as: UTF8.self) == text)
    }

    /// Start and end of calls, the duration of the operation, and the time in which at least one call was
    /// active; in milliseconds.
    private static let uses: [([(Int, Int)], Int, Int)] = [
        ([], 10, 0), ([(0, 4)], 10, 4), ([(0, 4), (2, 6)], 10, 6), ([(2, 6), (0, 4)], 10, 6),
        ([(0, 9), (2, 3)], 10, 9), ([(0, 1), (3, 5)], 10, 3), ([(5, 50)], 10, 5), ([(-5, 3)], 10, 3),
    ]

    @Test("counts time with concurrent calls once", arguments: uses)
    func time(_ calls: [(Int, Int)], _ whole: Int, _ expected: Int) {
        let start = ContinuousClock.now
        let use = UpstreamUsage(
            of: calls.map { from, to in
                UpstreamCall(
                    provider: "A", call: "a", outcome: .fetched, start: start + .milliseconds(from),
                    duration: .milliseconds(to - from))
            }, from: start, until: start + .milliseconds(whole))
        #expect(use.time == .milliseconds(expected))
        #expect(use.calls == calls.count)
    }
}
