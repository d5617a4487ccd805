import Upstream

/// The conditions of a trade, by which it sets the price or not.
///
/// A trade sets the price if each of its conditions updates the open and the close of a bar of a minute, by Alpaca's table
/// (docs.alpaca.markets/docs/market-data-faq, "How are bars aggregated?"): an odd lot, an average price or a late report does
/// not. Alpaca selects the latest trade of a snapshot by the same table.
enum AlpacaTradeConditions: Hashable {
    /// The codes of one character; none for a trade without conditions.
    case codes([String])
    /// They are in another form than Alpaca documents.
    case unreadable

    /// Whether the trade sets the price; an unknown code does not.
    ///
    /// - Parameter tape: `A` (NYSE), `B` (NYSE Arca and regional exchanges), `C` (Nasdaq), `O` (over the counter); nil if it is
    ///   unknown.
    /// - Returns: Whether each of the conditions sets it on this tape.
    func isPriceSetting(onTape tape: String?) -> Bool {
        switch self {
        case .codes(let codes):
            let accepted = tape.flatMap { Self.accepted[$0] } ?? Self.acceptedOnAll
            return codes.allSatisfy(accepted.contains)
        case .unreadable: return false
        }
    }

    /// The codes that update the open and the close of a bar of a minute, by tape.
    private static let accepted: [String: Set<String>] = [
        "A": newYork, "B": newYork, "C": nasdaq, "O": ["@", "T"],
    ]

    private static let newYork: Set<String> = [" ", "E", "F", "K", "L", "O", "T", "X", "5", "6"]
    private static let nasdaq: Set<String> = [
        "@", "A", "B", "D", "F", "K", "L", "O", "T", "X", "Y", "5", "6",
    ]

    /// Those that no tape excludes: `B` is an average price in New York, and several orders in one trade at Nasdaq.
    private static let acceptedOnAll = newYork.union(nasdaq).subtracting(["B"])
}

extension AlpacaTradeConditions {
    /// Reads the conditions of a trade; the same key is a number in bars.
    init(json reader: inout JSONReader) throws(JSONError) {
        let codes = try reader.readable { reader throws(JSONError) in try reader.array(of: String.self) }
        self = codes.map(Self.codes) ?? .unreadable
    }
}
