import Brokerage
import PorticoCore

/// Alpaca's corporate actions on the data host: cash dividends, forward splits and spin-offs (docs.alpaca.markets,
/// "Corporate actions").
struct FakeAlpacaCorporateActions: Sendable {
    let host: FakeAlpacaHost

    var routes: [SandboxRoute] {
        [
            host.get("/v1/corporate-actions") { context in
                let query = try Query(context.request, today: context.view.instant.inNewYork.date)
                let page = try query.page(try Self.actions(query, context.view))
                let groups = Dictionary(grouping: page.actions, by: \.kind).sorted { $0.key < $1.key }
                return [
                    "corporate_actions": .object(
                        groups.map { .init(name: $0.key, value: .array($0.value.map(\.json))) }),
                    "next_page_token": .optional(page.next) { .string($0) },
                ]
            }
        ]
    }

    private struct Action {
        /// The name of its array: `cash_dividends`.
        let kind: String
        /// `process_date`, by which lists are filtered and ordered.
        let date: CalendarDate
        let id: String
        let json: JSONDocument

        init(_ kind: String, _ symbol: String, on date: CalendarDate, _ members: JSONDocument) {
            let random = SeededRandom(seed: 0).branch(kind).branch(symbol)
            let day = date.daysSince1970
            self.kind = kind
            self.date = date
            id = UUIDFormat.version8(random.bits(2 * day), random.bits(2 * day + 1))
            let head: [JSONDocument.Member] = [
                .init(name: "id", value: .string(id)),
                .init(name: "process_date", value: .string(date.description)),
            ]
            json = .object(head + (members.members ?? []))
        }
    }

    /// Returns the known actions of a query, by date.
    private static func actions(_ query: Query, _ view: MarketView) throws -> [Action] {
        let today = view.instant.inNewYork.date
        let last = today.adding(days: CorporateActions.notice) ?? today
        let first = Instant(secondsSince1970: Int64(Market.clamped(0)))?.dateInUTC ?? today
        let exchanges = view.market.exchanges
        var actions: [Action] = []
        for symbol in CorporateActions.payingSymbols where query.includes(symbol) {
            // A dividend is paid at most two months after its ex-date.
            let from = max(query.start.adding(days: -62) ?? first, first)
            let to = min(query.end, last)
            for dividend in CorporateActions.dividends(of: symbol, from: from, through: to, exchanges) {
                let ratio = CorporateActions.splitRatio(of: symbol, on: dividend.exDate, knownOn: today)
                actions.append(
                    Action(
                        "cash_dividends", symbol, on: dividend.payDate,
                        [
                            "symbol": .string(symbol), "cusip": "",
                            "isin": .string(FakeIdentifiers(of: symbol)?.isin ?? ""),
                            "rate": .number(shortest: try dividend.amount * Decimal(ratio)), "special": false,
                            "foreign": false, "ex_date": .string(dividend.exDate.description),
                            "record_date": .string(dividend.exDate.description),
                            "payable_date": .string(dividend.payDate.description), "currency": "USD",
                        ]))
            }
        }
        for split in CorporateActions.splits where query.includes(split.symbol) && split.exDate <= last {
            actions.append(
                Action(
                    "forward_splits", split.symbol, on: split.exDate,
                    [
                        "symbol": .string(split.symbol), "cusip": "",
                        "isin": .string(FakeIdentifiers(of: split.symbol)?.isin ?? ""),
                        "new_rate": .integer(split.ratio), "old_rate": 1,
                        "ex_date": .string(split.exDate.description),
                    ]))
        }
        for action in CorporateActions.spinOffs
        where (query.includes(action.source) || query.includes(action.new)) && action.exDate <= last {
            actions.append(
                Action(
                    "spin_offs", action.source, on: action.exDate,
                    [
                        "source_symbol": .string(action.source), "source_cusip": "", "source_rate": 1,
                        "new_symbol": .string(action.new), "new_cusip": "",
                        "new_rate": .number(shortest: action.ratio),
                        "ex_date": .string(action.exDate.description),
                    ]))
        }
        return actions.filter(query.includes).sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    }

    /// The validated parameters.
    private struct Query {
        let start: CalendarDate
        let end: CalendarDate
        private let symbols: Set<String>?
        private let kinds: Set<String>?
        private let ids: Set<String>?
        private let limit: Int
        private let newestFirst: Bool
        private let token: String?

        init(_ request: SandboxRequest, today: CalendarDate) throws(FakeAlpacaError) {
            func date(_ name: String) throws(FakeAlpacaError) -> CalendarDate? {
                guard let text = request[query: name] else { return nil }
                guard let date = CalendarDate(text) else { throw .badRequest("invalid \(name): \(text)") }
                return date
            }
            func list(_ name: String) -> Set<String>? {
                request[query: name].map { Set($0.split(separator: ",").map(String.init)) }
            }
            let first = try date("start")
            let last = try date("end")
            ids = list("ids")
            // A search by identifier has no period.
            start = ids == nil ? first ?? min(today, last ?? today) : .earliest
            end = ids == nil ? last ?? max(today, start) : .latest
            guard start <= end else { throw .badRequest("end should not be before start") }
            kinds = try request.choice("types", of: Self.types, isList: true).map { text in
                Set(text.split(separator: ",").map { "\($0)s" })
            }
            _ = try request.choice("region", of: ["us", "non_us", "all"])
            symbols = list("symbols")
            guard ids == nil || (symbols == nil && kinds == nil && first == nil && last == nil) else {
                throw .badRequest("ids excludes all other filters")
            }
            limit = try request.integer("limit", in: 1...1_000) ?? 100
            newestFirst = try request.choice("sort", of: ["asc", "desc"]) == "desc"
            token = request[query: "page_token"]
        }

        private static let types = [
            "cash_dividend", "stock_dividend", "forward_split", "reverse_split", "unit_split", "spin_off",
            "cash_merger", "stock_merger", "stock_and_cash_merger", "redemption", "name_change",
            "worthless_removal", "rights_distribution", "partial_call", "reorganization",
        ]

        func includes(_ symbol: String) -> Bool { symbols?.contains(symbol) ?? true }

        func includes(_ action: Action) -> Bool {
            if let ids { return ids.contains(action.id) }
            return start <= action.date && action.date <= end && (kinds?.contains(action.kind) ?? true)
        }

        /// Returns the part of the actions after the page token, which is the last action's identifier.
        func page(_ actions: [Action]) throws(FakeAlpacaError) -> (actions: [Action], next: String?) {
            var rest = newestFirst ? actions.reversed() : actions
            if let token {
                guard let last = rest.firstIndex(where: { Base64.standard.padded($0.id) == token }) else {
                    throw .badRequest("invalid page_token: \(token)")
                }
                rest.removeFirst(last + 1)
            }
            let page = Array(rest.prefix(limit))
            return (page, rest.count > page.count ? page.last.map { Base64.standard.padded($0.id) } : nil)
        }
    }
}
