import Brokerage
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
    let range: HistoryRange
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
    /// Whether a provider has charts of the symbol at all; it has no value, but may be stored as unknown.
    case existence(Symbol, Interval)

    var symbol: Symbol {
        switch self {
        case .series(let symbol, _), .existence(let symbol, _): symbol
        }
    }

    /// The name of a persisted chart: it must not change.
    var cacheName: String {
        switch self {
        case .existence(let symbol, let interval): return "unknown \(symbol.text) \(interval.rawValue)"
        case .series(let symbol, let window):
            let bounds = [window.from, window.to].map { $0?.description ?? "" }
            let rest = [
                window.last.map(String.init), window.adjustment?.rawValue,
                window.isExtendedHours.map(String.init),
            ].map { $0 ?? "" }
            return ([symbol.text, window.interval.rawValue] + bounds + rest).joined(separator: " ")
        }
    }
}

extension ArticleMark: CacheQuery {
    package var cacheName: String { "\(publishedAt.secondsSince1970)/\(id)" }
}
