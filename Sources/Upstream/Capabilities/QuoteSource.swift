package import Brokerage

/// Knows the latest prices of instruments.
package protocol QuoteSource: Sendable {
    /// How many symbols may be asked for at once; at least 1.
    var symbolsPerCall: Int { get }

    /// The latest prices; of a symbol that the source does not know there is nothing.
    ///
    /// - Parameters:
    ///   - symbols: each once, at most `symbolsPerCall`.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the quotes of the symbols that are known, and why others could not be read.
    /// - Throws: `ProviderFailure` where none could be read.
    func quotes(
        for symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote>
}

/// Tells of prices as they change, over one connection for all symbols.
///
/// It holds the connection only: who keeps it, connects again after a failure and polls where there is none is `Upstream`'s.
package protocol QuoteStream: Sendable {
    /// As many symbols as one connection takes; nil for no bound known.
    var symbolLimit: Int? { get }

    /// Runs one connection until it fails or the task is cancelled.
    ///
    /// - Parameters:
    ///   - wanted: the symbols to follow: a first set at once, then each change of it, always whole.
    ///   - deliver: told of each change: only the fields that the message had are set. Called on any thread; it must be quick.
    /// - Throws: `ProviderFailure` when the connection ends; `unsupported` where this credential has no stream.
    func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure)
}

/// Tells of orders as they change.
package protocol OrderStream: Sendable {
    /// Runs one connection until it fails or the task is cancelled.
    func run(deliver: @escaping @Sendable (StreamEvent<Order>) -> Void) async throws(ProviderFailure)
}

/// What comes over a stream.
package enum StreamEvent<Value: Sendable>: Sendable {
    /// The connection stands; what happened before is not known.
    case connected
    case value(Value)
}

/// Some figures of a quote that changed.
package struct QuoteUpdate: Hashable, Sendable {
    package var symbol: Symbol
    package var price: Decimal?
    /// A side that went away is `.some(nil)`; nil where nothing is said about it.
    package var bid: Decimal??
    package var ask: Decimal??
    package var open: Decimal?
    package var high: Decimal?
    package var low: Decimal?
    package var previousClose: Decimal?
    package var volume: Decimal?
    package var marketState: MarketState?
    /// By the source's own clock.
    package var asOf: Instant?

    package init(symbol: Symbol) {
        self.symbol = symbol
    }
}
