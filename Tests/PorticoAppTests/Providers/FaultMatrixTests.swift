import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Every fault of every provider")
struct FaultMatrixTests {
    /// A field that only this provider may answer.
    struct Question: Sendable, CustomTestStringConvertible {
        let provider: ProviderID
        let field: String

        init(_ provider: ProviderID, _ field: String) {
            self.provider = provider
            self.field = field
        }

        var testDescription: String { "\(provider.name.text): \(field)" }
    }

    static let questions = [
        Question(.alpaca, "quote(symbol: \"KO\", provider: \"alpaca\") { price }"),
        Question(.alphaVantage, "quote(symbol: \"KO\", provider: \"alpha-vantage\") { price }"),
        Question(.yahoo, "quote(symbol: \"KO\", provider: \"yahoo\") { price }"),
        Question(.yahoo, "chart(symbol: \"KO\", last: 5, provider: \"yahoo\") { columns { close } }"),
        Question(.polygon, "chart(symbol: \"KO\", last: 5, provider: \"polygon\") { columns { close } }"),
        Question(.polygon, "news(first: 1, provider: \"polygon\") { nodes { headline } }"),
        Question(.saxo, "quote(symbol: \"KO\", provider: \"saxo\") { price }"),
        Question(.saxo, "account(provider: \"saxo\") { cash }"),
        Question(.alpaca, "account(provider: \"alpaca\") { equity }"),
        Question(.alpaca, "chart(symbol: \"KO\", last: 5, provider: \"alpaca\") { columns { close } }"),
    ]

    /// A fault, what a client is told of it, and after how many seconds it may come again where that is known.
    static let faults: [(effect: Fault.Effect, code: String, retryAfter: Int?)] = [
        (.status(500), "PROVIDER_UNAVAILABLE", nil),
        (.status(503), "PROVIDER_UNAVAILABLE", nil),
        (.status(429, retryAfter: 30), "QUOTA_EXHAUSTED", 30),
        (.malformedBody, "PROVIDER_RESPONSE_INVALID", nil),
        (.duplicateKey, "PROVIDER_RESPONSE_INVALID", nil),
        (.truncatedBody, "PROVIDER_UNAVAILABLE", nil),
        (.closedConnection, "PROVIDER_UNAVAILABLE", nil),
        (.expiredToken, "RECONNECT_REQUIRED", nil),
    ]

    /// Yahoo has no user who could connect again: it refuses the server.
    private func code(_ code: String, of provider: ProviderID) -> String {
        provider == .yahoo && code == "RECONNECT_REQUIRED" ? "NOT_ENTITLED" : code
    }

    /// Alpha Vantage refuses under status 200, in words that speak of a second.
    private func retry(_ seconds: Int?, of provider: ProviderID) -> Int? {
        provider == .alphaVantage ? seconds.map { _ in 1 } : seconds
    }

    /// What another provider answers all the while.
    private func bystander(of provider: ProviderID) -> String {
        "bystander: instrument(symbol: \"IBM\", provider: \"\(provider == .alpaca ? "alpha-vantage" : "alpaca")\") { name }"
    }

    private func query(_ question: Question) -> String {
        "{ faulty: \(question.field) \(bystander(of: question.provider)) }"
    }

    @Test(
        "leaves null with code and provider, other values are returned, and no error is cached",
        arguments: questions, faults)
    func fault(
        _ question: Question, _ fault: (effect: Fault.Effect, code: String, retryAfter: Int?)
    ) async throws {
        try await withTestGateway { configuration in
            // Calls that a slow machine delays unevenly may come within one second, though they were sent a second apart.
            configuration.alphaVantage.burstInterval = nil
        } _: { gateway in
            #expect(gateway.sandbox.faults.add(Fault(fault.effect, provider: question.provider)))
            let begin = gateway.clock.now
            let failed = try await gateway.ask(query(question))
            #expect(
                failed.failures == [
                    FieldFailure(
                        "faulty", code(fault.code, of: question.provider), question.provider.name.text)
                ],
                "\(failed)")
            #expect(failed.nulls == ["faulty"])
            #expect(failed["data"]?["bystander"]?["name"]?.string != nil)
            try expectRetry(failed, after: retry(fault.retryAfter, of: question.provider), from: begin)
            gateway.sandbox.faults.reset()
            // Past what a refusal said; after all else it is asked at once.
            if fault.retryAfter != nil { gateway.clock.advance(by: .seconds(60)) }
            let healthy = try await gateway.ask(query(question))
            #expect(healthy.failures.isEmpty, "\(healthy)")
            #expect(healthy.nulls.isEmpty)
        }
    }

    private func expectRetry(_ answer: JSONValue, after seconds: Int?, from begin: Instant) throws {
        let told = answer["errors"]?[0]?["extensions"]?["retryAt"]?.string
        guard let seconds else { return }
        let retryAt = try #require(told.flatMap { Instant($0) }, "\(answer)")
        #expect(retryAt.duration(since: begin) >= .seconds(seconds), "\(answer)")
    }

    @Test(
        "without a response ends at the operation's deadline, and other values are returned",
        arguments: questions)
    func hang(_ question: Question) async throws {
        try await withTestGateway { gateway in
            // In memory, so that no load of the machine keeps it from being there in time.
            _ = try await gateway.ask("{ \(bystander(of: question.provider)) }")
            #expect(gateway.sandbox.faults.add(Fault(.hang, provider: question.provider)))
            let clock = ContinuousClock()
            let start = clock.now
            let failed = try await gateway.ask(query(question), within: .seconds(2))
            #expect(
                failed.failures == [FieldFailure("faulty", "PROVIDER_TIMEOUT", question.provider.name.text)],
                "\(failed)")
            #expect(failed.nulls == ["faulty"])
            // Not before, and nothing else would have ended the call within the hour.
            #expect(clock.now - start >= .seconds(2))
            #expect(clock.now - start < .seconds(60))
        }
    }

    @Test("without a response leaves time for the next provider of the route", .timeLimit(.minutes(10)))
    func route() async throws {
        try await withTestGateway { gateway in
            // Saxo has looked the symbol up before, so that a slow machine needs no more than one call of it.
            _ = try await gateway.ask("{ quote(symbol: \"AAPL\", provider: \"saxo\") { price } }")
            #expect(gateway.sandbox.faults.add(Fault(.hang, provider: .alpaca)))
            let answer = try await gateway.ask(
                "{ quote(symbol: \"AAPL\") { price source } }", within: .seconds(40))
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(answer["data"]?["quote"]?["source"] == "saxo")
        }
    }

    @Test("that is slow changes nothing before the deadline", arguments: questions)
    func latency(_ question: Question) async throws {
        try await withTestGateway { gateway in
            #expect(
                gateway.sandbox.faults.add(Fault(.latency(.milliseconds(200)), provider: question.provider)))
            let answer = try await gateway.ask(query(question))
            #expect(answer.failures.isEmpty, "\(answer)")
        }
    }
}
