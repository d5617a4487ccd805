import Brokerage

/// Saxo's charts: candles of bid and ask without an exchange, of trades with one.
struct FakeSaxoCharts: Sendable {
    let host: FakeSaxoHost

    enum Version: Sendable, Hashable {
        /// Hours of shares begin on the hour.
        case first
        /// Hours of shares begin with the exchange's opening; there are more horizons.
        case third

        fileprivate var horizons: Set<Int> {
            let first: Set = [1, 5, 10, 15, 30, 60, 120, 240, 360, 480, 1_440, 10_080, 43_200]
            return switch self {
            case .first: first
            case .third: first.union([2, 3, 180, 300, 129_600, 518_400])
            }
        }
    }

    var routes: [SandboxRoute] {
        [host.get("/chart/v3/charts") { try chart($0, .third) }]
    }

    /// The endpoint of older deployments.
    var oldRoutes: [SandboxRoute] {
        [host.get("/chart/v1/charts") { try chart($0, .first) }]
    }

    private func chart(_ context: FakeSaxoHost.AuthenticatedRequest, _ version: Version) throws
        -> SandboxResponse
    {
        let query = try Query(context, version)
        let quote = FakeSaxoQuote(query.listing, at: context.view, context.priceSettings)
        guard quote.access != .denied else { throw FakeSaxoError.forbidden }
        let candles =
            quote.access == .granted ? candles(query, delay: quote.delayInMinutes, context.view) : []
        let groups = context.fieldGroups(["Data"])
        let listing = query.listing
        var members: [JSONDocument.Member] = [
            .init(name: "DataVersion", value: .integer(1_000_000 + listing.uic))
        ]
        if groups.contains("ChartInfo") {
            let info: JSONDocument = [
                "DelayedByMinutes": .integer(quote.delayInMinutes),
                "ExchangeId": .string(listing.exchangeID),
                "FirstSampleTime": "1990-01-02T00:00:00Z",
                "Horizon": .integer(query.horizon),
            ]
            members.append("ChartInfo", info)
        }
        if groups.contains("DisplayAndFormat") {
            members.append("DisplayAndFormat", listing.displayAndFormat)
        }
        let data = candles.map { Self.sample($0, of: listing, context.format) }
        members.append("Data", .array(data))
        return .json(.object(members))
    }

    /// Returns the candles, oldest first.
    private func candles(_ query: Query, delay: Int, _ view: MarketView) -> [TimedBar] {
        let moment = Instant(secondsSince1970: Int64(view.now - delay * 60)) ?? .earliest
        let view = MarketView(view.market, at: moment)
        let first = query.mode == .from ? query.time ?? 0 : 0
        let last = query.mode == .from ? Int.max : query.time ?? Int.max
        let bars = view.bars(
            of: query.listing.instrument, every: query.length, from: first, through: last,
            extendedHours: false, alignment: query.alignment, newestFirst: query.mode == .upTo)
        let selected = Array(bars.prefix(query.count))
        return query.mode == .upTo ? selected.reversed() : selected
    }

    private static func sample(_ candle: TimedBar, of listing: FakeSaxoInstrument, _ format: FakeSaxoFormat)
        -> JSONDocument
    {
        let bar = candle.bar
        func price(_ ticks: Int) -> JSONDocument { format.price(ticks, of: listing.instrument) }
        let time = FakeSaxoFormat.time(candle.start)
        guard listing.assetType.hasTwoSidedChart else {
            return [
                "Time": time, "Open": price(bar.open), "High": price(bar.high), "Low": price(bar.low),
                "Close": price(bar.close), "Volume": .integer(bar.volume), "Interest": 0,
            ]
        }
        func bid(_ ticks: Int) -> JSONDocument { price(max(1, ticks - BestQuote.reach(of: ticks))) }
        func ask(_ ticks: Int) -> JSONDocument { price(ticks + BestQuote.reach(of: ticks)) }
        return [
            "Time": time,
            "OpenBid": bid(bar.open), "OpenAsk": ask(bar.open), "HighBid": bid(bar.high),
            "HighAsk": ask(bar.high), "LowBid": bid(bar.low), "LowAsk": ask(bar.low),
            "CloseBid": bid(bar.close), "CloseAsk": ask(bar.close),
        ]
    }

    /// The validated parameters of a request.
    private struct Query {
        let listing: FakeSaxoInstrument
        /// In minutes.
        let horizon: Int
        let count: Int
        /// Seconds since 1970.
        let time: Int?
        let mode: Mode
        let alignment: BarAlignment

        enum Mode: Sendable, Hashable {
            case from
            case upTo
        }

        init(_ context: FakeSaxoHost.AuthenticatedRequest, _ version: Version) throws(FakeSaxoError) {
            let assetType = try context.assetType()
            guard let uic = try context.integer("Uic", in: 0...Int.max) else {
                throw .invalid("Uic", "Uic is required")
            }
            guard let listing = FakeSaxoInstruments.instrument(uic, assetType) else { throw .notFound }
            guard let horizon = try context.integer("Horizon", in: 1...Int.max) else {
                throw .invalid("Horizon", "Horizon is required")
            }
            guard version.horizons.contains(horizon) else {
                throw .invalid("Horizon", "The value '\(horizon)' is not valid for Horizon.")
            }
            let maximum = context.settings.chartMaximum
            count = try context.integer("Count", in: 1...maximum) ?? maximum
            self.listing = listing
            self.horizon = horizon
            let isByClock = version == .first || !assetType.isExchangeTraded
            alignment = isByClock ? .clock : .opening
            guard let text = context.request[query: "Time"] else {
                (time, mode) = (nil, .upTo)
                return
            }
            guard let instant = Instant(text) else {
                throw .invalid("Time", "The value '\(text)' is not valid for Time.")
            }
            time = Int(instant.secondsSince1970)
            switch context.request[query: "Mode"] {
            case "From": mode = .from
            case "UpTo": mode = .upTo
            case .some, nil: throw .invalid("Mode", "Mode must be From or UpTo when Time is given")
            }
        }

        var length: BarLength {
            switch horizon {
            case 1_440: .day
            case 10_080: .week
            case 43_200: .month
            case 129_600: .months(3)
            case 518_400: .months(12)
            default: .minutes(horizon)
            }
        }
    }
}
