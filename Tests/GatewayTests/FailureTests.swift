import Brokerage
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("Failures")
struct FailureTests {
    @Test("have the codes that the schema lists, and no other")
    func codes() throws {
        #expect(try PublicSchema.values(of: "ErrorCode") == ErrorCode.allCases.map(\.rawValue))
    }

    private static let later = Instant("2026-11-20T16:05:00Z")

    static let causes: [(ProviderFailure.Cause, ErrorCode)] = [
        (.unavailable, .providerUnavailable), (.timedOut, .providerTimeout),
        (.answerInvalid(nil), .providerAnswerInvalid), (.unauthorized, .reconnectRequired),
        (.notEntitled, .notEntitled), (.notFound, .notFound), (.rateLimited(retryAt: later), .quotaExhausted),
        (.rateLimited(retryAt: nil), .quotaExhausted), (.quotaExhausted(retryAt: later), .quotaExhausted),
        (.unsupported, .unsupported), (.overloaded, .providerUnavailable), (.cancelled, .providerUnavailable),
    ]

    @Test("of a provider say its name, a code, and when to come again where it told", arguments: causes)
    func cause(_ cause: ProviderFailure.Cause, code: ErrorCode) {
        let error = FieldError(ProviderFailure(.alphaVantage, cause))
        #expect(error.code == code)
        #expect(error.message.contains("ALPHA_VANTAGE"))
        #expect(error.extensions["code"] == .string(code.rawValue))
        #expect(error.extensions["provider"] == .string("ALPHA_VANTAGE"))
        #expect(error.extensions["retryAt"] == cause.retryAt.map { .string($0.description) })
    }

    static let places = [
        ("GET /v2/account", "{ account { equity } }", "account"),
        ("GET /v2/account", "{ accounts { equity } }", "accounts.0"),
        ("GET /v2/positions", "{ positions { symbol } }", "positions.0"),
        ("GET /v2/positions", "{ account { positions { symbol } } }", "account.positions"),
        ("GET /v2/account/portfolio/history", "{ account { history { baseValue } } }", "account.history"),
        ("GET /v2/stocks/snapshots", "{ quotes(symbols: [\"KO\"]) { price } }", "quotes.0"),
        (
            "GET /v2/stocks/snapshots", "{ positions(symbols: [\"KO\"]) { quote { price } } }",
            "positions.0.quote"
        ),
    ]

    static let effects: [(Fault.Effect, ErrorCode)] = [
        (.status(500), .providerUnavailable), (.status(504), .providerTimeout), (.status(403), .notEntitled),
        (.status(429), .quotaExhausted), (.status(404), .notFound), (.status(422), .unsupported),
        (.malformedBody, .providerAnswerInvalid), (.truncatedBody, .providerUnavailable),
        (.closedConnection, .providerUnavailable), (.expiredToken, .reconnectRequired),
    ]

    @Test("leave null at the smallest place, name it, and are not kept", arguments: places, effects)
    func place(_ place: (endpoint: String, query: String, path: String), _ fault: (Fault.Effect, ErrorCode))
        async throws
    {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            #expect(gateway.sandbox.faults.add(Fault(fault.0, endpoint: place.endpoint)))
            let failed = try await gateway.ask(place.query, as: alice, backends)
            #expect(failed.failures == [FieldFailure(place.path, fault.1.rawValue)], "\(failed)")
            #expect(failed.nulls == [place.path])
            gateway.sandbox.faults.reset()
            // Except for an unknown symbol: a broker's response is cached for five minutes.
            if fault.1 == .notFound, place.endpoint == "GET /v2/stocks/snapshots" {
                gateway.clock.advance(by: .seconds(300))
            }
            let healthy = try await gateway.ask(place.query, as: alice, backends)
            #expect(healthy.failures.isEmpty, "\(healthy)")
        }
    }

    @Test(
        "of a provider that hangs come at the deadline of the operation; what has come by then stands",
        .timeLimit(.minutes(10)))
    func deadline() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            // In memory, so that no load of the machine keeps it from being there in time.
            _ = try await gateway.ask("{ account { number } }", as: alice, backends)
            #expect(gateway.sandbox.faults.add(Fault(.hang, endpoint: "GET /v2/positions")))
            let clock = ContinuousClock()
            let start = clock.now
            let answer = try await gateway.ask(
                "{ account { number } positions { symbol } }", as: alice, backends, within: .seconds(2))
            #expect(answer["data"]?["account"]?["number"] == "PA3SANDBOX1")
            #expect(answer.failures == [FieldFailure("positions.0", "PROVIDER_TIMEOUT")])
            // Not before; and nothing else would have ended the call within the hour.
            #expect(clock.now - start >= .seconds(2))
        }
    }

    @Test("without a session, private fields fail one by one and call nobody")
    func unauthenticated() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                "{ account { id } accounts { id } positions { id } quotes(symbols: [\"KO\"]) { symbol } }",
                as: nil,
                backends)
            #expect(
                answer.failures
                    == ["account", "accounts", "positions"].map { FieldFailure($0, "UNAUTHENTICATED", nil) })
            #expect(answer["data"]?["quotes"]?[0]?["symbol"] == "KO")
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
        }
    }

    @Test("a user without connections has no account, which is no failure")
    func nothingConnected() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                "{ account { id } accounts { id } positions { id } }", as: bob, backends)
            #expect(
                answer == (try JSONValue(parsing: #"{"data":{"account":null,"accounts":[],"positions":[]}}"#))
            )
            #expect(gateway.calls.isEmpty)
        }
    }
}
