import Brokerage
import GraphQL
import Upstream

/// The root of queries of a source schema of the Composite Schemas specification.
///
/// All arguments of a lookup are fields of a key, so it cannot use fields with further arguments.
struct CompositeQuery: QueryRoot {
    typealias Context = RequestScope

    static let graphQL = ObjectType<CompositeQuery>("Query") {
        publicFields
        Field(
            "instrumentBySymbol", SymbolArguments.self,
            once: { arguments, scope in
                try NodeService(scope).found(NodeID(.instrument, arguments.symbol.text)) {
                    if case .instrument(let instrument) = $0 { instrument } else { nil }
                }
            })
        Field(
            "quoteBySource", SourceSymbolArguments.self,
            once: { arguments, scope in
                try NodeService(scope).found(NodeID(quoteOf: arguments.symbol, from: arguments.source)) {
                    if case .quote(let quote) = $0 { quote } else { nil }
                }
            })
    }
}

struct SymbolArguments: GraphQLArguments {
    let symbol: Symbol

    init(_ arguments: ArgumentReader) throws {
        symbol = try arguments["symbol"]
    }
}

struct SourceSymbolArguments: GraphQLArguments {
    let symbol: Symbol
    let source: ProviderID

    init(_ arguments: ArgumentReader) throws {
        symbol = try arguments["symbol"]
        source = try arguments["source"]
    }
}

extension NodeService {
    /// The object of a type with an id; nil if `node` does not find it.
    fileprivate func found<Value: Sendable>(
        _ id: NodeID, as value: @escaping @Sendable (Node) -> Value?
    ) throws -> MaybeAsync<Value?> {
        try nodes([id]).map { nodes in try nodes.first?.get().flatMap(value) }
    }
}
