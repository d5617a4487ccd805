import Brokerage
import GraphQL
package import PorticoCore
import Upstream

/// The event of a subscription: a value, or null with an error.
typealias LiveValue<Value: Sendable> = Result<Value?, any Error>

/// Streams of changes for subscriptions.
package struct SubscriptionService: Sendable {
    let scope: RequestScope
    let reads: MarketDataReads
    let subscriptions: LiveSubscriptions
}

extension SubscriptionService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: MarketDataReads(scope), subscriptions: scope.services.subscriptions)
    }

    /// The prices of some symbols: the first of each as soon as it is known, then each change.
    func livePrices(of symbols: [Symbol]) throws -> QuoteSequence {
        let sources = try reads.sources(for: .quotes, from: nil)
        let unknown = symbols.filter { symbol in !sources.contains { $0.has(symbol) } }
        return QuoteSequence(try follow(symbols, from: nil), unknown: unknown)
    }

    /// The positions of all accounts, those of connections that are made meanwhile included: all of them first, then each
    /// that changes; one that was closed has no quantity.
    func livePositions(with provider: ProviderID?) throws -> ConflatingStream<
        String, LiveEvent<ConnectedPosition>
    > {
        if let provider { try scope.services.check(provider) }
        return stream(ofConnectionsOf: try scope.owner(), with: provider) { [self] connection in
            subscribedSource(connection, SubscriptionKey.Target.positions, in: subscriptions.positions) {
                scope in
                let list =
                    try await AccountService(scope).positions(of: connection, symbols: nil).value() ?? []
                let readable = list.compactMap { try? $0.get() }
                // Nothing that could be read is not nothing that is held.
                if readable.isEmpty { _ = try list.first?.get() }
                return readable
            } carrying: { _, all in
                // Other fields must not take the readable positions for all.
                all.allSatisfy(\.isListComplete) ? .positions(all, of: connection) : nil
            }
        } transform: {
            $0
        }
    }

    /// An account: its current state, then each change.
    ///
    /// Without an id it is the default account of the user's first connection, from when there is one. Ends with an error when
    /// the connection is removed.
    func liveAccount(id: String?) throws -> ConflatingStream<String, LiveEvent<ConnectedAccount>> {
        let owner = try scope.owner()
        let wanted = try id.map { id in
            let connections = try ConnectionDirectory(scope).connections(with: nil)
            guard let connection = connections.first(where: { id.hasPrefix($0.globalID(ofAccount: "")) })
            else { throw FieldError.noAccount(id) }
            return connection
        }
        return ConflatingStream { [self] continuation in
            var connection = wanted
            if connection == nil { connection = await firstConnection(of: owner) }
            guard let connection else { return }
            let source = subscribedSource(
                connection, SubscriptionKey.Target.accounts, in: subscriptions.accounts
            ) { scope in
                try await AccountService(scope).readAccounts(of: connection).value().map(\.connectedAccount)
            } carrying: { _, all in
                .accounts(all, of: connection)
            }
            await source.sendChanges(to: continuation) { accounts in
                guard let id else { return Array(accounts.prefix(1)) }
                let account = accounts.filter { $0.globalID == id }
                if account.isEmpty { throw FieldError.noAccount(id) }
                return account
            } transform: {
                $0
            }
            let gone = FieldError.noConnection(ProviderConnection.globalID(connection.id))
            if !Task.isCancelled { continuation.yield(LiveEvent(value: .failure(gone)), for: "end") }
        }
    }

    /// Waits until a user has a connection; nil if the task is cancelled.
    private func firstConnection(of owner: OwnerID) async -> BrokerConnection? {
        for await _ in subscriptions.connections.changes(of: owner) {
            if let first = scope.services.connections(of: owner, with: nil).first { return first }
        }
        return nil
    }

    /// The progress of all goals together in one currency: the present one, then each change.
    package func liveGoalsProgress(in code: String) throws -> ConflatingStream<
        String, LiveEvent<GoalsProgress>
    > {
        let currency = try Currency(code, of: "currency").code
        let key = SubscriptionKey(try scope.owner(), .goals(currency: currency))
        // Prices and rates may be read with the server's own credentials.
        let subscription = subscriptions.goals.subscription(for: key, within: scope.call.callBudget) {
            [session = scope.session, services = scope.services] call in
            let scope = RequestScope(session: session, services: services, call: call)
            return try await GoalService(scope).goalsProgress(in: currency).value().map { [$0] } ?? []
        }
        let source = SourceStream(id: currency, values: subscription.values)
        return ConflatingStream { continuation in
            await source.sendChanges(to: continuation, filter: { $0 }, transform: { $0 })
        }
    }

    /// The orders of all connections, those that are made meanwhile included: the open ones first, then each that is placed,
    /// changes or ends.
    func liveOrders() throws -> ConflatingStream<String, LiveEvent<ConnectedOrder>> {
        stream(ofConnectionsOf: try scope.owner(), with: nil) {
            [self] connection -> SourceStream<SubscribedOrder>? in
            guard connection.orders != nil else { return nil }
            let subscription = orderSubscription(to: connection)
            return SourceStream(id: connection.id) {
                subscription.orders.values()
            } carrying: { order, _ in
                .order(order)
            }
        } transform: {
            $0.connectedOrder
        }
    }

    /// The subscription to the orders of a connection, which all sessions and alerts of the user share.
    func orderSubscription(to connection: BrokerConnection) -> OrderSubscription {
        subscriptions.orders.subscription(for: connection) {
            [session = scope.session, services = scope.services] queue, subscription, run in
            // By its credential of now, which may be another one than when it was first followed.
            let links = services.links(of: connection.owner)
            guard let current = links.first(where: { $0.id == connection.id })?.broker else {
                subscription.publish(
                    .failure(FieldError.noConnection(ProviderConnection.globalID(connection.id))))
                return subscription.end()
            }
            let follower = OrderTracker(
                connection: current, clock: services.subscriptions.clock, queue: queue
            ) { call in RequestScope(session: session, services: services, call: call) }
            await follower.run(publishingTo: subscription, run)
        }
    }

    // MARK: Watching

    private func subscribedSource<Item: LiveEntity>(
        _ connection: BrokerConnection, _ subject: (String) -> SubscriptionKey.Target,
        in table: SubscriptionTable<[Item]>,
        reading read: @escaping @Sendable (RequestScope) async throws -> [Item],
        carrying carried: @escaping @Sendable (Item, [Item]) -> EventValue?
    ) -> SourceStream<Item> {
        let subscription = table.subscription(for: SubscriptionKey(connection, subject)) {
            [session = scope.session, services = scope.services] call in
            try await read(RequestScope(session: session, services: services, call: call))
        }
        return SourceStream(id: connection.id, values: subscription.values, carrying: carried)
    }

    /// The changes of the items of all connections of a user, also of those that are made later.
    ///
    /// - Parameters:
    ///   - owner: The user.
    ///   - provider: The provider of the connections; nil for all.
    ///   - watched: Returns the source of a connection's items; nil to leave the connection out.
    ///   - transform: Converts an item to the value of an event.
    /// - Returns: All items first, then each item that changes.
    private func stream<Item: LiveEntity, Output: Sendable>(
        ofConnectionsOf owner: OwnerID, with provider: ProviderID?,
        _ watched: @escaping @Sendable (BrokerConnection) -> SourceStream<Item>?,
        transform: @escaping @Sendable (Item) -> Output
    ) -> ConflatingStream<String, LiveEvent<Output>> {
        ConflatingStream { [services = scope.services] continuation in
            await withDiscardingTaskGroup { group in
                var followed: Set<String> = []
                for await _ in services.subscriptions.connections.changes(of: owner) {
                    let all = services.connections(of: owner, with: provider).compactMap(watched)
                    for watched in all where !followed.contains(watched.id) {
                        group.addTask {
                            await watched.sendChanges(to: continuation, filter: { $0 }, transform: transform)
                        }
                    }
                    followed = Set(all.map(\.id))
                }
            }
        }
    }
}

/// The source of the values of a subscription, which lasts as long as this object.
private struct SourceStream<Item: LiveEntity>: Sendable {
    /// The id among the sources of one subscription.
    let id: String
    let values: @Sendable () -> AsyncStream<Result<[Item], any Error>>
    /// Returns the value that the event of an item carries.
    ///
    /// The second argument has all items of the same read.
    let carried: @Sendable (Item, [Item]) -> EventValue?

    init(
        id: String, values: @escaping @Sendable () -> AsyncStream<Result<[Item], any Error>>,
        carrying carried: @escaping @Sendable (Item, [Item]) -> EventValue? = { _, _ in nil }
    ) {
        (self.id, self.values, self.carried) = (id, values, carried)
    }

    /// Publishes changes to a stream until the subject is removed.
    func sendChanges<Output: Sendable>(
        to continuation: ConflatingStream<String, LiveEvent<Output>>.Continuation,
        filter: @Sendable ([Item]) throws -> [Item], transform: @Sendable (Item) -> Output
    ) async {
        var changes = ChangeDetector<Item>()
        for await result in values() {
            switch changes.detectChanges(in: result.flatMap { items in Result { try filter(items) } }) {
            case .items(let items):
                let all = (try? result.get()) ?? []
                for item in items {
                    let event = LiveEvent(value: .success(transform(item)), carried: carried(item, all))
                    continuation.yield(event, for: item.globalID)
                }
            // One for the connection, whichever of its objects failed.
            case .failure(let error): continuation.yield(LiveEvent(value: .failure(error)), for: id)
            }
        }
    }
}
