/// A parsed GraphQL document (specification, chapter 2): executable, type system, or both mixed.
///
/// The tree lies in flat arrays of small values. A node names its children by the `NodeRange` that they fill in one of
/// these arrays, so a document of any size costs a handful of allocations, nodes carry no references, and the index
/// of a node serves as its identity: later stages attach what they learn in arrays of their own, side by side.
///
/// It is a class because everybody who works on it holds it: a value would be a dozen arrays to retain each time.
public final class Document: Sendable {
    /// The text that was parsed; every span points into it.
    public let source: SourceText
    /// Each distinct name once; `Name.id` is its index.
    public let names: [String]

    /// The definitions in the order of the text.
    public let definitions: [Definition]

    /// All selections; those of one selection set stand side by side.
    public let selections: [Selection]
    /// All arguments of fields and directives.
    public let arguments: [Argument]
    /// All directives that are applied somewhere.
    public let directives: [Directive]
    /// The items of list values.
    public let values: [Value]
    /// The fields of input object values.
    public let objectFields: [ObjectField]
    /// The variable definitions of all operations.
    public let variableDefinitions: [VariableDefinition]

    /// The field definitions of object and interface types.
    public let fieldDefinitions: [FieldDefinition]
    /// Arguments of field and directive definitions, and the fields of input object types.
    public let inputValueDefinitions: [InputValueDefinition]
    /// The values of enum types.
    public let enumValueDefinitions: [EnumValueDefinition]
    /// Names that stand in lists: implemented interfaces, union members, directive locations.
    public let nameLists: [Name]
    /// The root operation types of schema definitions.
    public let operationTypeDefinitions: [OperationTypeDefinition]

    /// How many tokens the text had, for limits that report their high-water mark.
    public let tokenCount: Int

    init(_ nodes: consuming DocumentNodes, names: [String], tokenCount: Int) {
        source = nodes.source
        self.names = names
        definitions = nodes.definitions
        selections = nodes.selections
        arguments = nodes.arguments
        directives = nodes.directives
        values = nodes.values
        objectFields = nodes.objectFields
        variableDefinitions = nodes.variableDefinitions
        fieldDefinitions = nodes.fieldDefinitions
        inputValueDefinitions = nodes.inputValueDefinitions
        enumValueDefinitions = nodes.enumValueDefinitions
        nameLists = nodes.nameLists
        operationTypeDefinitions = nodes.operationTypeDefinitions
        self.tokenCount = tokenCount
    }

    /// The text of a name.
    public func text(_ name: Name) -> String {
        names[Int(name.id)]
    }

    /// The memory of an executable document in bytes, including its text.
    var weight: Int {
        source.bytes.heapWeight + names.heapWeight + names.reduce(0) { $0 + $1.heapWeight }
            + definitions.heapWeight + selections.heapWeight + arguments.heapWeight + directives.heapWeight
            + values.heapWeight + objectFields.heapWeight + variableDefinitions.heapWeight
    }
}

extension Array {
    /// The memory of the elements in bytes, without the objects that they refer to.
    var heapWeight: Int { capacity * MemoryLayout<Element>.stride + 32 }
}

/// Nodes of one kind that stand side by side in one of a document's arrays.
@frozen
public struct NodeRange<Node>: Hashable, Sendable {
    /// Index of the first node.
    public var start: UInt32
    /// How many nodes there are.
    public var count: UInt32

    /// So many nodes from an index on.
    @inlinable
    public init(start: UInt32, count: UInt32) {
        self.start = start
        self.count = count
    }

    /// No node at all.
    @inlinable
    public static var none: NodeRange { NodeRange(start: 0, count: 0) }

    /// True where there is no node.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The nodes' indices in the document's array.
    @inlinable
    public var indices: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// A name and where it stands.
///
/// Names with the same text have the same `id` throughout one document.
@frozen
public struct Name: Sendable {
    /// Index into `Document.names`.
    public var id: UInt32
    /// Where it stands.
    public var span: SourceSpan

    /// A name from its number and place.
    @inlinable
    public init(id: UInt32, span: SourceSpan) {
        self.id = id
        self.span = span
    }
}

/// A top-level definition (specification, section 2.2).
public enum Definition: Sendable {
    case operation(OperationDefinition)
    case fragment(FragmentDefinition)
    case schema(SchemaDefinition)
    case type(TypeDefinition)
    case directive(DirectiveDefinition)

    /// From the definition's first token (its description, where it has one) to its last.
    public var span: SourceSpan {
        switch self {
        case .operation(let operation): operation.span
        case .fragment(let fragment): fragment.span
        case .schema(let schema): schema.span
        case .type(let type): type.span
        case .directive(let directive): directive.span
        }
    }
}
