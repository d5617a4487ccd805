package import Brokerage

/// Knows the latest prices of instruments.
package protocol QuoteSource: Sendable {
    /// The maximum number of symbols of one call; at least 1.
    var symbolsPerCall: Int { get }

    /// Returns the latest prices; a symbol that the source does not know has no result.
    ///
    /// - Parameters:
    ///   - symbols: Each once, at most `symbolsPerCall`.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The quotes of the known symbols, and the failures of others.
    /// - Throws: `ProviderFailure` if none could be read.
    func quotes(
        for symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote>
}

/// Reads the order book of an instrument.
package protocol MarketDepthSource: Sendable {
    /// The best prices of both sides, or the reason for which there are none.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for a symbol that the source does not know.
    func marketDepth(of symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> MarketDepth
}

/// A stream of price changes, with one connection for all symbols.
///
/// It handles the connection only; `Upstream` reconnects after a failure, and polls if there is no stream.
package protocol QuoteStream: Sendable {
    /// As many symbols as one connection takes; nil for no bound known.
    var symbolLimit: Int? { get }
    /// Whether several processes use one connection, which one of them has.
    var isShared: Bool { get }

    /// Runs one connection until it fails or the task is cancelled.
    ///
    /// - Parameters:
    ///   - wanted: The symbols: an initial set, then the whole set after each change of it.
    ///   - deliver: Called for each change, with only the fields that the message had. It may be called on
    ///     any thread, and must be fast.
    /// - Throws: `ProviderFailure` when the connection ends; `unsupported` if this credential has no stream.
    func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure)
}

extension QuoteStream {
    package var isShared: Bool { false }
}

/// A stream of order changes.
package protocol OrderStream: Sendable {
    /// Runs one connection until it fails or the task is cancelled.
    func run(deliver: @escaping @Sendable (StreamEvent<Order>) -> Void) async throws(ProviderFailure)
}

/// An event of a stream.
package enum StreamEvent<Value: Sendable>: Sendable {
    /// The connection is established; earlier changes are unknown.
    case connected
    /// The symbols that the connection carries, for a stream that several processes share; other symbols must be polled.
    ///
    /// Without this event the connection carries the symbols that it was given.
    case carrying(Set<Symbol>)
    case value(Value)
}

/// Some figures of a quote that changed.
package struct QuoteUpdate: Hashable, Sendable {
    package var symbol: Symbol
    package var price: Decimal?
    /// `.some(nil)` if the side was removed; nil if the message does not contain it.
    package var bid: Decimal??
    package var ask: Decimal??
    package var open: Decimal?
    package var high: Decimal?
    package var low: Decimal?
    package var previousClose: Decimal?
    package var volume: Decimal?
    package var marketState: MarketState?
    /// Set only by streams of one user's own prices, which may become delayed; messages between replicas have none.
    package var timeliness: Timeliness?
    package var delayMinutes: Int?
    /// By the source's own clock.
    package var asOf: Instant?

    package init(symbol: Symbol) {
        self.symbol = symbol
    }
}
