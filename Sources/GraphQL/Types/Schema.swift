/// A type system (specification, chapter 3): types, directives and root operation types.
///
/// A schema is built from SDL once, validated completely, and immutable. Types are identified by their
/// `TypeID`, an index that is cheap to compare and to look up.
public final class Schema: Sendable {
    /// The description of the `schema` definition, in Markdown (specification, 3.3); nil if absent.
    public let description: String?
    /// All types, including built-in scalars and introspection types, in introspection order.
    public let types: [NamedType]
    /// All directives, including built-in ones, in introspection order.
    public let directives: [SchemaDirective]
    /// The root type of queries; nil only in a schema that is not validated yet.
    public let queryType: TypeID?
    /// The root type of mutations; nil if absent.
    public let mutationType: TypeID?
    /// The root type of subscriptions; nil if absent.
    public let subscriptionType: TypeID?
    /// The directives applied to the schema definition.
    public let appliedDirectives: [AppliedDirective]
    /// The document from which the schema was built; the `node` spans refer to its text.
    public let document: Document
    /// The input coercions of custom scalars by name; a scalar without an entry accepts every value.
    public let scalarCoercions: [String: ScalarInputCoercion]

    /// Words of clients for words of the schema, for suggestions about unknown names.
    let synonyms: Synonyms

    private let typeIDs: [String: TypeID]
    private let directiveIndices: [String: Int]
    /// The possible object types by interface or union.
    private let possibleTypes: [TypeID: [TypeID]]

    package init(
        description: String?, types: [NamedType], directives: [SchemaDirective], queryType: TypeID?,
        mutationType: TypeID?, subscriptionType: TypeID?, appliedDirectives: [AppliedDirective],
        document: Document, scalarCoercions: [String: ScalarInputCoercion] = [:], synonyms: Synonyms = [:]
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
        self.synonyms = synonyms
        typeIDs = Dictionary(types.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
        directiveIndices = Dictionary(
            directives.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        possibleTypes = Schema.possibleTypes(of: types)
    }

    /// The type with this id.
    public subscript(id: TypeID) -> NamedType { types[id.index] }

    /// Returns the id of the type with this name; nil if absent.
    public func typeID(named name: String) -> TypeID? {
        // A client may send any text as a type name. Names are ASCII (specification, section 2.1.9). Swift hashes the normal
        // form of other texts, which takes time quadratic in the number of combining marks.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return typeIDs[name]
    }

    /// Returns the type with this name; nil if absent.
    public func type(named name: String) -> NamedType? { typeID(named: name).map { self[$0] } }

    /// Returns the directive with this name, without its `@`; nil if absent.
    public func directive(named name: String) -> SchemaDirective? {
        directiveIndices[name].map { directives[$0] }
    }

    /// Returns the root type of operations of this kind; nil if the schema has none.
    public func rootType(for operation: OperationType) -> TypeID? {
        switch operation {
        case .query: queryType
        case .mutation: mutationType
        case .subscription: subscriptionType
        }
    }

    /// Returns the object types of a type's values (specification, GetPossibleTypes): the object type
    /// itself, a union's members, an interface's implementations.
    public func possibleTypes(of id: TypeID) -> [TypeID] {
        if case .object = self[id].kind { return [id] }
        return possibleTypes[id] ?? []
    }

    /// Returns true if every value of `type` is also a value of `supertype` (specification, IsSubType for
    /// named types).
    public func isSubtype(_ type: TypeID, of supertype: TypeID) -> Bool {
        if type == supertype { return true }
        switch self[supertype].kind {
        case .union(let union): return union.members.contains(type)
        case .interface: return self[type].interfaces.contains(supertype)
        case .scalar, .object, .enum, .inputObject: return false
        }
    }

    /// Returns true if both types have a possible object type in common (specification, 5.5.2.3).
    public func overlap(_ one: TypeID, _ other: TypeID) -> Bool {
        if one == other { return true }
        let possible = possibleTypes(of: other)
        return possibleTypes(of: one).contains { possible.contains($0) }
    }

    /// Returns the text of a wrapped type, such as `[Int!]!`.
    public func describe(_ type: GraphQLType) -> String {
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

/// The identifier of a type: an index into the `types` of a schema.
///
/// Ids of different schemas are unrelated.
@frozen
public struct TypeID: Hashable, Sendable {
    /// The position in `Schema.types`.
    public let index: Int

    /// Creates the id of the type at a position of `Schema.types`; a lookup with an invalid position traps.
    @inlinable
    public init(index: Int) {
        self.index = index
    }
}

/// A named type with lists and non-null markers: the type of a field, argument or variable.
public struct GraphQLType: Hashable, Sendable {
    /// The type inside all lists.
    public let type: TypeID
    /// The lists and non-null markers around it.
    public let wrapping: Wrapping

    /// Creates a wrapped type; without a wrapping it is a nullable named type.
    public init(_ type: TypeID, _ wrapping: Wrapping = Wrapping()) {
        self.type = type
        self.wrapping = wrapping
    }
}
