import Brokerage
import Gateway
import PorticoCore
import Upstream

/// What each provider supports, from the declarations of the adapters.
struct ProviderSupportPage {
    private let providers: [Provider]

    private typealias Provider = (id: ProviderID, title: String, clients: ProviderClients)

    /// Creates the page from clients that make no call.
    static func page() async throws -> GeneratedPage {
        try await HTTPClient.with(userAgent: "portico/\(Version.current)") {
            try ProviderSupportPage(over: $0).page
        }
    }

    private init(over transport: HTTPClient) throws(UsageError) {
        // The clients need credentials, and do not use them.
        let keys = ProviderRegistry.all.compactMap {
            ($0.settings as? any DataServiceSettings)?.key.value.definition.name
        }
        let entries = Dictionary(
            uniqueKeysWithValues: (["alpaca-key-id", "alpaca-secret-key", "saxo-token"] + keys).map {
                ($0, SettingValues.Entry("unused", file: nil))
            } + [("yahoo", SettingValues.Entry("true", file: nil))])
        let clock = TimeSource.system
        let channels = ProviderChannelFactory(
            client: transport, ledger: QuotaLedger(clock: clock), monitor: ProviderMonitor(clock: clock),
            clock: clock, retry: RetryPolicy())
        var providers: [Provider] = []
        for descriptor in ProviderRegistry.all {
            let provider = try descriptor.configure(SettingValues(entries), nil)
            guard let clients = provider.clients(over: channels) else { continue }
            providers.append((descriptor.id, descriptor.settings.title, clients))
        }
        self.providers = providers
    }

    private var page: GeneratedPage { GeneratedPage(name: "provider-support.md", text: text) }

    private var text: String {
        """
        # What each provider supports

        The tables are generated from the declarations of the adapters (`make docs`), which Portico itself uses to choose a
        provider and to refuse an order, so that they equal the code. A plan of a provider can allow less: `portico providers
        verify` calls each endpoint with your own key, and reports what it refuses. At run time, `Connection.capabilities` and
        `ProviderStatus.capabilities` have a part of them: features, intervals, adjustments, order types and times in force.

        ## Kinds of data

        \(kinds)
        The place of each provider in the standard route of each kind of public data, which settings change
        ([Settings](settings.md)):

        \(routes)
        Prices of Saxo are only for the user whose connection it is.

        ## Charts

        Intervals, the age of their oldest candles if it is limited, and the prices.

        \(charts)
        ## Orders

        \(orders)
        """
    }

    private var names: [String] { providers.map(\.title) }

    // MARK: Kinds of data

    private static func mark(_ isThere: Bool) -> String { isThere ? "yes" : "–" }

    /// A row of a table, and its cell of a provider.
    private typealias Kind = (
        title: String,
        cell: (_ id: ProviderID, _ clients: ProviderClients, _ market: MarketDataClients) -> String
    )

    private static var kindsOfAccounts: [Kind] {
        [
            ("Accounts, balances and positions", { _, clients, _ in mark(clients.accounts != nil) }),
            (
                "History of an account's value",
                { id, clients, _ in mark(clients.accounts != nil && !id.traits.historyRanges.isEmpty) }
            ),
            ("Closed positions", { _, clients, _ in mark(clients.accounts is any ClosedPositionSource) }),
            ("Activities", { _, clients, _ in mark(clients.accounts is any ActivitySource) }),
            (
                "Watchlists of the broker",
                { _, clients, _ in
                    clients.watchlists is any WatchlistEditing
                        ? "yes" : clients.watchlists == nil ? "–" : "read-only"
                }
            ),
            ("Orders", { _, clients, _ in mark(clients.orders != nil) }),
            ("Stream of orders", { _, clients, _ in mark(clients.orders is any OrderStream) }),
        ]
    }

    private static var kindsOfMarketData: [Kind] {
        [
            (
                "Prices, symbols in one call",
                { _, _, market in market.quotes.map { "\($0.symbolsPerCall)" } ?? "–" }
            ),
            (
                "Freshness of a price, in seconds",
                { id, _, market in market.quotes == nil ? "–" : "\(id.traits.secondsOfQuote)" }
            ),
            ("Stream of prices", { _, _, market in mark(market.quoteStream != nil) }),
            ("Order book", { _, _, market in mark(market.depth != nil) }),
            (
                "Charts, symbols in one call",
                { _, _, market in market.charts.map { "\($0.chartCapabilities.symbolsPerCall)" } ?? "–" }
            ),
            ("Search and instruments", { _, _, market in mark(market.instruments != nil) }),
            ("Key figures of companies", { _, _, market in mark(market.fundamentals != nil) }),
            ("News", { _, _, market in mark(market.news != nil) }),
            ("Market clock", { _, _, market in mark(market.clock != nil) }),
            ("Dividends and splits", { _, _, market in mark(market.corporateActions != nil) }),
            (
                "Days on which dividends are declared",
                { _, _, market in mark(market.corporateActions?.reportsDeclarations ?? false) }
            ),
            ("Spin-offs", { _, _, market in mark(market.corporateActions?.reportsSpinOffs ?? false) }),
        ]
    }

    private var kinds: String {
        let rows = (Self.kindsOfAccounts + Self.kindsOfMarketData).map { kind in
            [kind.title]
                + providers.map { kind.cell($0.id, $0.clients, MarketDataClients($0.clients.market)) }
        }
        return MarkdownTable(columns: ["Kind"] + names, rows: rows).text
    }

    private var routes: String {
        MarkdownTable(
            columns: ["Route"] + names,
            rows: MarketDataCapability.allCases.map { capability in
                let route = ProviderRegistry.routes[capability]
                return [capability.title]
                    + providers.map { route.firstIndex(of: $0.id).map { "\($0 + 1)" } ?? "–" }
            }
        ).text
    }

    // MARK: Charts

    private var charts: String {
        let capabilities = providers.map { MarketDataClients($0.clients.market).charts?.chartCapabilities }
        let intervals = Interval.allCases.map { interval in
            [interval.rawValue]
                + capabilities.map { charts -> String in
                    guard let charts, charts.intervals.contains(interval) else { return "–" }
                    return charts.reachInDays[interval].map { "\($0) days" } ?? "yes"
                }
        }
        let adjustments = capabilities.map { charts -> String in
            guard let charts else { return "–" }
            let names = Adjustment.allCases.filter(charts.adjustments.contains).map(\.rawValue)
            return names.isEmpty ? "the provider's choice" : names.joined(separator: ", ")
        }
        let extendedHours = capabilities.map { charts -> String in
            charts?.extendedHours.isEmpty ?? true ? "–" : "intervals below a day"
        }
        let prices = [["Adjustments"] + adjustments, ["Extended hours"] + extendedHours]
        return MarkdownTable(columns: ["Interval"] + names, rows: intervals + prices).text
    }

    // MARK: Orders

    private static func times(_ times: Set<TimeInForce>?) -> String {
        guard let times else { return "as other orders" }
        return TimeInForce.allCases.filter(times.contains).map(\.rawValue).joined(separator: ", ")
    }

    private static func types(_ types: Set<OrderType>) -> String {
        OrderType.allCases.filter(types.contains).map(\.rawValue).joined(separator: ", ")
    }

    private static var kindsOfOrders: [(title: String, cell: (OrderCapabilities) -> String)] {
        [
            ("Types", { types($0.types) }), ("Times in force", { times($0.timesInForce) }),
            ("Times in force of cryptocurrencies", { times($0.cryptoTimesInForce) }),
            ("Times in force of options", { times($0.optionTimesInForce) }),
            (
                "Fractions",
                { orders in
                    guard orders.acceptsFractions, let fractions = orders.fractions else {
                        return mark(orders.acceptsFractions)
                    }
                    return "\(types(fractions.types)); \(times(fractions.timesInForce))"
                }
            ),
            (
                "Orders for an amount of money",
                { orders in
                    guard orders.acceptsNotional, let classes = orders.notionalClasses else {
                        return mark(orders.acceptsNotional)
                    }
                    return classes.map(\.rawValue).sorted().joined(separator: ", ")
                }
            ),
            ("Take profit and stop loss", { $0.exits.map { times($0.timesInForce) } ?? "–" }),
            ("Take profit and stop loss for fractions", { mark($0.exits?.acceptsFractions ?? false) }),
            ("Trailing stops in per cent", { mark($0.acceptsPercentTrails) }),
            ("Extended hours", { mark($0.acceptsExtendedHours) }),
            ("Changes of an order", { mark($0.replaces) }),
            ("Changes of its type", { mark($0.replaces && $0.replacesTypes) }),
            ("Changes after a part is filled", { mark($0.replaces && $0.replacesPartlyFilled) }),
            (
                "Orders that have ended",
                { orders in
                    switch orders.endedOrders {
                    case .none: "–"
                    case .recent: "of the last 30 days"
                    case .all: "all"
                    }
                }
            ),
        ]
    }

    private var orders: String {
        let brokers = providers.compactMap { provider in
            provider.clients.orders.map { (title: provider.title, trading: $0) }
        }
        var rows = Self.kindsOfOrders.map { kind in
            [kind.title] + brokers.map { kind.cell($0.trading.orderCapabilities) }
        }
        rows.append(
            ["Preview"]
                + brokers.map { broker in
                    switch broker.trading.previewMethod {
                    case .broker: "by the broker"
                    case .estimate: "by Portico, from the broker's rules"
                    }
                })
        return MarkdownTable(columns: ["Orders"] + brokers.map(\.title), rows: rows).text
    }
}

extension MarketDataCapability {
    fileprivate var title: String {
        switch self {
        case .quotes: "Prices"
        case .charts: "Charts"
        case .instruments: "Instruments"
        case .fundamentals: "Key figures"
        case .news: "News"
        case .clock: "Market clock"
        case .corporateActions: "Dividends and splits"
        }
    }
}
