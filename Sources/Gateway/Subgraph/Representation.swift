import Brokerage
import GraphQL
import Upstream

/// `_Any` of Apollo Federation: the type of an object, and the fields of one of its keys.
struct Representation {
    /// The most representations of one field.
    ///
    /// As many as the symbols of `quotes`, whose items another service may extend.
    static let maximumCount = 200

    /// The id that `node` finds; nil if an object of the type cannot have it.
    let id: NodeID?
}

extension Representation: GraphQLScalar, GraphQLInput {
    static var graphQLNames: [String] { ["_Any"] }

    static var sample: Representation { Representation(id: nil) }

    func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        throw ResultCoercionError("_Any is a type of arguments only.")
    }

    init(input: InputValue?) throws(InputError) {
        guard case .object(let fields) = input, case .string(let name) = fields["__typename"] else {
            throw InputError("Expected an object with `__typename` and the fields of a key.")
        }
        guard let type = EntityType(rawValue: name) else {
            let names = EntityType.allCases.map(\.rawValue).joined(separator: ", ")
            throw InputError("\"\(name.beginning(40))\" is no entity of Portico; the entities are \(names).")
        }
        id = try Self.id(of: type, fields)
    }

    private static func id(of type: EntityType, _ fields: InputObject) throws(InputError) -> NodeID? {
        if let id: IDText = try fields.value(of: "id") {
            return NodeID(id.text).flatMap { $0.kind == type.kind ? $0 : nil }
        }
        let symbol: Symbol? = try fields.value(of: "symbol")
        switch type {
        case .instrument: if let symbol { return NodeID(.instrument, symbol.text) }
        case .quote:
            if let symbol, let source: ProviderID = try fields.value(of: "source") {
                return NodeID(quoteOf: symbol, from: source)
            }
        case .account, .goal, .order, .position, .viewer, .watchlist: break
        }
        let keys = type.keys.map { $0.map { "`\($0)`" }.joined(separator: " and ") }
        throw InputError("`\(type.rawValue)` is identified by \(keys.joined(separator: ", or by ")).")
    }
}

extension InputObject {
    /// The value of a field; nil if it is absent or null.
    ///
    /// - Throws: The error of the value, with the name of the field.
    fileprivate func value<Value: GraphQLInput>(of field: String) throws(InputError) -> Value? {
        do {
            return try Value?(input: self[field])
        } catch {
            throw InputError("`\(field)`: \(error.reason)")
        }
    }
}
