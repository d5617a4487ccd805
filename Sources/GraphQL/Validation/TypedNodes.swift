/// The type information of a selection: a field, a fragment spread or an inline fragment.
package struct TypedSelection: Sendable {
    /// Types and positions are stored in four bytes each, with -1 for nil, because every rule reads these
    /// columns.
    private var parent: Int32
    private var target: Int32
    private var result: Int32

    static let unknown = TypedSelection(parentType: nil, field: .unknown, type: nil)

    init(parentType: TypeID?, field: FieldReference, type: TypeID?) {
        parent = .none(or: parentType)
        target = field.code
        result = .none(or: type)
    }

    init(parentType: TypeID?, fragment: Int?, type: TypeID?) {
        parent = .none(or: parentType)
        target = Int32(truncatingIfNeeded: fragment ?? -1)
        result = .none(or: type)
    }

    /// The composite parent type; nil if unknown.
    package var parentType: TypeID? { parent.type }

    /// For a field: its definition in the parent type.
    package var field: FieldReference { FieldReference(code: target) }

    /// For a fragment spread: the index in `TypedDocument.fragments`; nil if undefined.
    package var fragment: Int? { target < 0 ? nil : Int(target) }

    /// The named type of a field or fragment; nil if unknown.
    ///
    /// An inline fragment without a condition has its parent's type.
    package var type: TypeID? { result.type }
}

/// The field of the parent type that a selected field refers to.
package enum FieldReference: Hashable, Sendable {
    /// The parent type is unknown or has no such field.
    case unknown
    /// `__typename`, which every composite type has.
    case typename
    /// `__schema` of the query type.
    case schema
    /// `__type` of the query type.
    case type
    /// A position in the fields of the parent type.
    case defined(Int)

    fileprivate var code: Int32 {
        switch self {
        case .unknown: -1
        case .typename: -2
        case .schema: -3
        case .type: -4
        case .defined(let position): Int32(truncatingIfNeeded: position)
        }
    }

    fileprivate init(code: Int32) {
        switch code {
        case -2: self = .typename
        case -3: self = .schema
        case -4: self = .type
        case 0...: self = .defined(Int(code))
        default: self = .unknown
        }
    }
}

/// The type information of an argument of a field or directive.
package struct TypedArgument: Sendable {
    /// The position among the arguments of the field or directive; nil if undefined.
    package var position: Int?
    /// The expected type; nil if unknown.
    package var type: GraphQLType?

    static let unknown = TypedArgument(position: nil, type: nil)
}

/// The directives that are applied to one node.
package struct NodeDirectives: Sendable {
    /// The directives in source order.
    package let directives: NodeRange<Directive>
    /// The kind of node.
    package let location: DirectiveLocation
    /// The position of the node.
    package let owner: SourceSpan
    /// The name of the type or directive that the node defines or extends; nil for other nodes.
    ///
    /// All definitions and extensions of one type count as one location.
    let definedName: Name?
}

/// The type information of a field of an input object value.
package struct TypedObjectField: Sendable {
    /// The position in the fields of the input object type; nil if the field or the type is unknown.
    package var position: Int?
    /// The expected type; nil if unknown.
    package var type: GraphQLType?

    static let unknown = TypedObjectField(position: nil, type: nil)
}

/// The kinds of types, without their specific data.
enum TypeKind: UInt8, Sendable {
    /// The document does not use the type.
    case untouched
    case scalar, object, interface, union, `enum`, inputObject

    init(_ kind: borrowing NamedType.Kind) {
        switch kind {
        case .scalar: self = .scalar
        case .object: self = .object
        case .interface: self = .interface
        case .union: self = .union
        case .enum: self = .enum
        case .inputObject: self = .inputObject
        }
    }

    var isLeaf: Bool { self == .scalar || self == .enum }
    var isComposite: Bool { self == .object || self == .interface || self == .union }
    /// True if a variable may have this type.
    var isInput: Bool { isLeaf || self == .inputObject }
}

extension Int32 {
    fileprivate static func none(or type: TypeID?) -> Int32 {
        Int32(truncatingIfNeeded: type?.index ?? -1)
    }

    fileprivate var type: TypeID? { self < 0 ? nil : TypeID(index: Int(self)) }
}
