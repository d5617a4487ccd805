/// The deferred fragments and streams of a response that are not delivered yet.
///
/// A fragment is announced when the payload of its object has been delivered; a fragment in a fragment after
/// the outer one. An announced fragment ends with its last part, or with the first part that fails.
struct IncrementalGraph {
    enum Node {
        case fragment(DeferredFragment)
        case stream(StreamedPart)
    }

    /// The parts and streams that are to be written, in the order of their start.
    private(set) var started: [Increment] = []
    private var pendingCount = 0

    /// True if a fragment or stream has not ended.
    var hasNext: Bool { pendingCount > 0 }

    /// Removes the started parts whose loads have ended, and returns them.
    mutating func takeLoaded() -> [Increment] {
        var loaded: [Increment] = []
        started.removeAll { increment in
            let isLoaded =
                switch increment {
                case .part(let part): part.isLoaded
                case .stream(let stream): stream.isLoaded
                }
            if isLoaded { loaded.append(increment) }
            return isLoaded
        }
        return loaded
    }

    /// Adds the parts of a payload, and returns the fragments and streams to announce.
    ///
    /// - Parameters:
    ///   - increments: The parts that its write pass has recorded.
    ///   - parents: The fragments to which the written part belongs; empty for the first payload and for the
    ///     items of a stream.
    /// - Returns: The nodes in the order of their announcement.
    mutating func add(_ increments: [Increment], below parents: [DeferredFragment]) -> [Node] {
        var first: [Node] = []
        for increment in increments {
            switch increment {
            case .part(let part):
                for fragment in part.fragments {
                    add(fragment, &first)
                    fragment.waiting.append(part)
                    fragment.waitingCount += 1
                }
                if part.fragments.contains(where: { $0.state == .pending }) { start(part) }
            case .stream(let stream):
                if parents.isEmpty { first.append(.stream(stream)) }
                for parent in parents {
                    add(parent, &first)
                    parent.children.append(.stream(stream))
                }
            }
        }
        return announce(first)
    }

    private func add(_ fragment: DeferredFragment, _ first: inout [Node]) {
        var fragment = fragment
        while fragment.state == .unknown {
            fragment.state = .blocked
            guard let parent = fragment.parent, parent.state != .ended else {
                first.append(.fragment(fragment))
                return
            }
            if parent.state == .failed {
                fragment.state = .failed
                return
            }
            parent.children.append(.fragment(fragment))
            fragment = parent
        }
    }

    /// Announces fragments and streams; for a fragment whose parts have all been delivered, those in it.
    ///
    /// The parts of an announced fragment may all have been written with another fragment that has not ended:
    /// then it is complete, and delivers them before the fragments in it deliver theirs.
    private mutating func announce(_ nodes: [Node]) -> [Node] {
        var announced: [Node] = []
        var nodes = nodes
        var next = 0
        while next < nodes.count {
            let node = nodes[next]
            next += 1
            switch node {
            case .fragment(let fragment):
                guard fragment.state == .blocked else { continue }
                if fragment.waitingCount == 0, fragment.written.allSatisfy(\.isDelivered) {
                    fragment.state = .ended
                    fragment.written = []
                    nodes += fragment.children
                    continue
                }
                fragment.state = .pending
                for part in fragment.waiting { start(part) }
                fragment.waiting = []
            case .stream(let stream):
                // A stream in several fragments is announced with the first of them.
                guard stream.id == nil else { continue }
                stream.id = -1
                started.append(.stream(stream))
            }
            pendingCount += 1
            announced.append(node)
        }
        return announced
    }

    private mutating func start(_ part: DeferredPart) {
        guard !part.isStarted else { return }
        part.isStarted = true
        started.append(.part(part))
    }

    /// Records a written part in its fragments.
    func complete(_ written: WrittenPart) {
        for fragment in written.part.fragments {
            fragment.waitingCount -= 1
            fragment.written.append(written)
        }
    }

    /// Ends a fragment whose parts have all been written.
    ///
    /// - Returns: The parts that no other fragment has delivered, and the nodes to announce; nil if the
    ///   fragment is not complete.
    mutating func end(_ fragment: DeferredFragment) -> (parts: [WrittenPart], announced: [Node])? {
        guard fragment.state == .pending, fragment.waitingCount == 0 else { return nil }
        fragment.state = .ended
        pendingCount -= 1
        let parts = fragment.written.filter { !$0.isDelivered }
        for part in parts { part.isDelivered = true }
        fragment.written = []
        let announced = announce(fragment.children)
        fragment.children = []
        return (parts, announced)
    }

    /// Records that a part failed.
    ///
    /// A fragment that is announced later writes the part again, to have its errors.
    func fail(_ part: DeferredPart) {
        part.isStarted = false
    }

    /// Ends a fragment of which a part failed; returns false if it has ended or is not announced.
    mutating func fail(_ fragment: DeferredFragment) -> Bool {
        guard fragment.state == .pending else { return false }
        pendingCount -= 1
        IncrementalGraph.discard(fragment)
        return true
    }

    /// Ends a fragment and the fragments in it, none of which is delivered.
    private static func discard(_ fragment: DeferredFragment) {
        var discarded = [fragment]
        while let fragment = discarded.popLast() {
            fragment.state = .failed
            for case .fragment(let child) in fragment.children { discarded.append(child) }
            fragment.children = []
            fragment.written = []
        }
    }

    /// Ends a stream.
    mutating func endStream() {
        pendingCount -= 1
    }
}
