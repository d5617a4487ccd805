package import Brokerage
package import Upstream

extension AlpacaClient: InstrumentSource {
    /// Shares by ticker or name, out of the list of all that are active: `GET /v2/assets`, once a day.
    ///
    /// How well they fit is not told, as Alpaca does not.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> [SearchHit] {
        let index = try await directory.index(in: context) { context throws(ProviderFailure) in
            try await assets(in: context)
        }
        return index.search(text, limit: limit).map {
            SearchHit(instrument: $0.instrument(fetchedAt: index.fetchedAt))
        }
    }

    /// What an asset is: from the list if that is at hand, else `GET /v2/assets/{symbol}`.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        guard let spelling = AlpacaSymbols().providerSymbol(for: symbol) else {
            throw ProviderFailure(.alpaca, .notFound)
        }
        if let index = directory.cached, let asset = index[symbol] {
            return asset.instrument(fetchedAt: index.fetchedAt)
        }
        return try await get(
            "instrument", from: .trading, { $0.appending(path: "v2", "assets", spelling) }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaAsset(json: &reader).instrument(fetchedAt: clock.wallTime())
            }
        }
    }

    package var instrumentsPerCall: Int { 1_000 }

    /// What some assets are: a few one by one, more from the list, which is one call; those that it lacks one by one again,
    /// as it is of active ones only.
    package func instruments(
        _ symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument> {
        if symbols.count > Self.few {
            _ = try await directory.index(in: context) { context throws(ProviderFailure) in
                try await assets(in: context)
            }
        }
        return await eachInstrument(of: symbols, in: context)
    }

    /// The list weighs as much as many single answers.
    private static var few: Int { 3 }

    private func assets(in context: CallContext) async throws(ProviderFailure) -> AlpacaAssetIndex {
        let items: [(name: String, value: String?)] = [("status", "active"), ("asset_class", "us_equity")]
        return try await get(
            "assets", from: .trading, { $0.appending(path: "v2", "assets")?.appending(query: items) },
            in: context, maximumBytes: AlpacaAssetCache.responseLimit
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                AlpacaAssetIndex(try reader.array(of: AlpacaAsset.self), fetchedAt: clock.wallTime())
            }
        }
    }
}
