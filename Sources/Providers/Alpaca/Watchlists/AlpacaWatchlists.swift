package import Brokerage
package import Upstream

extension AlpacaClient: WatchlistEditing {
    /// All lists with their assets: `GET /v2/watchlists`, which omits the assets, then each list separately,
    /// a few at a time.
    ///
    /// A list that is deleted meanwhile is left out. More than ``maximumLists`` are the failure `tooMany`.
    package func watchlists(in context: CallContext) async throws(ProviderFailure) -> BrokerWatchlists {
        let listed = try await get(
            "watchlists", from: .trading, { $0.appending(path: "v2", "watchlists") }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try reader.rows(of: AlpacaWatchlist.Reference.self)
            }
        }
        let ids = listed.elements.map(\.id)
        guard ids.count + listed.failures.count <= Self.maximumLists else {
            throw ProviderFailure(.alpaca, .tooMany(.watchlists, limit: Self.maximumLists))
        }
        let results = await concurrently(ids, atMost: 4) { [self] id async throws(ProviderFailure) in
            try await watchlist(id, in: context)
        }
        var unreadable = listed.unreadable(in: "watchlists")
        let found = try results.found("watchlist", unreadable: &unreadable)
        return BrokerWatchlists(found, unreadable: unreadable)
    }

    private static var maximumLists: Int { 100 }

    private func watchlist(
        _ id: AlpacaID, in context: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist {
        try await get(
            "watchlist", from: .trading, { $0.appending(path: "v2", "watchlists", id.text) }, in: context
        ) { response throws(JSONError) in try watchlist(in: response) }
    }

    /// `GET /v2/watchlists/{id}`, which returns lists of the credential's account only.
    package func watchlist(
        _ id: String, in context: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist {
        try await watchlist(try AlpacaID(id), in: context)
    }

    /// `POST /v2/watchlists`; `unsupported` for a name that another list has, or that is longer than 64 characters, and
    /// for symbols that Alpaca does not have.
    ///
    /// Portico does not offer it; tests create lists with it.
    package func createWatchlist(
        named name: String, of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist {
        try await writeWatchlist("createWatchlist", .post, name, symbols, in: context) {
            $0.appending(path: "v2", "watchlists")
        }
    }

    /// `PUT /v2/watchlists/{id}`, with the same limits.
    package func replaceWatchlist(
        _ id: String, name: String, symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist {
        let id = try AlpacaID(id)
        return try await writeWatchlist("replaceWatchlist", .put, name, symbols, in: context) {
            $0.appending(path: "v2", "watchlists", id.text)
        }
    }

    /// `DELETE /v2/watchlists/{id}`; `notFound` if it does not exist.
    package func deleteWatchlist(_ id: String, in context: CallContext) async throws(ProviderFailure) {
        let id = try AlpacaID(id)
        let refusal = try await write(
            "deleteWatchlist", .delete, { $0.appending(path: "v2", "watchlists", id.text) }, in: context
        ) { AlpacaWriteRejection($0) }
        if let refusal { throw ProviderFailure(.alpaca, refusal.cause) }
    }

    private func writeWatchlist(
        _ operation: String, _ method: HTTPClientMethod, _ name: String, _ symbols: [Symbol],
        in context: CallContext,
        _ address: (HTTPURL) -> HTTPURL?
    ) async throws(ProviderFailure) -> BrokerWatchlist {
        let spelled = symbols.compactMap(AlpacaSymbols().providerSymbol(for:))
        guard (1...64).contains(name.unicodeScalars.count), spelled.count == symbols.count else {
            throw ProviderFailure(.alpaca, .unsupported)
        }
        var body = JSONObjectText()
        body.add("name", name)
        body.add("symbols", spelled)
        let response = try await write(
            operation, method, address, body: body, in: context
        ) { response throws(JSONError) -> Result<BrokerWatchlist, ProviderFailure> in
            if let refusal = AlpacaWriteRejection(response) {
                return .failure(ProviderFailure(.alpaca, refusal.cause))
            }
            return .success(try watchlist(in: response))
        }
        return try response.get()
    }

    private func watchlist(in response: HTTPClientResponse) throws(JSONError) -> BrokerWatchlist {
        try AlpacaWatchlist(json: response.body).watchlist
    }
}

extension AlpacaWriteRejection {
    /// The failure without further details.
    fileprivate var cause: ProviderFailure.Cause {
        switch status {
        case 403: .notEntitled
        case 404: .notFound
        default: message?.contains("not found") == true ? .notFound : .unsupported
        }
    }
}

/// A watchlist; its assets are nil in a response that lists all watchlists.
package struct AlpacaWatchlist: JSONObjectDecodable {
    var id = ""
    package var name = ""
    /// Nil without the member.
    private var rows: JSONRows<AlpacaAsset>?
    package var assets: [AlpacaAsset]? { rows?.elements }
    var createdAt: Instant?
    var updatedAt: Instant?

    package static let json = JSONFields(Self()) {
        $0.required("id", \.id)
        $0.required("name", \.name)
        $0.optional("assets", \.rows) { reader throws(JSONError) in try reader.rows() }
        $0.optional("created_at", \.createdAt)
        $0.optional("updated_at", \.updatedAt)
    }

    /// The id of a list, in a response that lists all watchlists.
    struct Reference: JSONDecodable, Sendable {
        let id: AlpacaID

        init(json reader: inout JSONReader) throws(JSONError) {
            let list = try AlpacaWatchlist(json: &reader)
            id = try reader.required(try? AlpacaID(list.id), "id that is a UUID")
        }
    }

    /// The list as a `BrokerWatchlist` of Portico; a list without assets is empty, because Alpaca omits the
    /// assets of an empty list.
    package var watchlist: BrokerWatchlist {
        let items = assets?.map { BrokerWatchlist.Item(symbol: $0.symbol, name: $0.name) }
        var watchlist = BrokerWatchlist(id: id, name: name, items: items ?? [])
        watchlist.unreadable = rows?.unreadable(in: "assets") ?? []
        watchlist.createdAt = createdAt
        watchlist.updatedAt = updatedAt
        return watchlist
    }
}
