import Brokerage
import PorticoCore
import Upstream

/// The accounts or positions behind a connection: those of all accounts, or of one.
enum AccountsQuery: CacheQuery {
    case all
    /// By the broker's own id.
    case account(ExactText)

    var cacheName: String {
        switch self {
        case .all: ""
        case .account(let id): "/\(id.text)"
        }
    }
}

/// The equity history of an account.
struct HistoryQuery: CacheQuery {
    /// The broker's own id.
    let account: ExactText
    let range: DateRange
    let interval: Interval?

    var cacheName: String { "\(account.text)/\(range.rawValue)/\(interval?.rawValue ?? "")" }
}

extension OrderQuery: CacheQuery {
    package var cacheName: String {
        let parts = [
            isOpen.map { $0 ? "open" : "ended" } ?? "all", String(limit), before?.description ?? "",
            symbols.map { $0.map(\.text).joined(separator: ",") } ?? "*",
        ]
        return parts.joined(separator: "/")
    }
}

/// The chart of a symbol.
enum ChartQuery: CacheQuery {
    case series(Symbol, ChartWindow)
    /// Whether a provider has charts of the symbol in a window, whatever the adjustment; it has no value, but may be stored
    /// as unknown.
    case existence(Symbol, ChartWindow)

    var symbol: Symbol {
        switch self {
        case .series(let symbol, _), .existence(let symbol, _): symbol
        }
    }

    /// The queries that decide whether a provider has charts of the symbol: without bounds, and in this window.
    ///
    /// A response for some days does not decide about others.
    var existenceQueries: [ChartQuery] {
        guard case .series(let symbol, var window) = self else { return [] }
        let unbounded = ChartQuery.existence(symbol, ChartWindow(interval: window.interval))
        guard window.from != nil || window.to != nil else { return [unbounded] }
        window.adjustment = nil
        return [unbounded, .existence(symbol, window)]
    }

    /// The name of a persisted chart: it must not change.
    var cacheName: String {
        let (prefix, symbol, window) =
            switch self {
            case .series(let symbol, let window): ("", symbol, window)
            case .existence(let symbol, let window): ("unknown ", symbol, window)
            }
        let bounds = [window.from, window.to].map { $0?.description ?? "" }
        let rest = [
            window.last.map(String.init), window.adjustment?.rawValue,
            window.isExtendedHours.map(String.init),
        ].map { $0 ?? "" }
        return prefix + ([symbol.text, window.interval.rawValue] + bounds + rest).joined(separator: " ")
    }
}

extension ArticleMark: CacheQuery {
    package var cacheName: String { "\(publishedAt.secondsSince1970)/\(id)" }
}
