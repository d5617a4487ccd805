import EngineTestSupport
import Storage
import Testing

@Suite("The life of an order, in all interleavings of two processes")
struct OrderModelTests {
    @Test("is placed at most once for a key, and is never missing while the broker has it or may receive it")
    func holds() throws {
        let (states, violation) = try OrderModel().check()
        #expect(violation == nil, "\(violation?.rule ?? ""): \(violation?.steps ?? [])")
        #expect(states > 10_000, "\(states)")
    }

    @Test("detects each defect", arguments: OrderModel.Defect.allCases)
    func detects(_ defect: OrderModel.Defect) throws {
        var model = OrderModel()
        model.defect = defect
        let (_, violation) = try model.check()
        let rule = try #require(violation?.rule, "no rule is violated")
        #expect(defect.rules.contains(rule), "\(violation?.steps ?? [])")
    }
}

/// Two processes that place an order with the same key, the journal, and a broker.
///
/// A process can be stopped or end at any point: then it executes no step. It counts as ended when it has not reported for
/// two units of time. A request is sent within one unit after the mark or not at all, arrives within two, and a broker
/// that is queried four units after a loss has received it if it ever does: the order of the real times (5 s, 30 s, 60 s).
struct OrderModel: CheckedModel {
    /// A defect that a test inserts.
    enum Defect: CaseIterable {
        /// A write that may have been sent is deleted when its process ends.
        case deletesSent
        /// The mark is not compared with the state and the holder.
        case uncomparedMark
        /// A process sends its request however long ago it was marked.
        case noDeadline
        /// A recovery does not compare the state when it takes a write over.
        case uncomparedTakeover
        /// The broker counts as not having the order at the first query.
        case earlyMissing
        /// A request whose response is lost counts as not sent, if that cannot be recorded.
        case lostIsUnsent
        /// A process begins a write without a report to the other one.
        case silentBegin
        /// A response that could not be recorded counts as one that shows nothing was processed.
        case keptIsUnsent
        /// A response has no effect on a write that another process has taken over.
        case ignoredResponse

        var rules: [String] {
            switch self {
            case .deletesSent, .uncomparedMark, .uncomparedTakeover, .lostIsUnsent, .keptIsUnsent:
                [OrderModel.twice, OrderModel.forgotten]
            case .ignoredResponse: [OrderModel.unused]
            case .noDeadline, .earlyMissing: [OrderModel.missing]
            case .silentBegin: [OrderModel.removed]
            }
        }
    }

    struct Row: Hashable {
        let id: Int
        var state = OrderWriteState.pending
        var holder: Int
        /// When the holder learned that the outcome is unknown.
        var since = 0
    }

    enum Work: Hashable {
        case none
        case begun(Int, at: Int)
        /// The mark is being written; the request may be sent before the time.
        case marking(Int, since: Int, before: Int)
        case marked(Int, before: Int)
        case sent(Int)
        /// A write was read, and will be taken over.
        case recovering(Row)
    }

    struct Process: Hashable {
        var work = Work.none
        var reportedAt = -1
        /// Requests of the client to place the order.
        var requests = 1
        /// The outcomes of writes that it knows and could not record.
        var kept: [Int: OrderWriteEvent] = [:]
    }

    struct Message: Hashable {
        let id: Int
        let deadline: Int
    }

    struct State: Hashable {
        var time = 0
        var row: Row?
        var nextID = 1
        var processes = [Process(), Process()]
        var messages: Set<Message> = []
        var orders: Set<Int> = []
        /// Whether a process found that the other one had taken over a write which began less than a lifetime ago.
        var hasRemoved = false
        /// Whether a process has recorded a response, and its write still has no outcome.
        var hasUnused = false
    }

    static let twice = "two orders for one key"
    static let missing = "an order is missing that the broker has or may receive"
    static let removed = "a write is taken over although its process began it just now"
    static let unused = "a write has no outcome although its response was recorded"
    static let forgotten = "the journal has no write of an order that the broker has or may receive"
    private static let lifetime = 2
    private static let arrival = 4
    private static let end = 6

    var defect: Defect?
    var initial: State { State() }

    func violation(of state: State) -> String? {
        if state.orders.count > 1 { return Self.twice }
        if state.hasRemoved { return Self.removed }
        if state.hasUnused { return Self.unused }
        for id in state.orders.union(state.messages.map(\.id)) {
            guard let row = state.row, row.id == id else { return Self.forgotten }
            if row.state == .missing { return Self.missing }
        }
        return nil
    }

    /// The step of the journal after an event.
    private func apply(_ event: OrderWriteEvent, _ id: Int, _ state: inout State) {
        guard let row = state.row, row.id == id else { return }
        if defect == .deletesSent, row.state == .sent, event == .abandoned {
            state.row = nil
            return
        }
        if defect == .ignoredResponse, row.state != .sent, event == .accepted { return }
        switch row.state.step(after: event) {
        case .delete?: state.row = nil
        case .to(let next)?:
            if row.state != next { state.row?.since = state.time }
            state.row?.state = next
        case nil: break
        }
    }

    /// Records the response of the broker, which has the order.
    private func recordResponse(_ id: Int, _ state: inout State) {
        apply(.accepted, id, &state)
        if let row = state.row, row.id == id, !row.state.isFinal { state.hasUnused = true }
    }

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(String, State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        // A request arrives, or is lost, before its time.
        if state.time < Self.end, state.messages.allSatisfy({ $0.deadline > state.time }) {
            add("time \(state.time + 1)") { $0.time += 1 }
        }
        for message in state.messages {
            add("request \(message.id) arrives") {
                $0.messages.remove(message)
                $0.orders.insert(message.id)
            }
            add("request \(message.id) is lost") { $0.messages.remove(message) }
        }
        for index in state.processes.indices { steps += self.steps(of: index, state) }
        return steps
    }

    private func isLive(_ index: Int, _ state: State) -> Bool {
        state.time < state.processes[index].reportedAt + Self.lifetime
    }

    private func steps(of index: Int, _ state: State) -> [(String, State)] {
        var steps: [(String, State)] = []
        let process = state.processes[index]
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("process \(index) \(name)", next))
        }
        if process.reportedAt < state.time {
            add("reports") { $0.processes[index].reportedAt = state.time }
        }
        switch process.work {
        case .none:
            // The processes are the same: one of them is the first.
            if process.requests > 0, index == 0 || state.processes[0].requests == 0 {
                add("begins") { begin(index, &$0) }
            }
            if let row = state.row, row.holder == index ? true : !isLive(row.holder, state) {
                steps += recovery(of: row, by: index, state)
            }
            // The other process has taken the write over.
            if let row = state.row, row.state != .sent, process.kept[row.id] == .accepted {
                add("records the response that it kept") {
                    recordResponse(row.id, &$0)
                    $0.processes[index].kept[row.id] = nil
                }
            }
        case .begun(let id, let start):
            add("starts to mark") {
                $0.processes[index].work = .marking(id, since: start, before: state.time + 1)
            }
        case .marking(let id, let start, let before):
            add("marks") {
                let isOwn = $0.row?.id == id && $0.row?.state == .pending && $0.row?.holder == index
                if isOwn { $0.row?.state = .sent }
                if !isOwn, state.time < start + Self.lifetime { $0.hasRemoved = true }
                $0.processes[index].work =
                    isOwn || defect == .uncomparedMark ? .marked(id, before: before) : .none
            }
            for isStored in [false, true] {
                add("\(isStored ? "marks" : "does not mark"), without a response, and cannot record it") {
                    let isOwn = $0.row?.id == id && $0.row?.state == .pending && $0.row?.holder == index
                    if isOwn, isStored { $0.row?.state = .sent }
                    $0.processes[index].kept[id] = .notProcessed
                    $0.processes[index].work = .none
                }
            }
        case .marked(let id, let before):
            if state.time < before || defect == .noDeadline {
                add("sends") {
                    $0.messages.insert(Message(id: id, deadline: state.time + 2))
                    $0.processes[index].work = .sent(id)
                }
            } else {
                add("is too late") {
                    apply(.notProcessed, id, &$0)
                    $0.processes[index].work = .none
                }
            }
        case .sent(let id):
            if state.orders.contains(id) {
                add("receives the response") {
                    recordResponse(id, &$0)
                    $0.processes[index].work = .none
                }
                add("receives the response, and cannot record it") {
                    $0.processes[index].kept[id] = defect == .keptIsUnsent ? .notProcessed : .accepted
                    $0.processes[index].work = .none
                }
            }
            add("loses the response") {
                apply(.responseLost, id, &$0)
                $0.processes[index].work = .none
            }
            add("loses the response, and cannot record it") {
                if defect == .lostIsUnsent { $0.processes[index].kept[id] = .notProcessed }
                $0.processes[index].work = .none
            }
        case .recovering(let row):
            add("takes over") {
                $0.processes[index].work = .none
                if defect == .uncomparedTakeover {
                    // The event belongs to the state that was read.
                    if row.state == .pending, $0.row?.id == row.id { $0.row = nil }
                    return
                }
                guard $0.row == row else { return }
                $0.row?.holder = index
                if row.holder != index { $0.row?.since = $0.time }
                apply($0.processes[index].kept[row.id] ?? .abandoned, row.id, &$0)
            }
        }
        return steps
    }

    /// A client's request: the key may be free, or its order is known.
    private func begin(_ index: Int, _ state: inout State) {
        state.processes[index].requests -= 1
        if let row = state.row {
            let isUnsent =
                row.state == .pending
                || row.state == .sent && state.processes[index].kept[row.id] == .notProcessed
            guard isUnsent, row.holder == index || !isLive(row.holder, state) else { return }
        }
        state.row = Row(id: state.nextID, holder: index)
        if defect != .silentBegin { state.processes[index].reportedAt = state.time }
        state.processes[index].work = .begun(state.nextID, at: state.time)
        state.nextID += 1
    }

    /// The steps of ``OrderJournal/abandonUnattended(now:)`` and of the queries about an unconfirmed write.
    private func recovery(of row: Row, by index: Int, _ state: State) -> [(String, State)] {
        var steps: [(String, State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("process \(index) \(name)", next))
        }
        switch row.state {
        case .pending, .sent: add("finds a write") { $0.processes[index].work = .recovering(row) }
        case .unconfirmed where row.holder != index:
            add("takes over the queries") {
                $0.row?.holder = index
                $0.row?.since = $0.time
            }
        case .unconfirmed:
            if state.orders.contains(row.id) {
                add("finds the order") { apply(.found, row.id, &$0) }
            } else if state.time - row.since >= Self.arrival || defect == .earlyMissing {
                add("does not find the order") { apply(.notFound, row.id, &$0) }
            }
        case .done, .refused, .missing, .undetermined: break
        }
        return steps
    }
}
