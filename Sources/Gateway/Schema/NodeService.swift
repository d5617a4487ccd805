import Brokerage
import GraphQL
import Storage
import Upstream

/// Objects of any type by their ids.
package struct NodeService: Sendable {
    let scope: RequestScope
}

extension NodeService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope)
    }

    /// The most ids that one `nodes` field accepts.
    private static var maximumNodes: Int { 100 }

    /// The object with an id; nil if there is none that the session may read.
    func node(_ text: String) throws -> MaybeAsync<Node?> {
        try nodes([NodeID(text)]).map { try $0.first?.get() ?? nil }
    }

    /// The same for each of several ids; a failure in the place of an id that is invalid.
    func nodes(of ids: [Result<String, FieldError>]) throws -> MaybeAsync<BatchResults<Node?>?> {
        try FieldError.checkCount(of: ids, of: "ids", maximum: Self.maximumNodes)
        return try ids.loadValid { texts in try nodes(texts.map { NodeID($0) }) }.map { $0 }
    }

    /// The objects with some ids, in the order of the ids; nil for an id without an object that the session
    /// may read.
    ///
    /// Objects of one kind are loaded together.
    func nodes(_ ids: [NodeID?]) throws -> MaybeAsync<BatchResults<Node?>> {
        loadGroups(ids, by: { $0?.kind }) { kind, ids in
            try nodes(of: kind, ids.compactMap(\.self))
        }.map { nodes in nodes.map(Self.foundOrNil) }
    }

    /// Loads the objects of each group of items together.
    ///
    /// - Parameters:
    ///   - items: The items that identify the objects.
    ///   - group: Returns the group of an item; nil for an item without an object.
    ///   - load: Loads the objects of the items of a group, in the order of the items.
    /// - Returns: The object of each item, in the order of the items.
    private func loadGroups<Item: Sendable, Group: Hashable & Sendable>(
        _ items: [Item], by group: (Item) -> Group?,
        _ load: (Group, [Item]) throws -> MaybeAsync<BatchResults<Node?>>
    ) -> MaybeAsync<BatchResults<Node?>> {
        let places = items.map(group)
        let groups = Array(Set(places.compactMap(\.self)))
        let found: MaybeAsync<BatchResults<BatchResults<Node?>>> = .each(groups) { group in
            try load(group, zip(items, places).filter { $0.1 == group }.map(\.0))
        }
        return found.map { results in
            var rest = Dictionary(
                uniqueKeysWithValues: zip(groups, results.map { result in result.map { $0.makeIterator() } }))
            return places.map { group -> Result<Node?, any Error> in
                guard let group else { return .success(nil) }
                switch rest[group] {
                case .success(var nodes)?:
                    let node = nodes.next()
                    rest[group] = .success(nodes)
                    return node ?? .failure(FieldError.internalError)
                case .failure(let error)?: return .failure(error)
                case nil: return .failure(FieldError.internalError)
                }
            }
        }
    }

    /// Replaces the error "not found" by nil: for `node` it is no error that a provider or Portico does not
    /// know an object.
    private static func foundOrNil(_ node: Result<Node?, any Error>) -> Result<Node?, any Error> {
        guard case .failure(let error as FieldError) = node, error.code == .notFound else { return node }
        return .success(nil)
    }

    /// The objects of one kind with some ids, in the order of the ids.
    private func nodes(of kind: NodeID.Kind, _ ids: [NodeID]) throws -> MaybeAsync<BatchResults<Node?>> {
        let isPublic =
            switch kind {
            case .article, .chart, .fundamentals, .instrument, .marketClock, .providerStatus, .quote: true
            case .account, .activity, .alert, .alertFiring, .connection, .goal, .goalsProgress, .order,
                .portfolio, .position, .session, .user, .watchlist, .watchlistItem, .webhook:
                false
            }
        if !isPublic, let refusal = scope.session.denial(requiring: .read) { throw refusal }
        switch kind {
        case .instrument: return instrumentNodes(ids)
        case .article: return articleNodes(ids)
        case .account:
            return loadEach(ids, prefix: { $0.globalID(ofAccount: "") }) { connection in
                AccountService(scope).accounts(of: connection)
            } node: { accounts, id in
                accounts.first { $0.globalID == id }.map(Node.account)
            }
        case .position:
            return loadEach(ids, prefix: { $0.idPrefixOfPositions }) { connection in
                AccountService(scope).positions(of: connection, symbols: nil)
            } node: { positions, id in
                let known = (positions ?? []).compactMap { try? $0.get() }
                if let position = known.first(where: { $0.globalID == id }) { return .position(position) }
                // It may be one of those that could not be read.
                for case .failure(let error) in positions ?? [] { throw error }
                return nil
            }
        case .connection:
            let links = ConnectionDirectory(scope).own
            return .ready(
                ids.map { id in .success(links.first { $0.id == id.localID }.map(Node.connection)) })
        case .goal:
            return try GoalService(scope).goals().map { goals in
                ids.map { id in .success(goals?.first { $0.globalID == id.text }.map(Node.goal)) }
            }
        case .alert:
            return try AlertService(scope).alerts(withIDs: ids.map(\.localID)).map { alerts in
                alerts.map { .success($0.map(Node.alert)) }
            }
        case .alertFiring:
            return try AlertService(scope).alertFirings(withIDs: ids.map(\.localID)).map { firings in
                firings.map { .success($0.map(Node.alertFiring)) }
            }
        case .webhook:
            return try WebhookService(scope).webhooks().map { webhooks in
                ids.map { id in .success(webhooks?.first { $0.globalID == id.text }.map(Node.webhook)) }
            }
        case .activity:
            return .each(ids) { id in
                ActivityService(scope).activityIfAny(id.text).map { $0.map(Node.activity) }
            }
        case .order:
            return .each(ids) { id in OrderService(scope).orderIfAny(id.text).map { $0.map(Node.order) } }
        case .session: return try sessionNodes(ids, of: scope.owner())
        case .user:
            let owner = try scope.owner()
            guard ids.contains(where: { $0.localID == owner.text }) else {
                return .ready(ids.map { _ in .success(nil) })
            }
            return try ViewerService(scope).viewer().map { viewer in
                ids.map { .success($0.localID == owner.text ? viewer.map(Node.user) : nil) }
            }
        case .watchlist:
            return .each(ids) { id in
                try WatchlistService(scope).watchlist(id: id.text).map { $0.map(Node.watchlist) }
            }
        case .watchlistItem:
            return loadGroups(ids, by: WatchlistItem.watchlistID) { list, ids in
                try WatchlistService(scope).watchlist(id: list).map { list in
                    ids.map { id in .success(list?.items.first { $0.nodeID == id }.map(Node.watchlistItem)) }
                }
            }
        case .quote: return quoteNodes(ids)
        case .chart:
            return .each(ids) { id in
                guard let chart = ChartID(id), exists(chart.arguments.provider) else { return .ready(nil) }
                return try ChartService(scope).charts(for: [chart.symbol], chart.arguments, as: Node.chart)
                    .map {
                        try $0.first?.get()
                    }
            }
        case .fundamentals:
            return loadGroups(ids, by: { Symbol(canonical: $0.localID) == nil ? nil : 0 }) { _, ids in
                InstrumentService(scope).fundamentals(of: ids.compactMap { Symbol(canonical: $0.localID) })
                    .map { results in
                        results.map { result in result.map { $0.map(Node.fundamentals) } }
                    }
            }
        case .marketClock:
            return .each(ids) { id in
                guard let provider = ProviderID(named: id.localID), exists(provider) else {
                    return .ready(nil)
                }
                return try QuoteService(scope).marketClock(of: provider).map { $0.map(Node.marketClock) }
            }
        case .providerStatus:
            let all = ProviderStatusService(scope).providers()
            return .ready(
                ids.map { id in
                    .success(all.first { $0.provider.name.text == id.localID }.map(Node.providerStatus))
                })
        case .portfolio:
            return try ownNodes(ids) { currency in
                try PortfolioService(scope).portfolio(in: currency).map { $0.map(Node.portfolio) }
            }
        case .goalsProgress:
            return try ownNodes(ids) { currency in
                try GoalService(scope).goalsProgress(in: currency).map { $0.map(Node.goalsProgress) }
            }
        }
    }

    /// Loads objects of the user of which there is one in each currency.
    private func ownNodes(
        _ ids: [NodeID], _ load: (_ currency: String) throws -> MaybeAsync<Node?>
    ) throws -> MaybeAsync<BatchResults<Node?>> {
        let owner = try scope.owner()
        return .each(ids) { id in
            guard let currency = id.currency(of: owner) else { return .ready(nil) }
            return try load(currency.code)
        }
    }

    private func quoteNodes(_ ids: [NodeID]) -> MaybeAsync<BatchResults<Node?>> {
        let keys = ids.map { id in SourceSymbol(id.localID).flatMap { exists($0.source) ? $0 : nil } }
        return loadGroups(keys, by: { $0?.source }) { source, keys in
            QuoteService(scope).quotes(for: keys.compactMap { $0?.symbol }, from: source, as: Node.quote)
        }
    }

    /// Whether an id can have this provider: one of a provider that does not exist has no object.
    private func exists(_ provider: ProviderID?) -> Bool {
        provider.map(scope.services.providers.contains) ?? true
    }

    /// Loads objects of connections to brokers.
    ///
    /// The objects of each connection are loaded once.
    ///
    /// - Parameters:
    ///   - ids: The ids of the objects.
    ///   - prefix: The prefix of the ids of all such objects of a connection.
    ///   - load: Loads all such objects of a connection.
    ///   - node: Returns the object with an id.
    /// - Returns: The object of each id, in the order of the ids; nil for an id without an object.
    private func loadEach<Values: Sendable>(
        _ ids: [NodeID], prefix: (BrokerConnection) -> String,
        load: (BrokerConnection) -> MaybeAsync<Values>,
        node: @escaping @Sendable (Values, _ id: String) throws -> Node?
    ) -> MaybeAsync<BatchResults<Node?>> {
        let connections = ConnectionDirectory(scope).own.compactMap(\.broker)
        let places = ids.map { id in
            connections.firstIndex { id.text.hasPrefix(prefix($0)) }
        }
        let wanted = connections.indices.filter { places.contains($0) }
        let loaded: MaybeAsync<BatchResults<Values>> = .each(wanted) { load(connections[$0]) }
        return loaded.map { results in
            let values = Dictionary(uniqueKeysWithValues: zip(wanted, results))
            return zip(ids, places).map { id, place -> Result<Node?, any Error> in
                guard let result = place.flatMap({ values[$0] }) else { return .success(nil) }
                return Result { try node(result.get(), id.text) }
            }
        }
    }

    private func instrumentNodes(_ ids: [NodeID]) -> MaybeAsync<BatchResults<Node?>> {
        let symbols = ids.map { Symbol(canonical: $0.localID) }
        return InstrumentService(scope).instruments(for: symbols.compactMap(\.self)).map { instruments in
            var rest = instruments[...]
            return symbols.map { symbol -> Result<Node?, any Error> in
                guard symbol != nil, let result = rest.popFirst() else { return .success(nil) }
                return result.map { $0.map(Node.instrument) }
            }
        }
    }

    private func articleNodes(_ ids: [NodeID]) -> MaybeAsync<BatchResults<Node?>> {
        let marks = ids.map { id in ArticleID(id).flatMap { exists($0.provider) ? $0 : nil } }
        return NewsService(scope).articles(marks.compactMap(\.self)).map { articles in
            var rest = articles[...]
            return marks.map { mark -> Result<Node?, any Error> in
                guard mark != nil, let result = rest.popFirst() else { return .success(nil) }
                return result.map(Node.article)
            }
        }
    }

    /// The user's own sessions.
    ///
    /// A token of the settings, or of the identity provider, counts as one.
    private func sessionNodes(_ ids: [NodeID], of owner: OwnerID) throws -> MaybeAsync<BatchResults<Node?>> {
        let stored = ViewerService(scope).storedSessions(
            of: owner, currentID: scope.session.id.map { NodeID(.session, $0).text })
        let found = ids.map { id in stored.first { $0.id == id.text } }
        let ownID = scope.session.bearer?.id ?? SessionDetails.idOfSettings
        guard scope.session.id == nil, ids.contains(where: { $0.localID == ownID }) else {
            return .ready(found.map { .success($0.map(Node.session)) })
        }
        return try ViewerService(scope).viewer().map { viewer in
            zip(ids, found).map { id, found -> Result<Node?, any Error> in
                let own = viewer.flatMap { $0.session.id == id.text ? $0.session : nil }
                return .success((found ?? own).map(Node.session))
            }
        }
    }
}
