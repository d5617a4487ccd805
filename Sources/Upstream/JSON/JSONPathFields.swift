/// The place of a value in a JSON text: the keys and indices that lead to it, from the outside inwards.
package struct JSONPath: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    package let steps: [Step]

    package init(_ steps: [Step]) {
        self.steps = steps
    }

    /// The longest key of a path in bytes; ``JSONKeyPattern`` compares as many without a loop.
    package static let maximumKeyLength = JSONKey.inlineCount
    /// The largest index: the elements before it are read for nothing.
    package static let maximumIndex = 1_000
    /// The largest number of different keys in one object.
    package static let maximumKeys = 64
}

/// The table of the properties of a type that are read from paths, which are known only when the process runs.
///
/// It reads like ``JSONFields``, with the same table for each object, in one pass and without a tree. A value at several
/// paths' end is read once for each. A value that is null or missing leaves its property as it is in `initial`.
@usableFromInline
package struct JSONPathFields<Object: Sendable>: Sendable {
    @usableFromInline
    package let initial: Object
    @usableFromInline
    let root: JSONPathNode

    /// - Parameters:
    ///   - initial: The object before its values are read.
    ///   - add: Adds the properties.
    package init(_ initial: Object, _ add: (inout JSONPathFields<Object>.Builder) -> Void) {
        var builder = Builder()
        add(&builder)
        self.initial = initial
        root = builder.tree.node()
    }

    /// Reads one value.
    ///
    /// - Throws: `missing` for a required property without a value; the errors of the values.
    @inlinable
    package func read(from reader: inout JSONReader) throws(JSONError) -> Object {
        var object = initial
        try unsafe withUnsafeMutablePointer(to: &object) { pointer throws(JSONError) in
            try unsafe root.readAll(from: &reader, into: UnsafeMutableRawPointer(pointer))
        }
        return object
    }

    /// The properties of a table that is being built.
    package struct Builder {
        fileprivate var tree = JSONPathTree()

        /// Adds a property that must have a value.
        package mutating func required<Value>(
            _ path: JSONPath, _ property: WritableKeyPath<Object, Value>,
            _ read: @escaping @Sendable (inout JSONReader) throws(JSONError) -> Value
        ) {
            unsafe add(path, property, isRequired: true) { reader, place throws(JSONError) in
                unsafe place.assumingMemoryBound(to: Value.self).pointee = try read(&reader)
                return true
            }
        }

        /// Adds a property whose value may be missing or null.
        package mutating func optional<Value>(
            _ path: JSONPath, _ property: WritableKeyPath<Object, Value?>,
            _ read: @escaping @Sendable (inout JSONReader) throws(JSONError) -> Value?
        ) {
            unsafe add(path, property, isRequired: false) { reader, place throws(JSONError) in
                if try !reader.null() {
                    unsafe place.assumingMemoryBound(to: Value?.self).pointee = try read(&reader)
                }
                return true
            }
        }

        /// Adds a property.
        ///
        /// `store` must store a `Value`: the place is where `property` has its value.
        @unsafe
        private mutating func add<Value>(
            _ path: JSONPath, _ property: WritableKeyPath<Object, Value>, isRequired: Bool,
            _ store: @escaping JSONFieldTable.Store
        ) {
            guard let offset = MemoryLayout<Object>.offset(of: property) else {
                preconditionFailure("\(property) is not a stored property")
            }
            unsafe tree.insert(
                path.steps[...], JSONPathNode.Target(offset: offset, isRequired: isRequired, store: store))
        }
    }
}

/// The paths of a table that is being built.
private struct JSONPathTree {
    private var targets: [JSONPathNode.Target] = []
    private var keys: [(name: String, tree: JSONPathTree)] = []
    private var indices: [Int: JSONPathTree] = [:]

    mutating func insert(_ steps: ArraySlice<JSONPath.Step>, _ target: JSONPathNode.Target) {
        switch steps.first {
        case nil: targets.append(target)
        case .key(let name)?:
            let place: Int
            if let index = keys.firstIndex(where: { $0.name == name }) {
                place = index
            } else {
                place = keys.count
                keys.append((name, JSONPathTree()))
            }
            keys[place].tree.insert(steps.dropFirst(), target)
        case .index(let index)?: indices[index, default: JSONPathTree()].insert(steps.dropFirst(), target)
        }
    }

    /// Whether a value must be there.
    private var isRequired: Bool {
        targets.contains(where: \.isRequired) || keys.contains { $0.tree.isRequired }
            || indices.values.contains { $0.isRequired }
    }

    func node() -> JSONPathNode {
        let fields = keys.map { name, tree in
            // Most keys have one value, which is stored without a node.
            if let target = tree.targets.first, tree.targets.count == 1, tree.keys.isEmpty,
                tree.indices.isEmpty
            {
                return unsafe JSONFieldTable.Field(
                    key: JSONKeyPattern(name), offset: target.offset, isRequired: target.isRequired,
                    store: target.store)
            }
            let node = tree.node()
            return unsafe JSONFieldTable.Field(
                key: JSONKeyPattern(name), offset: 0, isRequired: tree.isRequired
            ) { reader, place throws(JSONError) in try unsafe node.read(from: &reader, into: place) }
        }
        return JSONPathNode(
            targets: targets, members: fields.isEmpty ? nil : JSONFieldTable(fields),
            elements: indices.mapValues { $0.node() },
            requiredElements: indices.filter { $0.value.isRequired }.map(\.key).sorted())
    }
}

/// A value of a text, and what is read of it.
@usableFromInline
final class JSONPathNode: Sendable {
    /// A property that has the value.
    @safe
    struct Target: Sendable {
        let offset: Int
        let isRequired: Bool
        let store: JSONFieldTable.Store

        @unsafe
        init(offset: Int, isRequired: Bool, store: @escaping JSONFieldTable.Store) {
            self.offset = offset
            self.isRequired = isRequired
            unsafe self.store = store
        }
    }

    private let targets: [Target]
    private let members: JSONFieldTable?
    private let elements: [Int: JSONPathNode]
    private let requiredElements: [Int]

    init(
        targets: [Target], members: JSONFieldTable?, elements: [Int: JSONPathNode], requiredElements: [Int]
    ) {
        self.targets = targets
        self.members = members
        self.elements = elements
        self.requiredElements = requiredElements
    }

    /// Reads the outermost value, which must have what is required.
    @usableFromInline
    @unsafe
    func readAll(from reader: inout JSONReader, into object: UnsafeMutableRawPointer) throws(JSONError) {
        if targets.isEmpty, elements.isEmpty, let members {
            return try unsafe members.read(from: &reader, into: object)
        }
        let isComplete = try unsafe read(from: &reader, into: object)
        guard isComplete else { throw reader.missing("value") }
    }

    /// Reads a value into the memory at `object`; false for a value that counts as a missing one.
    @unsafe
    fileprivate func read(
        from reader: inout JSONReader, into object: UnsafeMutableRawPointer
    ) throws(JSONError) -> Bool {
        let start = reader.position
        var isComplete = true
        var isRead = false
        for target in targets {
            reader.position = start
            isComplete = try unsafe target.store(&reader, object + target.offset) && isComplete
            isRead = true
        }
        if let members {
            reader.position = start
            if try reader.null() { return isComplete && !members.hasRequired }
            try unsafe members.read(from: &reader, into: object)
            isRead = true
        }
        if !elements.isEmpty {
            reader.position = start
            if try reader.null() { return isComplete && requiredElements.isEmpty }
            let count = try unsafe readElements(from: &reader, into: object)
            isComplete = isComplete && requiredElements.allSatisfy { $0 < count }
            isRead = true
        }
        if !isRead { try reader.skip() }
        return isComplete
    }

    @unsafe
    private func readElements(
        from reader: inout JSONReader, into object: UnsafeMutableRawPointer
    ) throws(JSONError) -> Int {
        var count = 0
        try reader.array { reader throws(JSONError) in
            if let node = elements[count] {
                let isComplete = try unsafe node.read(from: &reader, into: object)
                guard isComplete else { throw reader.missing("value") }
            } else {
                try reader.skip()
            }
            count &+= 1
        }
        return count
    }
}
