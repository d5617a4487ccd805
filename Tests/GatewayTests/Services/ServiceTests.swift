import Brokerage
import GraphQL
import Storage
import Testing
import Upstream

@testable import Gateway

// The services of topics without a suite of their own in the folder of the topic.

@Suite("The service of exchange rates")
struct ExchangeRateServiceTests {
    private func rates(
        _ pairs: [(String, String)], _ prices: [String: Brokerage.Decimal]
    ) async throws -> (rates: [Result<ExchangeRate?, any Error>], calls: Int) {
        let prices = try prices.map { (try #require(Symbol($0.key)), $0.value) }
        let source = FakeBroker(.yahoo, .init(prices: Dictionary(uniqueKeysWithValues: prices)))
        let service = ExchangeRateService(try requestScope(of: nil, market: [source]))
        let pairs = try pairs.map { CurrencyPair(from: try Currency($0.0), to: try Currency($0.1)) }
        return (try await service.rates(of: pairs).value(), source.calls["quotes"] ?? 0)
    }

    @Test("inverts the price of the pair that markets quote")
    func inverse() async throws {
        let (rates, calls) = try await rates([("USD", "EUR"), ("EUR", "USD")], ["EUR/USD": 2])
        #expect(try rates.map { try $0.get()?.rate } == [Brokerage.Decimal("0.5"), 2])
        #expect(calls == 1)
        // 1 ÷ 7, to 12 digits.
        let (inverse, _) = try await self.rates([("USD", "EUR")], ["EUR/USD": 7])
        #expect(try inverse.map { try $0.get()?.rate.description } == ["0.142857142857"])
    }

    @Test("requests the other direction only if no provider has the quoted one")
    func otherDirection() async throws {
        let (rates, calls) = try await rates([("EUR", "USD")], ["USD/EUR": 4])
        #expect(try rates.map { try $0.get()?.rate } == [Brokerage.Decimal("0.25")])
        #expect(calls == 2)
    }

    @Test("has no rate of a currency in itself, and an error for a pair without a price")
    func missing() async throws {
        let (rates, calls) = try await rates([("USD", "USD")], [:])
        #expect(try rates.map { try $0.get() == nil } == [true])
        #expect(calls == 0)
        let (unknown, _) = try await self.rates([("EUR", "CHF")], ["EUR/USD": 2])
        let error = FieldError(
            .noExchangeRate, "No provider that is configured has a rate of EUR in CHF now.")
        #expect(throws: error) { try unknown.first?.get() }
    }
}

@Suite("The service of instruments")
struct InstrumentServiceTests {
    private let sources: [FakeMarket]
    private let spy: Symbol

    init() throws {
        spy = try #require(Symbol("SPY"))
        sources = [FakeMarket(.alpaca, [.example: "Apple"]), FakeMarket(.yahoo, [spy: "Fund"])]
    }

    private func service() throws -> InstrumentService {
        InstrumentService(try requestScope(of: nil, sources: sources.map(\.source)))
    }

    @Test("finds a typed symbol, and what the first provider does not know at the next one")
    func route() async throws {
        let service = try service()
        #expect(try await service.instrument("aapl", from: nil).value()?.name == "Apple")
        let read = try await service.instruments(of: [spy, nil, .example]).value()
        #expect(try read.map { try $0.get()?.name } == ["Fund", nil, "Apple"])
        #expect(sources.map(\.calls) == [["instrument": 2], ["instrument": 1]])
    }

    @Test("names the argument of an invalid symbol, and the providers that do not know one")
    func failures() async throws {
        let service = try service()
        let invalid = #expect(throws: FieldError.self) { try service.instrument("A B", from: nil) }
        #expect(invalid?.argument == "symbol")
        #expect(invalid?.code == .badUserInput)
        let unknown = await #expect(throws: FieldError.self) {
            try await service.instrument("TSLA", from: nil).value()
        }
        #expect(unknown?.message == "None of alpaca, yahoo knows any symbol \"TSLA\".")
        let elsewhere = await #expect(throws: FieldError.self) {
            try await service.instrument("SPY", from: .alpaca).value()
        }
        #expect(elsewhere?.message == "alpaca knows no symbol \"SPY\".")
        #expect(elsewhere?.provider == .alpaca)
    }
}

@Suite("The service of charts")
struct ChartServiceTests {
    private let source: FakeMarket
    private let spy: Symbol

    init() throws {
        spy = try #require(Symbol("SPY"))
        source = FakeMarket(.alpaca, [.example: "Apple", spy: "Fund"])
    }

    private func service() throws -> ChartService {
        ChartService(try requestScope(of: nil, sources: [source.source]))
    }

    private func arguments(_ interval: Interval, _ adjustment: Adjustment? = nil) throws -> ChartArguments {
        try ChartArguments(
            interval: interval, range: nil, from: nil, to: nil, last: 5, adjustment: adjustment,
            isExtendedHours: nil, provider: nil)
    }

    @Test("reads all charts in one call, in the order of the symbols, with a failure for an unknown one")
    func order() async throws {
        let unknown = try #require(Symbol("TSLA"))
        let symbols = [spy, unknown, .example].map { Result<Symbol, FieldError>.success($0) }
        let charts = try await service().charts(of: symbols, arguments(.oneDay)).value() ?? []
        #expect(charts.map { try? $0.get().series.symbol } == [spy, nil, .example])
        #expect(throws: FieldError(.notFound, "alpaca knows no symbol \"TSLA\".", provider: .alpaca)) {
            try charts[1].get()
        }
        #expect(source.calls == ["charts": 1])
    }

    @Test(
        "does not call a provider that has no such charts",
        arguments: [
            (Interval.oneMinute, Adjustment?.none, "of \(Interval.oneMinute.rawValue)."),
            (
                .oneDay, .splits,
                "of \(Interval.oneDay.rawValue) with the adjustment \(Adjustment.splits.rawValue)."
            ),
        ])
    func unsupported(_ interval: Interval, _ adjustment: Adjustment?, _ end: String) async throws {
        let charts = try await service().charts(for: [spy], arguments(interval, adjustment)).value()
        let error = FieldError(.unsupported, "alpaca has no charts \(end)", provider: .alpaca)
        #expect(throws: error) { try charts.first?.get() }
        #expect(source.calls.isEmpty)
    }

    @Test("refuses more symbols than one request may have")
    func limit() throws {
        let symbols = Array(repeating: Result<Symbol, FieldError>.success(spy), count: 51)
        let error = FieldError.argument("symbols", "It has 51 entries; at most 50 are allowed.")
        #expect(throws: error) { try service().charts(of: symbols, arguments(.oneDay)) }
    }
}

@Suite("The service of news")
struct NewsServiceTests {
    private let source = FakeMarket(.alpaca, headlines: ["a", "b", "c"])

    private func service() throws -> NewsService {
        NewsService(try requestScope(of: nil, sources: [source.source, FakeMarket(.yahoo).source]))
    }

    private func arguments(
        _ first: Int, after cursor: String? = nil, from provider: ProviderID? = nil
    ) -> NewsArguments {
        NewsArguments(
            symbols: nil, page: PageArguments(first: first, after: cursor), provider: provider)
    }

    @Test("continues behind a cursor, over the pages of one provider, which are read once")
    func pages() async throws {
        let service = try service()
        var cursor: String?
        for (headline, hasNext) in [("a", true), ("b", true), ("c", false)] {
            let page = try await service.news(arguments(1, after: cursor), about: nil).value()
            #expect(try page?.entries.map { try $0.get().article.headline } == [headline])
            #expect(page?.hasNext == hasNext)
            cursor = page?.end
        }
        #expect(source.calls == ["news": 2])
    }

    @Test("refuses a number out of range, and the cursor of another provider, without a call")
    func failures() throws {
        let service = try service()
        #expect(throws: FieldError.argument("first", "It is 0; it takes 1 to 100.")) {
            try service.news(arguments(0), about: nil)
        }
        let cursor = NewsCursor(list: "*", provider: .alpaca, offset: 1, page: nil).text
        #expect(throws: FieldError.argument("after", "It is a cursor of alpaca, not of yahoo.")) {
            try service.news(arguments(1, after: cursor, from: .yahoo), about: nil)
        }
        #expect(source.calls.isEmpty)
    }
}

@Suite("The service of watchlists")
struct WatchlistServiceTests {
    private func connection(
        _ id: String, _ provider: ProviderID, _ lists: Result<BrokerWatchlists, ProviderFailure>
    ) -> BrokerConnection {
        BrokerConnection(
            id: id, owner: alice, provider: provider, environment: .sandbox,
            accounts: FakeBroker(provider), watchlists: FakeWatchlists(result: lists))
    }

    @Test("lists Portico's own first, then those of brokers, and failures at the end")
    func order() async throws {
        let ofBroker = BrokerWatchlist(id: "7", name: "Broker", items: [.init(symbol: .example)])
        let scope = try requestScope(connections: [
            connection("s", .saxo, .failure(ProviderFailure(.saxo, .unavailable))),
            connection("a", .alpaca, .success([ofBroker])),
        ])
        _ = try await scope.services.userData.watchlists.create(named: "Own", of: [], for: alice)
        _ = try await scope.services.userData.watchlists.create(named: "Other", of: [], for: bob)
        let lists = try await WatchlistService(scope).watchlists().value() ?? []
        #expect(lists.map { try? $0.get().name } == ["Own", "Broker", nil])
        let error = #expect(throws: FieldError.self) { try lists.last?.get() }
        #expect(error?.code == .providerUnavailable)
        #expect(error?.provider == .saxo)
        let id = try lists[1].get().globalID
        #expect(try await WatchlistService(scope).watchlist(id: id).value()?.name == "Broker")
    }

    @Test("finds no list of another user, and none without a session")
    func isolation() async throws {
        let scope = try requestScope()
        _ = try await scope.services.userData.watchlists.create(named: "Other", of: [], for: bob)
        let stored = try await scope.services.userData.watchlists.watchlists(of: bob)
        let id = "Watchlist:\(try #require(stored.first).id)"
        #expect(try await WatchlistService(scope).watchlist(id: id).value() == nil)
        let error = #expect(throws: FieldError.self) {
            try WatchlistService(requestScope(of: nil)).watchlists()
        }
        #expect(error?.code == .unauthenticated)
        #expect(
            error?.message == "This field needs a session: send its token as `Authorization: Bearer …`.")
    }
}

@Suite("The service of objects by their ids")
struct NodeServiceTests {
    private let broker = FakeBroker()

    init() {
        let position = Position(
            symbol: .example, side: .long, quantity: 1, currency: "USD", provenance: broker.provenance)
        broker.set { $0.positions = .success([position]) }
    }

    private func scope(of owner: OwnerID?) throws -> RequestScope {
        try requestScope(of: owner, connections: [broker.connection("a")])
    }

    @Test("loads the objects of a connection once, in the order of the ids, with null for unknown ones")
    func order() async throws {
        let known = "Position:a:\(Symbol.example)"
        let ids = ["Position:a:TSLA", known, "Quote:nobody:TSLA", "Unknown:1", known]
        let nodes = try await NodeService(scope(of: alice)).nodes(of: ids.map { .success($0) }).value() ?? []
        let found = try nodes.map { node -> String? in
            guard case .position(let position)? = try node.get() else { return nil }
            return position.globalID
        }
        #expect(found == [nil, known, nil, nil, known])
        #expect(broker.calls == ["positions": 1])
    }

    @Test("has no object of another user, and an error without a session")
    func isolation() async throws {
        let id = "Position:a:\(Symbol.example)"
        #expect(try await NodeService(scope(of: bob)).node(id).value() == nil)
        let error = await #expect(throws: FieldError.self) {
            try await NodeService(scope(of: nil)).node(id).value()
        }
        #expect(error?.code == .unauthenticated)
        #expect(broker.calls.isEmpty)
    }

    @Test("refuses more ids than one request may have")
    func limit() throws {
        let ids = Array(repeating: Result<String, FieldError>.success("User:a"), count: 101)
        #expect(throws: FieldError.argument("ids", "It has 101 entries; at most 100 are allowed.")) {
            try NodeService(scope(of: alice)).nodes(of: ids)
        }
    }
}

@Suite("The service of the request's user")
struct ViewerServiceTests {
    @Test("returns the user of the session, and none without a token")
    func viewer() async throws {
        let viewer = try await ViewerService(requestScope()).viewer().value()
        #expect(viewer?.user.id == alice)
        #expect(viewer?.session.scopes == [.read, .write, .trade])
        #expect(try await ViewerService(requestScope(of: nil)).viewer().value() == nil)
    }

    @Test("fails with the reason of a rejected token")
    func rejectedToken() throws {
        let scope = RequestScope(
            session: Session(rejectingToken: "The session has ended: sign in again."),
            services: try requestScope().services, call: CallContext(deadline: .now + .seconds(3_600)))
        #expect(throws: FieldError(.unauthenticated, "The session has ended: sign in again.")) {
            try ViewerService(scope).viewer()
        }
    }
}

@Suite("The service of webhooks")
struct WebhookServiceTests {
    @Test("lists no webhook of another user, and cannot delete or test it")
    func isolation() async throws {
        let scope = try requestScope()
        let registration = try await scope.services.userData.webhooks.register(
            "https://example.com/", label: nil, WebhookSignature.makeSecret(), for: bob
        ) { AlertMessage.test(of: $0, at: .now) }
        guard case .registered(let webhook) = registration else {
            Issue.record("the webhook is not registered")
            return
        }
        let id = WebhookObject(webhook).globalID
        let webhooks = WebhookService(scope)
        #expect(try await webhooks.webhooks().value()?.isEmpty == true)
        let error = FieldError(.notFound, "There is no webhook \"\(id)\".")
        await #expect(throws: error) { try await webhooks.deleteWebhook(id: id).value() }
        await #expect(throws: error) { try await webhooks.testWebhook(id: id).value() }
    }
}

@Suite("The service of the providers' states")
struct ProviderStatusServiceTests {
    @Test("shows the connections of the user only")
    func isolation() throws {
        let broker = FakeBroker()
        for (owner, isConnected) in [(alice, true), (bob, false)] {
            let scope = try requestScope(of: owner, connections: [broker.connection("a")])
            let states = ProviderStatusService(scope).providers()
            let state = try #require(states.first { $0.provider == .alpaca })
            #expect(state.isAccountSource == isConnected)
            #expect(state.links.map(\.id) == (isConnected ? ["a"] : []))
            #expect((state.orders != nil) == isConnected)
        }
        #expect(broker.calls.isEmpty)
    }
}

@Suite("The service of subscriptions")
struct SubscriptionServiceTests {
    @Test("refuses an account of another user, and more symbols than one request may have")
    func failures() throws {
        let connection = FakeBroker().connection("a")
        let ofBob = SubscriptionService(try requestScope(of: bob, connections: [connection]))
        #expect(throws: FieldError(.notFound, "There is no account \"Account:a:1\".")) {
            try ofBob.liveAccount(id: "Account:a:1")
        }
        let prices = SubscriptionService(try requestScope(of: nil, market: [FakeBroker()]))
        let symbols = Array(repeating: Symbol.example, count: 201)
        #expect(throws: FieldError.argument("symbols", "It has 201 entries; at most 200 are allowed.")) {
            try prices.livePrices(of: symbols)
        }
    }

    @Test("has the price of each symbol first")
    func firstPrice() async throws {
        let source = FakeBroker(.yahoo, .init(prices: [.example: 190]))
        let service = SubscriptionService(try requestScope(of: nil, market: [source]))
        var prices = try service.livePrices(of: [.example]).makeAsyncIterator()
        #expect(try await prices.next()?.get()?.price == 190)
        #expect(source.calls == ["quotes": 1])
    }
}

@Suite("The service of alerts")
struct AlertServiceTests {
    @Test("finds the user's alerts by their ids, in the order of the ids, and their connections")
    func order() async throws {
        let scope = try requestScope(connections: [FakeBroker().connection("a")])
        let store = scope.services.userData.alerts
        var ids: [String] = []
        for (owner, connection) in [(alice, "a"), (alice, "gone"), (bob, "a")] {
            let alert = try await store.create(
                .connectionNeedsRenewal(connection: connection), label: nil, rearmAfter: nil, for: owner)
            ids.append(try #require(alert).id)
        }
        let service = AlertService(scope)
        let alerts = try await service.alerts(withIDs: [ids[1], "unknown", ids[2], ids[0]]).value()
        #expect(alerts.map { $0?.alert.id } == [ids[1], nil, nil, ids[0]])
        let connections = try service.connections(of: alerts.compactMap(\.self)).map { try $0.get()?.id }
        #expect(connections == [nil, "a"])
        let firings = try await service.lastFirings(of: alerts.compactMap(\.self)).value()
        #expect(try firings.map { try $0.get() == nil } == [true, true])
    }

    @Test("fails without a session")
    func unauthenticated() throws {
        let error = #expect(throws: FieldError.self) {
            try AlertService(requestScope(of: nil)).alerts(withIDs: [])
        }
        #expect(error?.code == .unauthenticated)
    }
}

@Suite("The service of corporate actions")
struct CorporateActionServiceTests {
    private struct FakeDividends: CorporateActionSource {
        let days: [Symbol: [CalendarDate]]
        let unreadable: [String]
        let reportsDeclarations = false

        func dividends(
            of symbols: [Symbol], in call: CallContext
        ) async throws(ProviderFailure) -> KeyedResults<Symbol, DividendHistory> {
            var histories = KeyedResults<Symbol, DividendHistory>()
            for symbol in symbols {
                guard let days = days[symbol] else { continue }
                histories[symbol] = DividendHistory(
                    symbol: symbol,
                    dividends: days.map { Dividend(exDate: $0, amount: 1, currency: "USD") },
                    unreadable: unreadable, provenance: Provenance(source: .polygon, fetchedAt: .now))
            }
            return histories
        }

        func splits(
            of symbols: [Symbol], in call: CallContext
        ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory> { [:] }
    }

    private func dates(
        of symbols: [Symbol], unreadable: [String] = []
    ) async throws -> [Result<CalendarDate?, any Error>] {
        let days = try ["2026-01-05", "2026-03-02", "2026-06-01"].map { try #require(CalendarDate($0)) }
        let source = MarketDataSource(
            FakeDividends(days: [.example: days], unreadable: unreadable), symbolMapping: SameSymbols(),
            provider: .polygon, environment: .sandbox, for: .everybody)
        let service = CorporateActionService(try requestScope(of: nil, sources: [source]))
        return try await service.nextDividendDates(of: symbols, from: days[1]).value()
    }

    @Test("has the next day of a share, and none of a currency or a share that no provider knows")
    func nextDates() async throws {
        let symbols = try ["EUR/USD", "TSLA"].map { try #require(Symbol($0)) }
        let dates = try await dates(of: symbols + [.example])
        #expect(try dates.map { try $0.get()?.description } == [nil, nil, "2026-03-02"])
    }

    @Test("fails if the next dividend may be one that could not be read")
    func unreadable() async throws {
        let dates = try await dates(of: [.example], unreadable: ["results[3]"])
        let error = FieldError(
            .providerResponseInvalid, "polygon sent a dividend that cannot be read: results[3].",
            provider: .polygon)
        #expect(throws: error) { try dates.first?.get() }
    }
}

@Suite("The service of activities")
struct ActivityServiceTests {
    @Test("has an error for a broker that reports none, and no activity with an unknown id")
    func noActivities() async throws {
        let broker = FakeBroker()
        broker.set {
            $0.accounts = .success([
                Account(id: "1", number: "1", currency: "USD", provenance: broker.provenance)
            ])
        }
        let scope = try requestScope(connections: [broker.connection("a")])
        let account = try await AccountService(scope).account(id: "Account:a:1", with: nil).value()
        let error = FieldError(.unsupported, "alpaca reports no activities.", provider: .alpaca)
        await #expect(throws: error) {
            try await ActivityService(scope).bookings(of: #require(account))
        }
        for id in ["Activity:a:7", "Activity:b:7", "Order:a:7"] {
            #expect(try await ActivityService(scope).activityIfAny(id).value() == nil, "\(id)")
        }
    }
}
