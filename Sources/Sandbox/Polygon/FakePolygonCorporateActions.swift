import Brokerage

/// `GET /stocks/v1/dividends` and `GET /stocks/v1/splits`, in pages.
struct FakePolygonCorporateActions: Sendable {
    private let context: FakePolygonHost.AuthenticatedRequest
    private let kind: Kind
    private let limit: Int
    private let isDescending: Bool
    /// True for an order by date, false for one by ticker.
    private let isByDate: Bool
    private let tickers: FakePolygonRangeFilter
    private let dates: FakePolygonRangeFilter
    private let offset: Int

    enum Kind: String, Sendable {
        case dividends
        case splits

        /// The name of the date by which lists are filtered and ordered.
        var date: String {
            switch self {
            case .dividends: "ex_dividend_date"
            case .splits: "execution_date"
            }
        }
    }

    private struct Action {
        let ticker: String
        let date: CalendarDate
        let members: [JSONDocument.Member]
    }

    /// Throws ``FakePolygonError`` for an invalid parameter.
    init(_ kind: Kind, _ context: FakePolygonHost.AuthenticatedRequest) throws(FakePolygonError) {
        self.context = context
        self.kind = kind
        guard let limit = Int(context["limit"] ?? "100"), (1...5_000).contains(limit) else {
            throw .badRequest("the limit must be a number from 1 to 5000")
        }
        self.limit = limit
        let order = (context["sort"] ?? "ticker.asc").split(separator: ".")
        guard order.count == 2, order[0] == "ticker" || order[0] == kind.date,
            order[1] == "asc" || order[1] == "desc"
        else { throw .badRequest("could not parse '\(context["sort"] ?? "")' for 'sort'") }
        isByDate = order[0] != "ticker"
        isDescending = order[1] == "desc"
        tickers = FakePolygonRangeFilter(of: "ticker", context)
        dates = FakePolygonRangeFilter(of: kind.date, context)
        offset = context["offset"].flatMap { Int($0) } ?? 0
    }

    func document() throws -> JSONDocument {
        let all = try actions().filter {
            tickers.contains($0.ticker) && dates.contains($0.date.description)
        }.sorted { left, right in
            let (first, second) = isDescending ? (right, left) : (left, right)
            return isByDate
                ? (first.date, first.ticker) < (second.date, second.ticker)
                : (first.ticker, first.date) < (second.ticker, second.date)
        }
        let page = all.dropFirst(offset).prefix(limit)
        var members: [JSONDocument.Member] = [
            .init(name: "status", value: "OK"),
            .init(name: "request_id", value: .string(context.requestID)),
            .init(name: "results", value: .array(page.map { .object($0.members) })),
        ]
        if offset + page.count < all.count {
            members.append("next_url", .string(link(after: offset + page.count)))
        }
        return .object(members)
    }

    private func link(after offset: Int) -> String {
        let names =
            ["limit", "sort"]
            + ["ticker", kind.date].flatMap { name in
                [name] + ["gt", "gte", "lt", "lte"].map { "\(name).\($0)" }
            }
        let cursor = FakePolygonCursor.text(
            names.compactMap { name in context[name].map { (name, $0) } } + [("offset", String(offset))])
        return "\(context.linkBase)/stocks/v1/\(kind.rawValue)?cursor=\(cursor)"
    }

    private func actions() throws -> [Action] {
        let today = context.now.instant.inNewYork.date
        let last = today.adding(days: CorporateActions.notice) ?? today
        switch kind {
        case .splits: return CorporateActions.splits.filter { $0.exDate <= last }.map(split)
        case .dividends:
            let first = Instant(secondsSince1970: Int64(Market.clamped(0)))?.dateInUTC ?? today
            return try CorporateActions.payingSymbols.flatMap { symbol in
                try CorporateActions.dividends(
                    of: symbol, from: first, through: last, context.view.market.exchanges
                ).map { try dividend($0, today) }
            }
        }
    }

    private func dividend(_ dividend: CorporateActions.Dividend, _ today: CalendarDate) throws -> Action {
        let ratio = CorporateActions.splitRatio(of: dividend.symbol, on: dividend.exDate, knownOn: today)
        return Action(
            ticker: dividend.symbol, date: dividend.exDate,
            members: [
                .init(name: "id", value: .string(id(dividend.symbol, dividend.exDate))),
                .init(name: "ticker", value: .string(dividend.symbol)),
                .init(name: "cash_amount", value: .number(shortest: try dividend.amount * Decimal(ratio))),
                .init(name: "split_adjusted_cash_amount", value: .number(shortest: dividend.amount)),
                .init(name: "currency", value: "USD"),
                .init(name: "distribution_type", value: "recurring"),
                .init(name: "frequency", value: 4),
                .init(name: "declaration_date", value: .string(dividend.declaredOn.description)),
                .init(name: "ex_dividend_date", value: .string(dividend.exDate.description)),
                .init(name: "record_date", value: .string(dividend.exDate.description)),
                .init(name: "pay_date", value: .string(dividend.payDate.description)),
            ])
    }

    private func split(_ split: CorporateActions.Split) -> Action {
        Action(
            ticker: split.symbol, date: split.exDate,
            members: [
                .init(name: "id", value: .string(id(split.symbol, split.exDate))),
                .init(name: "ticker", value: .string(split.symbol)),
                .init(name: "execution_date", value: .string(split.exDate.description)),
                .init(name: "split_from", value: 1),
                .init(name: "split_to", value: .integer(split.ratio)),
                .init(name: "adjustment_type", value: "forward_split"),
            ])
    }

    private func id(_ symbol: String, _ date: CalendarDate) -> String {
        let random = SeededRandom(seed: 0).branch(kind.rawValue).branch(symbol)
        let day = date.daysSince1970
        let uuid = UUIDFormat.version8(random.bits(2 * day), random.bits(2 * day + 1))
        return "E" + uuid.replacing("-", with: "")
    }
}
