/// What is known of a selection: a field, a fragment spread or an inline fragment.
package struct TypedSelection: Sendable {
    /// Types and positions are held in four bytes each, with -1 for none: these columns are read by every rule.
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

    /// The composite type from which is selected; nil where unknown.
    package var parentType: TypeID? { parent.type }

    /// Of a field: which field of the parent type it is.
    package var field: FieldReference { FieldReference(code: target) }

    /// Of a fragment spread: the index in `TypedDocument.fragments`; nil where there is no such fragment.
    package var fragment: Int? { target < 0 ? nil : Int(target) }

    /// The named type that a field returns, or that a fragment is on; nil where unknown.
    ///
    /// An inline fragment without a condition has its parent's type.
    package var type: TypeID? { result.type }
}

/// Which field of its parent type a selected field is.
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

/// What is known of an argument of a field or directive.
package struct TypedArgument: Sendable {
    /// The position among the arguments that the field or directive defines; nil where it defines no such one.
    package var position: Int?
    /// The type that is expected; nil where unknown.
    package var type: WrappedType?

    static let unknown = TypedArgument(position: nil, type: nil)
}

/// The directives that are applied to one node.
package struct DirectiveUsage: Sendable {
    /// The directives, in the order of the text.
    package let directives: NodeRange<Directive>
    /// What kind of node they are applied to.
    package let location: DirectiveLocation
    /// The node.
    package let owner: SourceSpan
    /// The name of the type or directive that the node defines or extends; nil for other nodes.
    ///
    /// All definitions and extensions of one type count as one location.
    let definedName: Name?
}

/// What is known of a field of an input object value.
package struct TypedObjectField: Sendable {
    /// The position in the fields of the input object type; nil where it has no such field, or the type is unknown.
    package var position: Int?
    /// The type that is expected; nil where unknown.
    package var type: WrappedType?

    static let unknown = TypedObjectField(position: nil, type: nil)
}

/// The kinds of type, without what is particular to each.
enum TypeKind: UInt8, Sendable {
    /// The document does not touch the type.
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

    /// A scalar or an enum.
    var isLeaf: Bool { self == .scalar || self == .enum }
    /// An object, interface or union.
    var isComposite: Bool { self == .object || self == .interface || self == .union }
    /// May be the type of a variable.
    var isInput: Bool { isLeaf || self == .inputObject }
}

extension Int32 {
    fileprivate static func none(or type: TypeID?) -> Int32 {
        Int32(truncatingIfNeeded: type?.index ?? -1)
    }

    fileprivate var type: TypeID? { self < 0 ? nil : TypeID(index: Int(self)) }
}
