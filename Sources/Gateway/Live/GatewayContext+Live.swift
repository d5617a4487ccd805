import Brokerage
import GraphQL
import Upstream

/// What a subscription tells: a value, or null with an error.
typealias LiveValue<Value: Sendable> = Result<Value?, any Error>

extension GatewayContext {
    /// The prices of some symbols: the first of each as soon as it is known, then each change.
    func livePrices(of symbols: [Symbol]) throws -> Feed<Symbol, LiveValue<Quote>> {
        let sources = try sources(for: .quotes, from: nil)
        let unknown = symbols.filter { symbol in !sources.contains { $0.has(symbol) } }
        let prices = try follow(symbols, from: nil)
        return Feed { inbox in
            for symbol in unknown {
                inbox.put(.failure(FieldError([], of: "symbol \"\(symbol)\"")), for: symbol)
            }
            for await news in prices {
                for (symbol, item) in news { inbox.put(item.told(of: symbol), for: symbol) }
            }
        }
    }

    /// The positions of all accounts: all of them first, then each that changes; one that was closed has no quantity.
    func livePositions(with provider: Provider?) throws -> Feed<String, LiveValue<LinkedPosition>> {
        try feed(of: connections(with: provider), in: backends.watches.positions, "positions") {
            connection, context in
            try await context.positions(of: connection, symbols: nil).value() ?? []
        }
    }

    /// An account, first as it is, then each time that it changes.
    func liveAccount(id: String?) throws -> Feed<String, LiveValue<LinkedAccount>> {
        let connections = try connections(with: nil)
        let wanted = id.map { id in connections.filter { id.hasPrefix($0.globalID(ofAccount: "")) } }
        if let id, wanted?.isEmpty == true { throw FieldError.noAccount(id) }
        let watched = wanted ?? Array(connections.prefix(1))
        return try feed(of: watched, in: backends.watches.accounts, "accounts") { connection, context in
            try await context.readAccounts(of: connection).value().map(\.linked)
        } keeping: { accounts in
            guard let id else { return Array(accounts.prefix(1)) }
            let account = accounts.filter { $0.globalID == id }
            if account.isEmpty { throw FieldError.noAccount(id) }
            return account
        }
    }

    /// What changes among the items of some connections.
    private func feed<Item: LiveItem>(
        of connections: [BrokerConnection], in table: WatchTable<[Item]>, _ subject: String,
        reading read: @escaping @Sendable (BrokerConnection, GatewayContext) async throws -> [Item],
        keeping kept: @escaping @Sendable ([Item]) throws -> [Item] = { $0 }
    ) throws -> Feed<String, LiveValue<Item>> {
        let watches = connections.map { connection in
            let key = CacheKey.private(
                of: connection.owner, connection.provider, "\(connection.id)/live \(subject)")
            let watch = table.watch(key) { [session, backends] call in
                try await read(
                    connection, GatewayContext(session: session, backends: backends, call: call))
            }
            return (id: connection.id, watch: watch)
        }
        return Feed { inbox in
            await withTaskGroup(of: Void.self) { group in
                for (id, watch) in watches {
                    group.addTask {
                        var changes = LiveChanges<Item>()
                        for await answer in watch.values() {
                            switch changes.take(answer.flatMap { items in Result { try kept(items) } }) {
                            case .items(let items):
                                for item in items { inbox.put(.success(item), for: item.globalID) }
                            // One for the connection, whichever of its items it would have told of.
                            case .failure(let error): inbox.put(.failure(error), for: id)
                            }
                        }
                    }
                }
            }
        }
    }
}

extension QuoteNews {
    /// As a subscription tells it.
    fileprivate func told(of symbol: Symbol) -> LiveValue<Quote> {
        switch self {
        case .success(let quote): .success(quote)
        case .failure(let failure): .failure(FieldError([failure], of: "symbol \"\(symbol)\""))
        }
    }
}
