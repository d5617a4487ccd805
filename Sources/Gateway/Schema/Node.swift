import Brokerage
import GraphQL
import Storage
import Upstream

/// `Node` of the schema: an object of any type that has an id.
enum Node: Sendable {
    case account(ConnectedAccount)
    case article(Article)
    case connection(ProviderConnection)
    case goal(GoalObject)
    case instrument(Instrument)
    case order(ConnectedOrder)
    case position(ConnectedPosition)
    case session(SessionDetails)
    case user(Viewer)
    case watchlist(Watchlist)
}

extension Node: GraphQLAbstract {
    static let graphQL = AbstractType<Node>("Node") {
        PossibleType(ConnectedAccount.self) { if case .account(let account) = $0 { account } else { nil } }
        PossibleType(Article.self) { if case .article(let article) = $0 { article } else { nil } }
        PossibleType(ProviderConnection.self) {
            if case .connection(let connection) = $0 { connection } else { nil }
        }
        PossibleType(GoalObject.self) { if case .goal(let goal) = $0 { goal } else { nil } }
        PossibleType(Instrument.self) { if case .instrument(let instrument) = $0 { instrument } else { nil } }
        PossibleType(ConnectedOrder.self) { if case .order(let order) = $0 { order } else { nil } }
        PossibleType(ConnectedPosition.self) {
            if case .position(let position) = $0 { position } else { nil }
        }
        PossibleType(SessionDetails.self) { if case .session(let session) = $0 { session } else { nil } }
        PossibleType(Viewer.self) { if case .user(let viewer) = $0 { viewer } else { nil } }
        PossibleType(Watchlist.self) { if case .watchlist(let watchlist) = $0 { watchlist } else { nil } }
    }
}

extension GatewayContext {
    /// The most ids that one `nodes` field accepts.
    private static var maximumNodes: Int { 100 }

    /// The object with an id; nil if there is none that the session may read.
    func node(_ text: String) throws -> MaybeAsync<Node?> {
        try nodes([text]).map { try $0.first?.get() ?? nil }
    }

    /// The objects with some ids, in the order of the ids; nil for an id without an object that the session
    /// may read.
    ///
    /// Objects of one kind are loaded together.
    func nodes(_ texts: [String]) throws -> MaybeAsync<BatchResults<Node?>> {
        guard texts.count <= Self.maximumNodes else {
            throw FieldError.argument(
                "ids", "It has \(texts.count) entries; at most \(Self.maximumNodes) are allowed.")
        }
        let ids = texts.map { NodeID($0) }
        let kinds = NodeID.Kind.allCases.filter { kind in ids.contains { $0?.kind == kind } }
        let found: MaybeAsync<BatchResults<BatchResults<Node?>>> = .each(kinds) { kind in
            try nodes(of: kind, ids.compactMap { $0?.kind == kind ? $0 : nil })
        }
        return found.map { answers in
            var rest = Dictionary(uniqueKeysWithValues: zip(kinds, answers))
            return ids.map { id -> Result<Node?, any Error> in
                guard let id else { return .success(nil) }
                switch rest[id.kind] {
                case .success(var nodes)?:
                    if nodes.isEmpty { return .failure(FieldError.internalError) }
                    let node = nodes.removeFirst()
                    rest[id.kind] = .success(nodes)
                    return Self.foundOrNil(node)
                case .failure(let error)?: return Self.foundOrNil(.failure(error))
                case nil: return .success(nil)
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
            case .article, .instrument: true
            case .account, .connection, .goal, .order, .position, .session, .user, .watchlist: false
            }
        if !isPublic, let refusal = session.denial(requiring: .read) { throw refusal }
        switch kind {
        case .instrument: return instrumentNodes(ids)
        case .article: return articleNodes(ids)
        case .account:
            return loadEach(ids, prefix: { $0.globalID(ofAccount: "") }) { connection in
                accounts(of: connection)
            } node: { accounts, id in
                accounts.first { $0.globalID == id }.map(Node.account)
            }
        case .position:
            return loadEach(ids, prefix: { $0.idPrefixOfPositions }) { connection in
                positions(of: connection, symbols: nil)
            } node: { positions, id in
                positions?.first { $0.globalID == id }.map(Node.position)
            }
        case .connection:
            let links = ownLinks
            return .ready(
                ids.map { id in .success(links.first { $0.id == id.localID }.map(Node.connection)) })
        case .goal:
            return try goals().map { goals in
                ids.map { id in .success(goals?.first { $0.globalID == id.text }.map(Node.goal)) }
            }
        case .order: return .each(ids) { id in orderIfAny(id.text).map { $0.map(Node.order) } }
        case .session: return try sessionNodes(ids, of: owner())
        case .user:
            let owner = try owner()
            guard ids.contains(where: { $0.localID == owner.text }) else {
                return .ready(ids.map { _ in .success(nil) })
            }
            return try viewer().map { viewer in
                ids.map { .success($0.localID == owner.text ? viewer.map(Node.user) : nil) }
            }
        case .watchlist:
            return .each(ids) { id in try watchlist(id: id.text).map { $0.map(Node.watchlist) } }
        }
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
        node: @escaping @Sendable (Values, _ id: String) -> Node?
    ) -> MaybeAsync<BatchResults<Node?>> {
        let connections = ownLinks.compactMap(\.broker)
        let places = ids.map { id in
            connections.firstIndex { id.text.hasPrefix(prefix($0)) }
        }
        let wanted = connections.indices.filter { places.contains($0) }
        let loaded: MaybeAsync<BatchResults<Values>> = .each(wanted) { load(connections[$0]) }
        return loaded.map { answers in
            let values = Dictionary(uniqueKeysWithValues: zip(wanted, answers))
            return zip(ids, places).map { id, place -> Result<Node?, any Error> in
                guard let answer = place.flatMap({ values[$0] }) else { return .success(nil) }
                return answer.map { node($0, id.text) }
            }
        }
    }

    private func instrumentNodes(_ ids: [NodeID]) -> MaybeAsync<BatchResults<Node?>> {
        let symbols = ids.map { id in Symbol(id.localID).flatMap { $0.text == id.localID ? $0 : nil } }
        return instruments(for: symbols.compactMap(\.self)).map { instruments in
            var rest = instruments[...]
            return symbols.map { symbol -> Result<Node?, any Error> in
                guard symbol != nil, let answer = rest.popFirst() else { return .success(nil) }
                return answer.map { $0.map(Node.instrument) }
            }
        }
    }

    private func articleNodes(_ ids: [NodeID]) -> MaybeAsync<BatchResults<Node?>> {
        let marks = ids.map { ArticleID($0) }
        return articles(marks.compactMap(\.self)).map { articles in
            var rest = articles[...]
            return marks.map { mark -> Result<Node?, any Error> in
                guard mark != nil, let answer = rest.popFirst() else { return .success(nil) }
                return answer.map(Node.article)
            }
        }
    }

    /// The user's own sessions.
    ///
    /// A token of the settings counts as one.
    private func sessionNodes(_ ids: [NodeID], of owner: OwnerID) throws -> MaybeAsync<BatchResults<Node?>> {
        let stored = storedSessions(of: owner, currentID: session.id.map { NodeID(.session, $0).text })
        let found = ids.map { id in stored.first { $0.id == id.text } }
        guard session.id == nil, ids.contains(where: { $0.localID == SessionDetails.idOfSettings }) else {
            return .ready(found.map { .success($0.map(Node.session)) })
        }
        return try viewer().map { viewer in
            zip(ids, found).map { id, found -> Result<Node?, any Error> in
                let own = viewer.flatMap { $0.session.id == id.text ? $0.session : nil }
                return .success((found ?? own).map(Node.session))
            }
        }
    }
}

/// An id of the schema: the type of the object, and its local id.
///
/// It is opaque to clients.
struct NodeID: Hashable, Sendable {
    let kind: Kind
    /// The id among the objects of the type.
    let localID: String

    enum Kind: String, Sendable, CaseIterable {
        case account = "Account"
        case article = "Article"
        case connection = "Connection"
        case goal = "Goal"
        case instrument = "Instrument"
        case order = "Order"
        case position = "Position"
        case session = "Session"
        case user = "User"
        case watchlist = "Watchlist"
    }

    init(_ kind: Kind, _ rest: String) {
        self.kind = kind
        self.localID = rest
    }

    /// Nil for a text that is no id of a kind that `node` finds.
    init?(_ text: String) {
        // Ids are ASCII. A text that is canonically equivalent to an id must not match it.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), !parts[1].isEmpty else {
            return nil
        }
        self.init(kind, String(parts[1]))
    }

    /// As the schema gives it.
    var text: String { "\(kind.rawValue):\(localID)" }
}
