package import Brokerage
package import Upstream

extension AlpacaClient: QuoteSource {
    /// Alpaca names no limit; two hundred make an address of some 2 KB, which every proxy lets through.
    package var symbolsPerCall: Int { 200 }

    /// The latest prices of American shares: `GET /v2/stocks/snapshots`.
    ///
    /// What Alpaca does not know is not in the result, nor what cannot be a share: that is not even asked for, as one
    /// malformed symbol makes Alpaca refuse all others with it. One that it refuses nevertheless is left out, and the
    /// others are asked for again.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: Quote] {
        var wanted = symbols.filter(\.mayBeAlpacaShare)
        for _ in 0..<Self.refusalsBorne where !wanted.isEmpty {
            switch try await snapshots(of: wanted, in: context) {
            case .found(let snapshots): return quotes(wanted, of: snapshots)
            case .refused(let symbol): wanted.removeAll { $0 == symbol }
            }
        }
        guard wanted.isEmpty else { throw ProviderFailure(.alpaca, .unsupported) }
        return [:]
    }

    private enum SnapshotAnswer {
        case found([Symbol: AlpacaSnapshot])
        /// The symbol is malformed in Alpaca's eyes.
        case refused(Symbol)
    }

    /// Each refusal costs a call.
    private static var refusalsBorne: Int { 4 }

    private func snapshots(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> SnapshotAnswer {
        let list = symbols.map(\.text).joined(separator: ",")
        let items = [("symbols", list), ("feed", configuration.feed?.rawValue)]
        return try await get(
            "quotes", from: .data,
            { $0.appending(path: "v2", "stocks", "snapshots")?.appending(query: items) },
            in: context
        ) { response throws(JSONError) in
            if let refused = AlpacaProblem.refusedSymbol(in: response), symbols.contains(refused) {
                return .refused(refused)
            }
            return .found(
                try JSONReader.read(response.body) { reader throws(JSONError) in
                    try AlpacaSnapshots(json: &reader).bySymbol
                })
        }
    }

    private func quotes(_ symbols: [Symbol], of snapshots: [Symbol: AlpacaSnapshot]) -> [Symbol: Quote] {
        let fetchedAt = clock.wallTime()
        var quotes: [Symbol: Quote] = [:]
        quotes.reserveCapacity(symbols.count)
        for symbol in symbols {
            quotes[symbol] = snapshots[symbol]?.quote(
                of: symbol, feed: configuration.feed, fetchedAt: fetchedAt)
        }
        return quotes
    }
}

extension Symbol {
    /// Whether Alpaca could have a share of this name: up to eight capitals, and up to three more behind a dot for a
    /// class, warrants or the like (`BRK.B`).
    ///
    /// It is strict, because Alpaca refuses a whole list for one malformed symbol, and others may wait for the rest of
    /// it. Options, currencies and coins have other names, and other endpoints.
    fileprivate var mayBeAlpacaShare: Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let root = parts.first, (1...8).contains(root.count), parts.count <= 2 else { return false }
        let suffix = parts.dropFirst().first
        guard suffix.map({ (1...3).contains($0.count) }) ?? true else { return false }
        return parts.joined().allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
