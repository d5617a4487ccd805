import Brokerage
import Upstream

/// Symbols that are asked for in one list, which Alpaca refuses whole for one symbol that it calls malformed.
///
/// The refused one is left out, and the others are asked for again. Each refusal costs a call, so few are borne.
struct AlpacaSymbolList {
    private(set) var symbols: [Symbol]
    private var rejections = 0

    private static let maximumRejections = 4

    init(_ symbols: [Symbol]) {
        self.symbols = symbols
    }

    /// The list as it stands in an address; nil where nothing is left to ask for.
    func list() throws(ProviderFailure) -> String? {
        if symbols.isEmpty { return nil }
        guard rejections < Self.maximumRejections else { throw ProviderFailure(.alpaca, .unsupported) }
        return symbols.map(\.text).joined(separator: ",")
    }

    /// Leaves out the symbol that a response refuses; false where it refuses none of these.
    mutating func remove(rejectedIn response: HTTPClientResponse) -> Bool {
        guard let refused = AlpacaErrorBody.rejectedSymbol(in: response), symbols.contains(refused) else {
            return false
        }
        symbols.removeAll { $0 == refused }
        rejections += 1
        return true
    }
}
