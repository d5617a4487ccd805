/// A type system (specification, chapter 3): the types that exist, the directives, and where operations begin.
///
/// A schema is built from SDL once, checked whole, and never changes. Types are told apart by their `TypeID`, an
/// index that costs nothing to compare or to look up.
public final class Schema: Sendable {
    /// For people, from the `schema` definition, in Markdown (specification, 3.3); nil where it has none.
    public let description: String?
    /// All types, built-in scalars and introspection types included, in the order in which introspection lists them.
    public let types: [NamedType]
    /// All directives, the built-in ones included, in the order in which introspection lists them.
    public let directives: [DirectiveType]
    /// Where queries begin; nil only in a schema that no rule has checked yet.
    public let queryType: TypeID?
    /// Where mutations begin; nil where the schema has none.
    public let mutationType: TypeID?
    /// Where subscriptions begin; nil where the schema has none.
    public let subscriptionType: TypeID?
    /// Directives applied to the schema definition itself.
    public let appliedDirectives: [AppliedDirective]
    /// The document that the schema was built from; the `node` spans of its parts point into its text.
    public let document: Document
    /// How input for custom scalars is read, by the scalar's name; a scalar without an entry accepts every value.
    public let scalarCoercions: [String: ScalarCoercion]

    private let typeIDs: [String: TypeID]
    private let directiveIndices: [String: Int]
    /// The object types that implement an interface or belong to a union, by the abstract type.
    private let possibleTypes: [TypeID: [TypeID]]

    package init(
        description: String?, types: [NamedType], directives: [DirectiveType], queryType: TypeID?,
        mutationType: TypeID?, subscriptionType: TypeID?, appliedDirectives: [AppliedDirective],
        document: Document, scalarCoercions: [String: ScalarCoercion] = [:]
    ) {
        self.description = description
        self.types = types
        self.directives = directives
        self.queryType = queryType
        self.mutationType = mutationType
        self.subscriptionType = subscriptionType
        self.appliedDirectives = appliedDirectives
        self.document = document
        self.scalarCoercions = scalarCoercions
        typeIDs = Dictionary(types.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
        directiveIndices = Dictionary(
            directives.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        possibleTypes = Schema.possibleTypes(of: types)
    }

    /// The type with this id.
    public subscript(id: TypeID) -> NamedType { types[id.index] }

    /// The id of the type with this name; nil where there is none.
    public func typeID(named name: String) -> TypeID? { typeIDs[name] }

    /// The type with this name; nil where there is none.
    public func type(named name: String) -> NamedType? {
        // A client may send any text as the name of a type, and strings are equal also if their bytes differ.
        guard let type = typeIDs[name].map({ self[$0] }), type.name.hasSameBytes(as: name) else { return nil }
        return type
    }

    /// The directive with this name, without its `@`; nil where there is none.
    public func directive(named name: String) -> DirectiveType? {
        directiveIndices[name].map { directives[$0] }
    }

    /// Where operations of this type begin; nil where the schema has none of them.
    public func rootType(for operation: OperationType) -> TypeID? {
        switch operation {
        case .query: queryType
        case .mutation: mutationType
        case .subscription: subscriptionType
        }
    }

    /// The object types that a value of the type may have (specification, GetPossibleTypes): an object type
    /// itself, a union's members, an interface's implementations.
    public func possibleTypes(of id: TypeID) -> [TypeID] {
        if case .object = self[id].kind { return [id] }
        return possibleTypes[id] ?? []
    }

    /// Whether every value of `type` is also one of `supertype` (specification, IsSubType for named types).
    public func isSubtype(_ type: TypeID, of supertype: TypeID) -> Bool {
        if type == supertype { return true }
        switch self[supertype].kind {
        case .union(let union): return union.members.contains(type)
        case .interface: return self[type].interfaces.contains(supertype)
        case .scalar, .object, .enum, .inputObject: return false
        }
    }

    /// Whether some object type is possible for both (specification, 5.5.2.3).
    public func overlap(_ one: TypeID, _ other: TypeID) -> Bool {
        if one == other { return true }
        let possible = possibleTypes(of: other)
        return possibleTypes(of: one).contains { possible.contains($0) }
    }

    /// The text of a wrapped type, as in `[Int!]!`.
    public func describe(_ type: WrappedType) -> String {
        type.wrapping.description(around: self[type.type].name)
    }

    private static func possibleTypes(of types: [NamedType]) -> [TypeID: [TypeID]] {
        var possible: [TypeID: [TypeID]] = [:]
        for type in types {
            switch type.kind {
            case .union(let union):
                possible[type.id] = union.members
            case .object(let object):
                for interface in object.interfaces { possible[interface, default: []].append(type.id) }
            case .scalar, .interface, .enum, .inputObject:
                break
            }
        }
        return possible
    }
}

/// Which type of a schema: an index into its `types`.
///
/// Ids of different schemas have nothing to do with one another.
@frozen
public struct TypeID: Hashable, Sendable {
    /// The position in `Schema.types`.
    public let index: Int

    /// The type at a position of `Schema.types`; looking it up traps where there is none.
    @inlinable
    public init(index: Int) {
        self.index = index
    }
}

/// A named type with the lists and exclamation marks around it: what a field, argument or variable has.
public struct WrappedType: Hashable, Sendable {
    /// The type inside all lists.
    public let type: TypeID
    /// The lists and exclamation marks around it.
    public let wrapping: Wrapping

    /// A type with its wrapping; without any it is nullable and no list.
    public init(_ type: TypeID, _ wrapping: Wrapping = Wrapping()) {
        self.type = type
        self.wrapping = wrapping
    }
}
