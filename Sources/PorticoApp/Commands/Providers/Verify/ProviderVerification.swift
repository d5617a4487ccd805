import Brokerage
import Foundation
import PorticoCore
import Upstream

/// Reads everything that Portico reads of one provider, once.
struct ProviderVerification {
    let provider: ProviderID
    let clients: ProviderClients
    let symbols: [Symbol]
    let log: VerificationLog
    let clock: TimeSource

    /// The time for one read.
    private static let timeout = Duration.seconds(60)
    /// The longest time until the end of a rate limit that is awaited.
    private static let longestPause = Duration.seconds(65)

    /// Reads the accounts and the market data, one after the other; failures are in the log.
    ///
    /// - Returns: The accounts of the credential.
    func run() async -> [Account] {
        let accounts = await readAccounts()
        let market = MarketDataClients(clients.market)
        await readPrices(market)
        await readReferences(market)
        return accounts
    }

    // MARK: Accounts

    private func readAccounts() async -> [Account] {
        guard let source = clients.accounts else {
            await perform("check") { call throws(ProviderFailure) in _ = try await clients.check(call) }
            return []
        }
        let accounts = await perform("accounts") { call throws(ProviderFailure) in
            try await source.accounts(in: call)
        }
        await perform("positions") { call throws(ProviderFailure) in _ = try await source.positions(in: call)
        }
        if let account = accounts?.first { await readAccount(account.id, source) }
        if let trading = clients.orders { await readOrders(trading, of: accounts?.first?.id) }
        if let watchlists = clients.watchlists {
            await perform("watchlists") { call throws(ProviderFailure) in
                _ = try await watchlists.watchlists(in: call)
            }
        }
        return accounts ?? []
    }

    private func readAccount(_ id: String, _ source: any AccountSource) async {
        await perform("history") { call throws(ProviderFailure) in
            _ = try await source.history(of: id, .oneMonth, interval: nil, in: call)
        }
        if let source = source as? any ClosedPositionSource {
            await perform("closedPositions") { call throws(ProviderFailure) in
                _ = try await source.closedPositions(of: id, in: call)
            }
        }
        if let source = source as? any ActivitySource {
            await perform("activities") { call throws(ProviderFailure) in
                _ = try await source.activities(of: id, ActivityQuery(), in: call)
            }
        }
    }

    private func readOrders(_ trading: any TradingAPI, of account: String?) async {
        let open = await perform("orders") { call throws(ProviderFailure) in
            try await trading.orders(OrderQuery(isOpen: true), in: call)
        }
        if trading.orderCapabilities.hasEndedOrders {
            await perform("endedOrders") { call throws(ProviderFailure) in
                _ = try await trading.orders(OrderQuery(isOpen: false), in: call)
            }
        }
        if let order = open?.orders.first {
            await perform("order") { call throws(ProviderFailure) in
                _ = try await trading.order(order.id, of: order.accountID ?? account, in: call)
            }
        }
        // No order has the id, so that the response is the one to an unknown id.
        await perform("orderByClientID") { call throws(ProviderFailure) in
            _ = try await trading.order(clientID: Self.newOrderID(), of: account, in: call)
        }
    }

    /// A client's id of an order that no other order has.
    static func newOrderID() -> String { UUID().uuidString.lowercased() }

    // MARK: Market data

    private func readPrices(_ market: MarketDataClients) async {
        if let quotes = market.quotes {
            for batch in chunks(of: quotes.symbolsPerCall) {
                await readEach("quotes") { call throws(ProviderFailure) in
                    try await quotes.quotes(for: batch, in: call)
                }
            }
        }
        if let depth = market.depth {
            for symbol in symbols {
                await perform("marketDepth") { call throws(ProviderFailure) in
                    _ = try await depth.marketDepth(of: symbol, in: call)
                }
            }
        }
        guard let charts = market.charts else { return }
        for interval in intervals(of: charts.chartCapabilities) {
            for batch in chunks(of: charts.chartCapabilities.symbolsPerCall) {
                await readEach("charts") { call throws(ProviderFailure) in
                    try await charts.charts(of: batch, ChartWindow(interval: interval, last: 10), in: call)
                }
            }
        }
    }

    /// All intervals, or days only at a provider with few calls.
    private func intervals(of capabilities: ChartCapabilities) -> [Interval] {
        Interval.allCases.filter { interval in
            capabilities.intervals.contains(interval)
                && (!provider.traits.hasLowQuota || interval == .oneDay)
        }
    }

    private func readReferences(_ market: MarketDataClients) async {
        if let instruments = market.instruments {
            await perform("search") { call throws(ProviderFailure) in
                _ = try await instruments.search(symbols[0].text, limit: 10, in: call)
            }
            for batch in chunks(of: instruments.instrumentsPerCall) {
                await readEach("instruments") { call throws(ProviderFailure) in
                    try await instruments.instruments(batch, in: call)
                }
            }
        }
        if let fundamentals = market.fundamentals {
            for symbol in symbols {
                await perform("fundamentals") { call throws(ProviderFailure) in
                    _ = try await fundamentals.fundamentals(of: symbol, in: call)
                }
            }
        }
        if let news = market.news {
            await perform("news") { call throws(ProviderFailure) in
                _ = try await news.news(about: symbols, limit: 10, after: nil, in: call)
            }
        }
        if let clock = market.clock {
            await perform("clock") { call throws(ProviderFailure) in _ = try await clock.clock(in: call) }
        }
        if let actions = market.corporateActions { await readActions(actions) }
    }

    private func readActions(_ source: any CorporateActionSource) async {
        for batch in chunks(of: source.corporateActionsPerCall) {
            await readEach("dividends") { call throws(ProviderFailure) in
                try await source.dividends(of: batch, in: call)
            }
            await readEach("splits") { call throws(ProviderFailure) in
                try await source.splits(of: batch, in: call)
            }
            guard source.reportsSpinOffs else { continue }
            await readEach("spinOffs") { call throws(ProviderFailure) in
                try await source.spinOffs(of: batch, in: call)
            }
        }
    }

    private func chunks(of size: Int) -> [[Symbol]] {
        stride(from: 0, to: symbols.count, by: max(size, 1)).map {
            Array(symbols[$0..<min($0 + max(size, 1), symbols.count)])
        }
    }

    // MARK: One read

    private func readEach<Value: Sendable>(
        _ name: String,
        _ body: (CallContext) async throws(ProviderFailure) -> KeyedResults<Symbol, Value>
    ) async {
        guard let results = await perform(name, body) else { return }
        for failure in results.failures.values { log.add(failure.cause, of: name, at: provider) }
        if results.found.isEmpty, results.failures.isEmpty { log.add(.notFound, of: name, at: provider) }
    }

    /// Makes one call, or a second one after a rate limit that ends soon: a call that it refused was not processed.
    @discardableResult
    func perform<Value>(
        _ name: String, _ body: (CallContext) async throws(ProviderFailure) -> Value
    ) async -> Value? {
        var hasWaited = false
        while true {
            do throws(ProviderFailure) {
                return try await body(CallContext(deadline: clock.now() + Self.timeout))
            } catch {
                guard !hasWaited, let pause = pause(after: error.cause) else {
                    log.add(error.cause, of: name, at: provider)
                    return nil
                }
                hasWaited = true
                log.removeFailures(of: provider) { $0 == error.cause }
                try? await clock.sleep(clock.now() + pause)
            }
        }
    }

    /// The time until the end of a rate limit; nil for another failure, and for a limit that lasts longer.
    private func pause(after cause: ProviderFailure.Cause) -> Duration? {
        guard cause.traits.contains(.providerLimit), let end = cause.retryAt else { return nil }
        let pause = end.duration(since: clock.wallTime())
        return pause <= Self.longestPause ? max(pause, .zero) : nil
    }
}
