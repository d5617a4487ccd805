import Brokerage
import GraphQL

/// The root of queries of a subgraph of Apollo Federation.
struct FederationQuery: QueryRoot {
    let service: SubgraphService

    typealias Context = RequestScope

    static let graphQL = ObjectType<FederationQuery>("Query") {
        publicFields
        Field("_service", \.service)
        Field(
            "_entities", RepresentationsArguments.self,
            once: { arguments, scope in try NodeService(scope).entities(arguments.representations) })
    }
}

/// `_Service` of Apollo Federation.
struct SubgraphService: Sendable {
    /// The schema for composition; nil if clients may not read it.
    let sdl: String?
}

extension SubgraphService: GraphQLObject {
    static let graphQL = ObjectType<SubgraphService>("_Service") {
        Field(
            "sdl",
            throwing: { service in
                guard let sdl = service.sdl else {
                    throw FieldError(
                        .forbidden,
                        "In production, the schema is not sent. Print it with `portico schema print --subgraph federation`."
                    )
                }
                return sdl
            })
    }
}

struct RepresentationsArguments: GraphQLArguments {
    let representations: [Result<Representation, FieldError>]

    init(_ arguments: ArgumentReader) throws {
        representations = try (arguments["representations"] as ItemwiseList<Representation>)
            .entries(of: "representations")
    }
}

/// `_Entity` of Apollo Federation: an object to which other services add fields.
struct Entity: Sendable {
    let node: Node
}

extension Entity: GraphQLAbstract {
    static let graphQL = AbstractType<Entity>("_Entity") {
        PossibleType(ConnectedAccount.self) {
            if case .account(let account) = $0.node { account } else { nil }
        }
        PossibleType(GoalObject.self) { if case .goal(let goal) = $0.node { goal } else { nil } }
        PossibleType(Instrument.self) {
            if case .instrument(let instrument) = $0.node { instrument } else { nil }
        }
        PossibleType(ConnectedOrder.self) { if case .order(let order) = $0.node { order } else { nil } }
        PossibleType(ConnectedPosition.self) {
            if case .position(let position) = $0.node { position } else { nil }
        }
        PossibleType(Quote.self) { if case .quote(let quote) = $0.node { quote } else { nil } }
        PossibleType(Viewer.self) { if case .user(let viewer) = $0.node { viewer } else { nil } }
        PossibleType(Watchlist.self) {
            if case .watchlist(let watchlist) = $0.node { watchlist } else { nil }
        }
    }
}

extension NodeService {
    /// The objects that representations identify, in their order; nil for one that `node` does not find.
    fileprivate func entities(
        _ representations: [Result<Representation, FieldError>]
    ) throws -> MaybeAsync<BatchResults<Entity?>> {
        try FieldError.checkCount(
            of: representations, of: "representations", maximum: Representation.maximumCount)
        return try representations.loadValid { try nodes($0.map(\.id)) }
            .map { nodes in nodes.map { node in node.map { $0.map(Entity.init) } } }
    }
}
