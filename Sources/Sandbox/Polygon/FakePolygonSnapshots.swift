import Brokerage

/// `GET /v2/snapshot/locale/us/markets/stocks/tickers`: the state of shares, all or those of `tickers`.
struct FakePolygonSnapshots {
    private let context: FakePolygonHost.AuthenticatedRequest

    /// Throws ``FakePolygonError`` if the plan has no snapshots.
    init(_ context: FakePolygonHost.AuthenticatedRequest) throws(FakePolygonError) {
        guard context.settings.plansWithSnapshots.contains(context.plan) else { throw .notEntitled }
        self.context = context
    }

    func document() -> JSONDocument {
        let market = context.view.market
        let listings: [FakePolygonListing] =
            if let list = context["tickers"], !list.isEmpty {
                list.split(separator: ",").compactMap { FakePolygonListing(String($0), in: market) }
            } else {
                FakeInstrument.listing.map(FakePolygonListing.init)
            }
        let priced = listings.filter {
            $0.instrument.assetClass == .equity && context.settings.delistings[$0.ticker] == nil
                && context.view.priced($0.instrument.symbol) != nil
        }
        let snapshots = priced.map(snapshot)
        return .object([
            .init(name: "tickers", value: .array(snapshots)),
            .init(name: "status", value: context.plan.status),
            .init(name: "count", value: .integer(snapshots.count)),
        ])
    }

    private func snapshot(_ listing: FakePolygonListing) -> JSONDocument {
        let (view, instrument) = (context.view, listing.instrument)
        let last = view.market.lastTrade(instrument, at: view.now)
        let today = view.marketDay(of: instrument)
        let before = today.flatMap { view.market.schedule(of: instrument).session(before: $0.date) }
        let bars = (
            day: today.flatMap { view.dayBar(instrument, $0) },
            previous: before.flatMap { view.dayBar(instrument, $0) }
        )
        let change = bars.previous.map { last.price - $0.close } ?? 0
        let percent = bars.previous.flatMap {
            try? Decimal(change).multiplied(by: 100, dividedBy: Decimal(max($0.close, 1)), to: 4, .halfEven)
        }
        var members: [JSONDocument.Member] = [
            .init(name: "ticker", value: .string(listing.ticker)),
            .init(name: "todaysChangePerc", value: .number(shortest: percent ?? .zero)),
            .init(name: "todaysChange", value: .number(shortest: instrument.price(change))),
            .init(name: "updated", value: Self.nanoseconds(last.second)),
            .init(name: "day", value: day(bars.day, instrument)),
        ]
        if context.settings.snapshotsHaveTrades {
            members.append("lastQuote", sides(instrument))
            members.append("lastTrade", trade(instrument, last))
        }
        return .object(
            members + [
                .init(name: "min", value: minute(instrument, bars.day)),
                .init(name: "prevDay", value: day(bars.previous, instrument)),
            ])
    }

    /// A day; zeros before its first trade.
    private func day(_ bar: Bar?, _ instrument: FakeInstrument) -> JSONDocument {
        .object(prices(bar, instrument))
    }

    private func prices(_ bar: Bar?, _ instrument: FakeInstrument) -> [JSONDocument.Member] {
        func price(_ ticks: Int?) -> JSONDocument { .number(shortest: instrument.price(ticks ?? 0)) }
        return [
            .init(name: "o", value: price(bar?.open)), .init(name: "h", value: price(bar?.high)),
            .init(name: "l", value: price(bar?.low)), .init(name: "c", value: price(bar?.close)),
            .init(name: "v", value: .integer(bar?.volume ?? 0)),
            .init(
                name: "vw", value: bar.map { .number(shortest: $0.averagePrice(of: instrument)) } ?? 0),
        ]
    }

    private func minute(_ instrument: FakeInstrument, _ day: Bar?) -> JSONDocument {
        let minute = context.view.minuteBar(instrument)
        return .object(
            [
                .init(name: "av", value: .integer(day?.volume ?? 0)),
                .init(name: "t", value: .integer((minute?.start ?? 0) * 1_000)),
                .init(name: "n", value: .integer(minute?.bar.trades ?? 0)),
            ] + prices(minute?.bar, instrument))
    }

    /// The best bid `p` and ask `P`, with sizes in round lots; a missing side is 0.
    private func sides(_ instrument: FakeInstrument) -> JSONDocument {
        let quote = context.view.market.quote(instrument, at: context.view.now)
        func members(_ price: String, _ size: String, _ side: BestQuote.Side?) -> [JSONDocument.Member] {
            [
                .init(name: price, value: .number(shortest: instrument.price(side?.price ?? 0))),
                .init(name: size, value: .integer((side?.size ?? 0) / 100)),
            ]
        }
        return .object(
            members("P", "S", quote.ask) + members("p", "s", quote.bid)
                + [.init(name: "t", value: Self.nanoseconds(quote.second))])
    }

    private func trade(_ instrument: FakeInstrument, _ last: (price: Int, second: Int)) -> JSONDocument {
        let noise = SeededRandom(seed: UInt64(bitPattern: Int64(last.second))).branch(instrument.symbol)
        return .object([
            .init(name: "c", value: [14, 41]),
            .init(name: "i", value: .string("\(noise.number(0, below: 100_000))")),
            .init(name: "p", value: .number(shortest: instrument.price(last.price))),
            .init(name: "s", value: .integer(1 + noise.number(1, below: 300))),
            .init(name: "t", value: Self.nanoseconds(last.second)), .init(name: "x", value: 4),
        ])
    }

    private static func nanoseconds(_ second: Int) -> JSONDocument {
        .integer(second * 1_000_000_000)
    }
}
