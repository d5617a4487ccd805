import Brokerage

/// Bars of any window over a range, page by page.
struct FakePolygonAggregates: Sendable {
    private let context: FakePolygonHost.AuthenticatedRequest
    private let query: FakePolygonAggregateQuery
    private let listing: FakePolygonListing?

    /// Throws ``FakePolygonError`` for what Polygon or the plan would refuse.
    init(_ visit: FakePolygonHost.AuthenticatedRequest) throws(FakePolygonError) {
        self.context = visit
        listing = FakePolygonListing(visit.request.parameters["ticker"] ?? "", in: visit.view.market)
        query = try FakePolygonAggregateQuery(visit, of: listing)
        // The market is not kept by the second.
        guard query.window.timespan != .second else { throw .notEntitled }
        if visit.plan == .free {
            let oldest = visit.now.instant.inNewYork.date.adding(months: -12 * visit.settings.yearsOfHistory)
            guard let oldest, let midnight = LocalTime(date: oldest, hour: 0),
                query.seconds.lowerBound >= Int(Instant(newYork: midnight).secondsSince1970),
                query.seconds.lowerBound <= visit.view.now
            else { throw .outsideTimeframe }
        }
    }

    func document() -> JSONDocument {
        let page = page
        var members: [JSONDocument.Member] = [
            .init(name: "ticker", value: .string(query.ticker)),
            .init(name: "queryCount", value: JSONDocument(integerLiteral: page.baseCount)),
            .init(name: "resultsCount", value: JSONDocument(integerLiteral: page.aggregates.count)),
            .init(name: "adjusted", value: .bool(query.isAdjusted)),
        ]
        if let listing, !page.aggregates.isEmpty {
            let bars = page.aggregates.map {
                JSONDocument.object($0.bar.polygon(listing.instrument, start: $0.start, context.settings))
            }
            members.append(.init(name: "results", value: .array(bars)))
        }
        members += [
            .init(name: "status", value: context.plan.status),
            .init(name: "request_id", value: .string(context.requestID)),
            .init(name: "count", value: JSONDocument(integerLiteral: page.aggregates.count)),
        ]
        if let next = page.next {
            members.append(.init(name: "next_url", value: .string(link(to: next))))
        }
        return .object(members)
    }

    /// Empty for a ticker that is not listed.
    private var page: FakePolygonPage {
        guard let listing else { return FakePolygonPage() }
        return FakePolygonPage(query, of: listing, context.view)
    }

    private func link(to second: Int) -> String {
        let (from, to) =
            query.isDescending ? (query.from, "\(second)000") : ("\(second)000", query.to)
        let cursor = FakePolygonCursor.text([
            ("adjusted", "\(query.isAdjusted)"), ("limit", "\(query.limit)"),
            ("sort", query.isDescending ? "desc" : "asc"),
        ])
        let window = "\(query.window.multiplier)/\(query.window.timespan.rawValue)"
        return
            "\(context.linkBase)/v2/aggs/ticker/\(query.ticker)/range/\(window)/\(from)/\(to)?cursor=\(cursor)"
    }
}

extension FakePolygonAggregates {
    /// `GET /v2/aggs/ticker/{ticker}/prev`: the last day before today.
    static func previous(_ visit: FakePolygonHost.AuthenticatedRequest) -> JSONDocument {
        let ticker = visit.request.parameters["ticker"] ?? ""
        let result = FakePolygonListing(ticker, in: visit.view.market).flatMap { listing -> JSONDocument? in
            let today = listing.instrument.schedule.date(at: visit.now.instant)
            guard let session = listing.instrument.schedule.session(before: today),
                let bar = visit.now.dayBar(listing.instrument, session),
                let start = listing.midnight(of: session.date)
            else { return nil }
            return .object(
                [.init(name: "T", value: .string(ticker))]
                    + bar.polygon(listing.instrument, start: start, visit.settings))
        }
        let count = JSONDocument(integerLiteral: result == nil ? 0 : 1)
        var members: [JSONDocument.Member] = [
            .init(name: "ticker", value: .string(ticker)),
            .init(name: "queryCount", value: count),
            .init(name: "resultsCount", value: count),
            .init(name: "adjusted", value: .bool(visit["adjusted"] != "false")),
        ]
        if let result { members.append(.init(name: "results", value: [result])) }
        return .object(
            members + [
                .init(name: "status", value: visit.plan.status),
                .init(name: "request_id", value: .string(visit.requestID)),
                .init(name: "count", value: count),
            ])
    }
}

extension FakePolygonSettings.Plan {
    /// What a success is called.
    fileprivate var status: JSONDocument {
        switch self {
        case .free, .realtime: "OK"
        case .delayed: "DELAYED"
        }
    }
}

extension Bar {
    /// One bar; `t` is the start of its window in milliseconds.
    fileprivate func polygon(
        _ instrument: FakeInstrument, start: Int, _ settings: FakePolygonSettings
    ) -> [JSONDocument.Member] {
        func price(_ ticks: Int) -> JSONDocument { .number(shortest: instrument.price(ticks)) }
        let bar: [JSONDocument.Member] = [
            .init(name: "v", value: JSONDocument(integerLiteral: volume)),
            .init(name: "o", value: price(open)),
            .init(name: "c", value: price(close)),
            .init(name: "h", value: price(high)),
            .init(name: "l", value: price(low)),
            .init(name: "t", value: JSONDocument(integerLiteral: start * 1_000)),
        ]
        guard settings.barsHaveTrades else { return bar }
        return bar + [
            .init(name: "vw", value: .number(shortest: averagePrice(of: instrument))),
            .init(name: "n", value: JSONDocument(integerLiteral: trades)),
        ]
    }
}
