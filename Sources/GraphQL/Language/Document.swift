/// A parsed GraphQL document (specification, chapter 2): executable, type system, or both.
///
/// The syntax tree is stored in flat arrays of small values. A node refers to its children by a `NodeRange`
/// of one of these arrays. A document of any size therefore needs a handful of allocations, and nodes
/// contain no references. The index of a node is its identity: later stages store their results in parallel
/// arrays.
///
/// The type is a class because each copy of a value would retain a dozen arrays.
public final class Document: Sendable {
    /// The parsed text; all spans refer to it.
    public let source: SourceText
    /// The distinct names; `Name.id` is the index.
    public let names: [String]

    /// The definitions in source order.
    public let definitions: [Definition]

    /// All selections; the selections of one selection set are adjacent.
    public let selections: [Selection]
    /// All arguments of fields and directives.
    public let arguments: [Argument]
    /// All applied directives.
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
    /// Names in lists: implemented interfaces, union members, directive locations.
    public let nameLists: [Name]
    /// The root operation types of schema definitions.
    public let operationTypeDefinitions: [OperationTypeDefinition]

    /// The number of tokens in the text, for limits that report their high-water mark.
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

/// A range of adjacent nodes in one of the document's arrays.
@frozen
public struct NodeRange<Node>: Hashable, Sendable {
    /// The index of the first node.
    public var start: UInt32
    /// The number of nodes.
    public var count: UInt32

    /// Creates a range from a start index and a count.
    @inlinable
    public init(start: UInt32, count: UInt32) {
        self.start = start
        self.count = count
    }

    /// The empty range.
    @inlinable
    public static var none: NodeRange { NodeRange(start: 0, count: 0) }

    /// True if the range is empty.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The indices of the nodes in the document's array.
    @inlinable
    public var indices: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// A name and its position.
///
/// Names with the same text have the same `id` within one document.
@frozen
public struct Name: Sendable {
    /// The index into `Document.names`.
    public var id: UInt32
    /// The position.
    public var span: SourceSpan

    /// Creates a name from its id and position.
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

    /// The range from the definition's first token (its description, if any) to its last.
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

/// The arrays of a `Document` during parsing; `Document` documents them.
struct DocumentNodes {
    let source: SourceText
    var definitions: [Definition] = []
    var selections: [Selection] = []
    var arguments: [Argument] = []
    var directives: [Directive] = []
    var values: [Value] = []
    var objectFields: [ObjectField] = []
    var variableDefinitions: [VariableDefinition] = []
    var fieldDefinitions: [FieldDefinition] = []
    var inputValueDefinitions: [InputValueDefinition] = []
    var enumValueDefinitions: [EnumValueDefinition] = []
    var nameLists: [Name] = []
    var operationTypeDefinitions: [OperationTypeDefinition] = []
}

/// Assigns a number to each distinct name of a document, in order of first occurrence.
///
/// A hash table with open addressing over the bytes of the text; a name needs no allocation.
struct NameTable: ~Copyable {
    /// The first occurrence of each name; the index is the name's number.
    private var names: [SourceSpan] = []
    /// The slots; their number is a power of two.
    ///
    /// The upper half of a slot is the name's hash, the lower half is its number plus 1. A free slot is 0.
    private var slots: [UInt64] = []
    private let seed = NameTable.processSeed

    /// Returns the number of the name at a span.
    mutating func number(of span: SourceSpan, in bytes: [UInt8]) -> UInt32 {
        if names.count * 2 >= slots.count { grow() }
        let bytes = bytes.span
        let hash = hash(of: span, in: bytes)
        let mask = slots.count - 1
        var index = Int(hash) & mask
        while slots[index] != 0 {
            let number = UInt32(truncatingIfNeeded: slots[index]) &- 1
            if slots[index] >> 32 == hash && NameTable.areEqual(names[Int(number)], span, in: bytes) {
                return number
            }
            index = (index &+ 1) & mask
        }
        let number = UInt32(truncatingIfNeeded: names.count)
        names.append(span)
        slots[index] = hash << 32 | UInt64(number &+ 1)
        return number
    }

    /// Returns all names, indexed by their numbers.
    func texts(in bytes: [UInt8]) -> [String] {
        names.map { String(decoding: bytes[Int($0.start)..<Int($0.end)], as: UTF8.self) }
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: max(64, old.count * 2))
        names.reserveCapacity(slots.count / 2)
        let mask = slots.count - 1
        for slot in old where slot != 0 {
            var index = Int(slot >> 32) & mask
            while slots[index] != 0 { index = (index &+ 1) & mask }
            slots[index] = slot
        }
    }

    private static func areEqual(_ one: SourceSpan, _ other: SourceSpan, in bytes: Span<UInt8>) -> Bool {
        guard one.end &- one.start == other.end &- other.start else { return false }
        var left = Int(one.start)
        var right = Int(other.start)
        while left < Int(one.end) {
            guard bytes[left] == bytes[right] else { return false }
            left &+= 1
            right &+= 1
        }
        return true
    }

    /// Returns a 32-bit hash of a name: eight bytes at a time, each folded in by a wide multiplication.
    ///
    /// The seed is random per process, so that a client cannot construct a document whose names all collide.
    @inline(__always)
    private func hash(of span: SourceSpan, in bytes: Span<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(span.end &- span.start)
        var word: UInt64 = 0
        for index in Int(span.start)..<Int(span.end) {
            word = word << 8 | UInt64(bytes[index])
            if word >> 56 != 0 {
                hash = NameTable.fold(hash ^ word)
                word = 0
            }
        }
        hash = NameTable.fold(hash ^ word)
        return (hash ^ hash >> 32) & 0xFFFF_FFFF
    }

    @inline(__always)
    private static func fold(_ word: UInt64) -> UInt64 {
        // The fractional digits of the golden ratio: an odd number with evenly distributed bits.
        let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private static let processSeed = UInt64.random(in: .min ... .max)
}
