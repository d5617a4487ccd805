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
        let watches = try connections(with: provider).map { connection in
            watch(connection, WatchKey.Subject.positions, in: backends.watches.positions) { context in
                try await context.positions(of: connection, symbols: nil).value() ?? []
            }
        }
        return feed(of: watches) { $0 }
    }

    /// An account, first as it is, then each time that it changes.
    func liveAccount(id: String?) throws -> Feed<String, LiveValue<LinkedAccount>> {
        let connections = try connections(with: nil)
        let wanted = id.map { id in connections.filter { id.hasPrefix($0.globalID(ofAccount: "")) } }
        if let id, wanted?.isEmpty == true { throw FieldError.noAccount(id) }
        let watches = (wanted ?? Array(connections.prefix(1))).map { connection in
            watch(connection, WatchKey.Subject.accounts, in: backends.watches.accounts) { context in
                try await context.readAccounts(of: connection).value().map(\.linked)
            }
        }
        return feed(of: watches) { accounts in
            guard let id else { return Array(accounts.prefix(1)) }
            let account = accounts.filter { $0.globalID == id }
            if account.isEmpty { throw FieldError.noAccount(id) }
            return account
        }
    }

    /// How far all goals together are, in one currency: first as it is, then each time that it changes.
    func liveGoalsProgress(in code: String) throws -> Feed<String, LiveValue<GoalsProgress>> {
        let currency = try Currency(code).code
        let watch = backends.watches.goals.watch(WatchKey(try owner(), .goals(currency: currency))) {
            [session, backends] call in
            let context = GatewayContext(session: session, backends: backends, call: call)
            return try await context.goalsProgress(in: currency).value().map { [$0] } ?? []
        }
        return feed(of: [Watched(id: currency, values: watch.values)]) { $0 }
    }

    /// The orders of all connections: the open ones first, then each that is placed, changes or ends.
    func liveOrders() throws -> Feed<String, LiveValue<LinkedOrder>> {
        let watches = try connections(with: nil).filter { $0.orders != nil }.map { connection in
            let watch = backends.watches.orders.watch(connection) {
                [session, backends] inbox, watch, nudges in
                // By its credential of now, which may be another one than when it was first followed.
                let links = backends.links(of: connection.owner)
                guard let current = links.first(where: { $0.id == connection.id })?.broker else { return }
                let follower = OrderFollower(
                    connection: current, clock: backends.watches.clock, inbox: inbox
                ) { call in GatewayContext(session: session, backends: backends, call: call) }
                await follower.run(telling: watch, nudges)
            }
            return Watched(id: connection.id) { watch.orders.values() }
        }
        return feed(of: watches) {
            $0
        } telling: {
            $0.linked
        }
    }

    // MARK: Watching

    /// Where the values of something that is watched come from; it is watched as long as this is kept.
    private struct Watched<Item: LiveItem>: Sendable {
        /// Tells it from the others that are followed with it.
        let id: String
        let values: @Sendable () -> AsyncStream<Result<[Item], any Error>>
    }

    private func watch<Item: LiveItem>(
        _ connection: BrokerConnection, _ subject: (String) -> WatchKey.Subject,
        in table: WatchTable<[Item]>,
        reading read: @escaping @Sendable (GatewayContext) async throws -> [Item]
    ) -> Watched<Item> {
        let watch = table.watch(WatchKey(connection, subject)) { [session, backends] call in
            try await read(GatewayContext(session: session, backends: backends, call: call))
        }
        return Watched(id: connection.id, values: watch.values)
    }

    /// What changes among the items that are watched.
    private func feed<Item: LiveItem>(
        of watches: [Watched<Item>], keeping kept: @escaping @Sendable ([Item]) throws -> [Item]
    ) -> Feed<String, LiveValue<Item>> {
        feed(of: watches, keeping: kept) { $0 }
    }

    private func feed<Item: LiveItem, Told: Sendable>(
        of watches: [Watched<Item>], keeping kept: @escaping @Sendable ([Item]) throws -> [Item],
        telling told: @escaping @Sendable (Item) -> Told
    ) -> Feed<String, LiveValue<Told>> {
        Feed { inbox in
            await withTaskGroup(of: Void.self) { group in
                for watched in watches {
                    group.addTask {
                        var changes = LiveChanges<Item>()
                        for await answer in watched.values() {
                            switch changes.take(answer.flatMap { items in Result { try kept(items) } }) {
                            case .items(let items):
                                for item in items { inbox.put(.success(told(item)), for: item.globalID) }
                            // One for the connection, whichever of its items it would have told of.
                            case .failure(let error): inbox.put(.failure(error), for: watched.id)
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
