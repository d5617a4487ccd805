/// Records the deferred parts of the objects that one write pass writes.
@usableFromInline
final class IncrementRecorder {
    /// A part with the number of bytes that precede it in the text.
    private struct Recorded {
        let position: Int
        let increment: Increment
    }

    /// The deferred fragments of the objects above the current position; nil if there are none.
    var scope: FragmentScope?
    private var recorded: [Recorded] = []
    /// The minimum number of bytes that the recorded parts add to the response.
    private(set) var bytes = 0
    /// True if parts whose data are available are written into the payload of their object.
    private let includesAvailable: Bool
    /// True if a stream is announced although its list has no more items, as the reference implementation does,
    /// which does not know the number of items.
    let announcesEmptyStreams: Bool

    init(scope: FragmentScope? = nil, includesAvailable: Bool, format: IncrementalFormat) {
        (self.scope, self.includesAvailable) = (scope, includesAvailable)
        announcesEmptyStreams = !includesAvailable && format == .pendingAndCompleted
    }

    /// The parts, in the order of the text.
    var increments: [Increment] { recorded.map(\.increment) }

    func add(_ increment: Increment, at position: Int) {
        recorded.append(Recorded(position: position, increment: increment))
        bytes += increment.minimumBytes
    }

    /// Discards the parts of text that is rewound: their objects are not in the response.
    @usableFromInline
    func discard(from position: Int) {
        while let last = recorded.last, last.position >= position {
            recorded.removeLast()
            bytes -= last.increment.minimumBytes
        }
    }

    /// Enters an object at which deferred fragments begin.
    func enter(_ usages: [(index: Int, usage: DeferUsage)], at path: [Int]) {
        var fragments: [Int: DeferredFragment] = [:]
        for (index, usage) in usages {
            let parent = usage.parent.flatMap { fragments[$0] ?? scope?.fragment($0) }
            fragments[index] = DeferredFragment(path: path, label: usage.label, parent: parent)
        }
        scope = FragmentScope(fragments, in: scope)
    }

    /// Returns the deferred fragments of the current object.
    func fragments(_ usages: [Int]) -> [DeferredFragment] { usages.compactMap { scope?.fragment($0) } }

    /// Returns true if a group is written into the payload of its object: its data are available, no
    /// other field of the object has one of its keys, and the fragment that contains it is not delivered later.
    func includes(_ group: DeferredGroup, _ fragments: [DeferredFragment], in slots: LoadSlots) -> Bool {
        includesAvailable && !group.sharesKeys && fragments.contains { $0.parent?.isDeferred != true }
            && group.isLoaded(in: slots)
    }

    /// Records the rest of a list whose first items have been written; or writes it into the list, if it is
    /// available and may be in the same payload.
    func add(_ part: StreamedPart, to writer: inout ResponseWriter) {
        guard includesAvailable, part.isLoaded, append(part, to: &writer) else {
            writer.record(.stream(part))
            return
        }
    }

    /// Writes the rest of a list; if an item fails and cannot be null, returns false without a trace.
    private func append(_ part: StreamedPart, to writer: inout ResponseWriter) -> Bool {
        let (mark, failures) = (writer.checkpoint, writer.failures.count)
        writer.count -= 1
        writer.path.enter()
        var row = part.firstRow
        for item in 0..<part.count {
            if item > 0 || part.initialCount > 0 { writer.write(json: ",") }
            writer.path.set(index: part.initialCount + item)
            guard part.write(item, &row, &writer) else {
                if writer.isOverLimit { return false }
                writer.rewind(to: mark)
                writer.replace(at: mark.count - 1, with: UInt8(ascii: "]"))
                writer.failures.removeSubrange(min(failures, writer.failures.count)...)
                return false
            }
        }
        writer.path.exit()
        writer.write(json: "]")
        return true
    }
}

/// The deferred fragments of the objects at and above a position.
final class FragmentScope {
    private let fragments: [Int: DeferredFragment]
    private let outer: FragmentScope?

    init(_ fragments: [Int: DeferredFragment], in outer: FragmentScope?) {
        (self.fragments, self.outer) = (fragments, outer)
    }

    func fragment(_ usage: Int) -> DeferredFragment? {
        var scope: FragmentScope? = self
        while let current = scope {
            if let fragment = current.fragments[usage] { return fragment }
            scope = current.outer
        }
        return nil
    }
}

/// A deferred part of a response.
enum Increment {
    case part(DeferredPart)
    case stream(StreamedPart)

    /// The minimum length of its entry in the payloads: with a path of short segments and without data.
    var minimumBytes: Int {
        switch self {
        case .part(let part): 32 + part.path.count * 2
        case .stream(let stream): 32 + stream.path.count * 2
        }
    }
}

/// The fields of one object that are delivered separately, because the same deferred fragments contain them.
final class DeferredPart {
    let group: DeferredGroup
    let fragments: [DeferredFragment]
    let object: RootValue
    /// The row of the object in its layer.
    let row: Int
    /// The data of loads; the execution owns them.
    let slots: LoadSlots
    /// The position of the object in the response.
    let path: [Int]
    /// The deferred fragments around the object.
    let scope: FragmentScope?
    /// True if the part has been scheduled to be written.
    var isStarted = false

    init(
        group: DeferredGroup, fragments: [DeferredFragment], object: RootValue, row: Int, slots: LoadSlots,
        path: [Int], scope: FragmentScope?
    ) {
        (self.group, self.fragments, self.object, self.row) = (group, fragments, object, row)
        (self.slots, self.path, self.scope) = (slots, path, scope)
    }

    var isLoaded: Bool { group.isLoaded(in: slots) }

    /// Writes the fields as an object; returns false if a non-null field failed.
    func write(to writer: inout ResponseWriter) -> Bool {
        writer.path.enter(path)
        writer.path.enter()
        var isEmpty = true
        guard unsafe IncrementalObject.write(group.fields, of: object.object, row, &isEmpty, to: &writer)
        else {
            return false
        }
        writer.write(json: isEmpty ? "{}" : "}")
        return !writer.isOverLimit
    }
}

/// The items of one list that are delivered separately.
final class StreamedPart {
    let label: String?
    /// The position of the list in the response.
    let path: [Int]
    /// The data of loads; the execution owns them.
    let slots: LoadSlots
    private let load: DeferredLoad?
    /// The number of items before the first of these.
    let initialCount: Int
    let count: Int
    /// The row of the first item in its layer.
    let firstRow: Int
    /// Writes an item; returns false if it failed and cannot be null.
    let write: (_ item: Int, _ row: inout Int, inout ResponseWriter) -> Bool
    /// The identifier in payloads, after the stream has been announced.
    var id: Int?

    init(
        label: String?, path: [Int], slots: LoadSlots, load: DeferredLoad?, initialCount: Int, count: Int,
        firstRow: Int, write: @escaping (Int, inout Int, inout ResponseWriter) -> Bool
    ) {
        (self.label, self.path, self.slots, self.load) = (label, path, slots, load)
        (self.initialCount, self.count, self.firstRow, self.write) = (initialCount, count, firstRow, write)
    }

    var isLoaded: Bool { load?.isComplete ?? true }

    /// Returns the position of an item in the response.
    func path(of item: Int) -> [Int] { path + [initialCount + item] }
}

/// A deferred fragment of one object.
final class DeferredFragment {
    /// The position of the object in the response.
    let path: [Int]
    let label: String?
    /// The deferred fragment that contains this one.
    let parent: DeferredFragment?
    /// True if a part of the fragment is not in the payload of its object.
    var isDeferred = false

    // The state in `IncrementalGraph`.
    var id: Int?
    var state = State.unknown
    /// The parts that have not been written.
    var waiting: [DeferredPart] = []
    var waitingCount = 0
    /// The parts that have been written but not delivered.
    var written: [WrittenPart] = []
    var children: [IncrementalGraph.Node] = []

    enum State {
        /// Not in the graph.
        case unknown
        /// Below a fragment that is not delivered yet.
        case blocked
        /// Announced to the client.
        case pending
        case ended
        /// Ended because a part failed; fragments in it are not delivered.
        case failed
    }

    init(path: [Int], label: String?, parent: DeferredFragment?) {
        (self.path, self.label, self.parent) = (path, label, parent)
    }
}

/// A part after its write pass.
final class WrittenPart {
    let part: DeferredPart
    /// The JSON text of the fields.
    let data: [UInt8]
    let failures: [FieldFailure]
    var isDelivered = false

    init(_ part: DeferredPart, data: [UInt8], failures: [FieldFailure]) {
        (self.part, self.data, self.failures) = (part, data, failures)
    }
}
