import Brokerage
import GraphQL
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("Errors")
struct FailureTests {
    @Test("have the codes of the schema, and no other")
    func codes() throws {
        #expect(try PublicSchema.values(of: "ErrorCode") == ErrorCode.allCases.map(\.rawValue))
    }

    private static let later = Instant("2026-11-20T16:05:00Z")

    static let causes: [(ProviderFailure.Cause, ErrorCode)] = [
        (.unavailable, .providerUnavailable), (.timedOut, .providerTimeout),
        (.invalidResponse(nil), .providerResponseInvalid), (.unauthorized, .reconnectRequired),
        (.notEntitled, .notEntitled), (.notFound, .notFound), (.rateLimited(retryAt: later), .quotaExhausted),
        (.rateLimited(retryAt: nil), .quotaExhausted), (.quotaExhausted(retryAt: later), .quotaExhausted),
        (.unsupported, .unsupported), (.overloaded, .providerUnavailable), (.cancelled, .providerUnavailable),
        (.tooMany(.watchlists, limit: 100), .providerResponseInvalid),
    ]

    @Test("of a provider have its name, a code, and the retry time if it is known", arguments: causes)
    func cause(_ cause: ProviderFailure.Cause, code: ErrorCode) {
        let error = FieldError(ProviderFailure(.alphaVantage, cause))
        #expect(error.code == code)
        #expect(error.message.contains("alpha-vantage"))
        #expect(error.extensions["code"] == .string(code.rawValue))
        #expect(error.extensions["provider"] == .string("alpha-vantage"))
        #expect(error.isOverload == (cause == .overloaded))
        #expect(error.extensions["retryAt"] == cause.retryAt.map { .string($0.dateTime) })
    }

    @Test(
        "of a provider that has more than Portico reads name what it has too many of, and the remedy",
        arguments: [
            (ProviderFailure.Excess.watchlists, "watchlists", "Delete watchlists at the broker."),
            (.pagesOfCharts, "pages of charts", "Request fewer symbols, or a shorter period."),
            (.pagesOfCorporateActions, "pages of corporate actions", "Request fewer symbols."),
        ])
    func excess(_ items: ProviderFailure.Excess, _ name: String, _ remedy: String) {
        let error = FieldError(ProviderFailure(.alpaca, .tooMany(items, limit: 25)))
        #expect(
            error.message == "alpaca has more than 25 \(name), the most that Portico reads. \(remedy)")
        #expect(error.retryAt == nil)
        #expect(!error.isOverload)
    }

    @Test("of the part of a quota for clients without a session name this limit, and the remedy")
    func sharedQuota() {
        let error = FieldError(ProviderFailure(.polygon, .notAllowed(.sharedQuota(retryAt: Self.later))))
        #expect(
            error.message
                == """
                All clients without a session, or with a guest session, have used up their part of the quota of \
                polygon: wait, or sign in.
                """)
        #expect(
            error.extensions
                == [
                    "code": .string("QUOTA_EXHAUSTED"), "provider": .string("polygon"),
                    "retryAt": .string("2026-11-20T16:05:00.000Z"),
                ])
    }

    /// A field whose arguments Portico refuses, the argument, and the reason.
    static let arguments: [(field: String, argument: String, reason: String)] = [
        (
            "quotes(symbols: [\((0..<201).map { "\"A\($0)\"" }.joined(separator: ","))]) { price }",
            "symbols",
            "It has 201 entries; at most 200 are allowed."
        ),
        (
            "nodes(ids: [\((0..<101).map { "\"A\($0)\"" }.joined(separator: ","))]) { id }", "ids",
            "It has 101 entries; at most 100 are allowed."
        ),
        (
            #"instrument(symbol: "A B") { name }"#, "symbol",
            """
            "A B" is not a symbol: a symbol has 1 to 32 letters, digits and the characters . - / : = ^ _ + &; did you \
            mean A.B?
            """
        ),
        (#"search(text: "ko", first: 51) { matchScore }"#, "first", "It is 51; it takes 1 to 50."),
        (#"search(text: " ") { matchScore }"#, "text", "It is empty."),
        (
            "search(text: \"\(String(repeating: "é", count: 101))\") { matchScore }", "text",
            "It has 101 characters; at most 100 are allowed."
        ),
        (#"search(text: "k\u0000o") { matchScore }"#, "text", "It contains a control character."),
        (
            #"node(id: "Order:a\u0000b") { id }"#, "id",
            "It contains the character U+0000. Remove this character."
        ),
        (
            #"activities(accountIds: ["Account:a\u0000b"]) { nodes { id } }"#, "accountIds[0]",
            "It contains the character U+0000. Remove this character."
        ),
        (#"chart(symbol: "KO", last: 0) { symbol }"#, "last", "It is 0; it takes 1 to \(ChartWindow.limit)."),
        (
            #"chart(symbol: "KO", from: "2026-11-20T00:00:00Z", to: "2026-11-20T00:00:00Z") { symbol }"#,
            "from", "It is 2026-11-20T00:00:00Z, which is not before `to`, 2026-11-20T00:00:00Z."
        ),
        (
            #"news(after: "bm8=") { nodes { id } }"#, "after",
            #""bm8=" is not a cursor of this list. Use the `endCursor` of the page before as `after`."#
        ),
        (
            "news(first: 0) { nodes { id } }", "first",
            "It is 0; it takes 1 to \(ArticleConnectionPage.maximumArticles)."
        ),
        (
            "orders(first: 101) { nodes { id } }", "first",
            "It is 101; it takes 1 to \(OrderFilter.maximumOrders)."
        ),
        (
            #"orders(after: "bm8=") { nodes { id } }"#, "after",
            #""bm8=" is not a cursor of this list. Use the `endCursor` of the page before as `after`."#
        ),
        (
            #"portfolio(currency: "usd") { currency }"#, "currency",
            #""usd" is not a currency. Use a code of ISO 4217, such as USD."#
        ),
        (
            #"goalsProgress(currency: "usd") { currency }"#, "currency",
            #""usd" is not a currency. Use a code of ISO 4217, such as USD."#
        ),
    ]

    @Test("of an argument name it, in the message and in the extensions", arguments: arguments)
    func argument(_ expected: (field: String, argument: String, reason: String)) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask("{ it: \(expected.field) }", as: alice, backends)
            #expect(answer.failures.map(\.path) == ["it"], "\(answer)")
            let error = answer["errors"]?[0]
            #expect(error?["message"]?.string == "Argument \"\(expected.argument)\": \(expected.reason)")
            #expect(error?["extensions"]?["code"] == "BAD_USER_INPUT")
            #expect(error?["extensions"]?["argument"]?.string == expected.argument)
            #expect(gateway.calls.isEmpty)
        }
    }

    @Test("of a text that the database cannot store have BAD_USER_INPUT, unlike those of another statement")
    func refusedStatement() throws {
        let error = try #require(FieldError(expected: .refused(path: "the database", state: "22021")))
        #expect(error.code == .badUserInput)
        #expect(
            error.message
                == "A text contains the character U+0000, which the database cannot store; nothing was changed. Remove this character."
        )
        #expect(FieldError(expected: .refused(path: "the database", state: "42P01")) == nil)
        #expect(FieldError(expected: .damaged(path: "the database")) == nil)
    }

    @Test(
        "of a database that cannot be written have STORAGE_UNAVAILABLE, and say whether the change may be stored",
        arguments: [
            (
                StorageError.full(path: "the database"),
                "The database of users is not available; nothing was changed. Try again later."
            ),
            (
                .file(path: "the database", reason: "SQLite may not write there"),
                "The database of users is not available; nothing was changed. Try again later."
            ),
            (
                .busy(path: "the database"),
                "The database of users is not available; nothing was changed. Try again later."
            ),
            (
                .inputOutput(path: "the database", code: 778),
                """
                The database of users did not respond. The change may have been stored: read the object before you \
                try again.
                """
            ),
        ])
    func unwritable(_ failure: StorageError, _ message: String) throws {
        let error = try #require(FieldError(expected: failure))
        #expect(error.code == .storageUnavailable)
        #expect(error.message == message)
        #expect(error.retryAt != nil)
    }

    @Test("a search takes 100 characters, whatever their length in bytes")
    func longSearch() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let text = String(repeating: "𝄞", count: 100)
            let answer = try await gateway.ask(
                "{ search(text: \"\(text)\") { matchScore } }", as: alice, backends)
            #expect(answer["data"]?["search"] == .array([]), "\(answer)")
        }
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
        (.malformedBody, .providerResponseInvalid), (.duplicateKey, .providerResponseInvalid),
        (.truncatedBody, .providerUnavailable),
        (.closedConnection, .providerUnavailable), (.expiredToken, .reconnectRequired),
    ]

    @Test("leave null at the innermost field, name it, and are not cached", arguments: places, effects)
    func place(_ place: (endpoint: String, query: String, path: String), _ fault: (Fault.Effect, ErrorCode))
        async throws
    {
        // The first object of a list is a row, which is unreadable alone (UnreadableRowTests).
        if fault.0 == .duplicateKey, place.endpoint == "GET /v2/positions" { return }
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
        "of a provider that does not respond arrive at the deadline of the operation; other values are returned",
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

    @Test("without a session are at each private field, without a call")
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

    @Test("do not include the account of a user without connections")
    func nothingConnected() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                "{ account { id } accounts { id } positions { id } }", as: bob, backends)
            #expect(
                answer == (try JSONValue(parsing: #"{"data":{"account":null,"accounts":[],"positions":[]}}"#))
            )
            let sums = ["totalValue", "knownValue", "cash", "dayChange", "unrealizedProfitLoss"]
            let portfolio = try await gateway.data(
                "{ portfolio { \(sums.joined(separator: " ")) } }", as: bob, backends)["portfolio"]
            for sum in sums { #expect(portfolio?[sum] == .null, "\(sum)") }
            #expect(gateway.calls.isEmpty)
        }
    }
}
