import Brokerage
import NIOHTTP1

/// A user's list of symbols at Alpaca.
struct FakeAlpacaWatchlist: Sendable {
    let id: String
    let createdAt: Instant
    var updatedAt: Instant
    var name: String
    var instruments: [FakeInstrument]

    /// The maximum number of lists of a user, and of symbols of a list.
    static let maximumCount = 500
}

/// Alpaca's watchlists: each endpoint by id and by name.
struct FakeAlpacaWatchlists: Sendable {
    let host: FakeAlpacaHost
    let accounts: FakeAlpacaAccounts
    let settings: FakeAlpacaSettings

    private enum Key: Sendable {
        case id, name
    }

    var routes: [SandboxRoute] {
        [
            host.get("/v2/watchlists") { context in
                .array(
                    try accounts.with(context) { account in
                        account.watchlists.map { .object(summary($0, of: account)) }
                    })
            },
            host.route(.POST, "/v2/watchlists", scope: .account) { context in
                .json(try accounts.with(context) { try create(context, &$0) })
            },
        ] + routes("/v2/watchlists/{watchlist_id}", .id) + routes("/v2/watchlists:by_name", .name) + [
            removal("/v2/watchlists/{watchlist_id}/{symbol}", .id),
            removal("/v2/watchlists:by_name/{symbol}", .name),
        ]
    }

    private func routes(_ template: PathTemplate, _ key: Key) -> [SandboxRoute] {
        [
            host.get(template) { context in
                try accounts.with(context) { document($0.watchlists[try find(context, key, $0)], of: $0) }
            },
            host.route(.PUT, template, scope: .account) { context in
                .json(try accounts.with(context) { try update(context, key, &$0) })
            },
            host.route(.POST, template, scope: .account) { context in
                .json(try accounts.with(context) { try append(context, key, &$0) })
            },
            host.route(.DELETE, template, scope: .account) { context in
                try accounts.with(context) { account in
                    _ = account.watchlists.remove(at: try find(context, key, account))
                }
                return SandboxResponse(status: .noContent)
            },
        ]
    }

    private func removal(_ template: PathTemplate, _ key: Key) -> SandboxRoute {
        host.route(.DELETE, template, scope: .account) { context in
            .json(
                try accounts.with(context) { account in
                    let index = try find(context, key, account)
                    let symbol = context.request.parameters["symbol"] ?? ""
                    guard
                        let place = account.watchlists[index].instruments.firstIndex(where: {
                            $0.symbol == symbol
                        })
                    else { throw FakeAlpacaError.assetNotFound(symbol) }
                    account.watchlists[index].instruments.remove(at: place)
                    account.watchlists[index].updatedAt = context.now
                    return document(account.watchlists[index], of: account)
                })
        }
    }

    private func create(_ context: FakeAlpacaHost.AuthenticatedRequest, _ account: inout FakeAlpacaAccount)
        throws -> JSONDocument
    {
        let body = try FakeAlpacaOrders.body(context)
        guard account.watchlists.count < FakeAlpacaWatchlist.maximumCount else {
            throw FakeAlpacaError.tooMany(
                "the sandbox keeps \(FakeAlpacaWatchlist.maximumCount) watchlists of a user")
        }
        guard let name = try name(body) else { throw FakeAlpacaError.invalid("name is required") }
        try requireFree(name, account)
        let list = FakeAlpacaWatchlist(
            id: account.nextID(), createdAt: context.now, updatedAt: context.now, name: name,
            instruments: try instruments(body) ?? [])
        account.watchlists.append(list)
        return document(list, of: account)
    }

    private func update(
        _ context: FakeAlpacaHost.AuthenticatedRequest, _ key: Key, _ account: inout FakeAlpacaAccount
    ) throws -> JSONDocument {
        let (index, body) = (try find(context, key, account), try FakeAlpacaOrders.body(context))
        let (name, instruments) = (try name(body), try instruments(body))
        if let name, name != account.watchlists[index].name {
            try requireFree(name, account)
            account.watchlists[index].name = name
        }
        if let instruments { account.watchlists[index].instruments = instruments }
        account.watchlists[index].updatedAt = context.now
        return document(account.watchlists[index], of: account)
    }

    private func append(
        _ context: FakeAlpacaHost.AuthenticatedRequest, _ key: Key, _ account: inout FakeAlpacaAccount
    ) throws -> JSONDocument {
        let (index, body) = (try find(context, key, account), try FakeAlpacaOrders.body(context))
        let instrument = try listed(body["symbol"]?.string ?? "")
        if !account.watchlists[index].instruments.contains(instrument) {
            guard account.watchlists[index].instruments.count < FakeAlpacaWatchlist.maximumCount else {
                throw FakeAlpacaError.tooMany("a watchlist holds \(FakeAlpacaWatchlist.maximumCount) symbols")
            }
            account.watchlists[index].instruments.append(instrument)
            account.watchlists[index].updatedAt = context.now
        }
        return document(account.watchlists[index], of: account)
    }

    private func find(
        _ context: FakeAlpacaHost.AuthenticatedRequest, _ key: Key, _ account: FakeAlpacaAccount
    )
        throws -> Int
    {
        let index =
            switch key {
            case .id: account.watchlists.firstIndex { $0.id == context.request.parameters["watchlist_id"] }
            case .name: account.watchlists.firstIndex { $0.name == context.request[query: "name"] }
            }
        guard let index else { throw FakeAlpacaError.watchlistNotFound }
        return index
    }

    private func name(_ body: JSONDocument) throws(FakeAlpacaError) -> String? {
        guard let name = body["name"] else { return nil }
        guard let text = name.string, (1...64).contains(text.count) else {
            throw .invalid("name must have 1 to 64 characters")
        }
        return text
    }

    private func requireFree(_ name: String, _ account: FakeAlpacaAccount) throws(FakeAlpacaError) {
        if account.watchlists.contains(where: { $0.name == name }) {
            throw .invalid(settings.duplicateWatchlistMessage)
        }
    }

    /// Returns the symbols of a body, each once; nil if the member is missing.
    private func instruments(_ body: JSONDocument) throws(FakeAlpacaError) -> [FakeInstrument]? {
        guard let member = body["symbols"], member != .null else { return nil }
        guard case .array(let symbols) = member, symbols.count <= FakeAlpacaWatchlist.maximumCount else {
            throw .invalid("symbols must be a list of at most \(FakeAlpacaWatchlist.maximumCount)")
        }
        var found: [FakeInstrument] = []
        for symbol in symbols {
            let instrument = try listed(symbol.string ?? "")
            if !found.contains(instrument) { found.append(instrument) }
        }
        return found
    }

    private func listed(_ symbol: String) throws(FakeAlpacaError) -> FakeInstrument {
        guard let instrument = FakeInstrument.listing.first(where: { $0.symbol == symbol }) else {
            throw .invalid("asset not found: \(symbol)")
        }
        return instrument
    }

    private func summary(_ list: FakeAlpacaWatchlist, of account: FakeAlpacaAccount) -> [JSONDocument.Member]
    {
        [
            .init(name: "id", value: .string(list.id)),
            .init(name: "account_id", value: .string(account.user.ledger.accountID)),
            .init(name: "created_at", value: .string(list.createdAt.description)),
            .init(name: "updated_at", value: .string(list.updatedAt.description)),
            .init(name: "name", value: .string(list.name)),
        ]
    }

    private func document(_ list: FakeAlpacaWatchlist, of account: FakeAlpacaAccount) -> JSONDocument {
        .object(
            summary(list, of: account) + [
                .init(
                    name: "assets",
                    value: .array(list.instruments.map { FakeAlpacaReference.asset($0, settings) }))
            ])
    }
}
