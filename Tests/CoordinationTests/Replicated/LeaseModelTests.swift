import Coordination
import EngineTestSupport
import Storage
import Testing

@Suite("The state machine of leases, in all interleavings of two processes")
struct LeaseModelTests {
    @Test("has one holder at a time, and no write of an earlier holder after one of a later holder")
    func holds() throws {
        let (states, violation) = try LeaseModel().check()
        #expect(violation == nil, "\(violation?.rule ?? ""): \(violation?.steps ?? [])")
        #expect(states > 10_000, "\(states)")
    }

    @Test("have a fence that is not later than that of a request in progress")
    func fence() {
        let times = LeaseTimes()
        let start = ContinuousClock.now
        var lease = LeaseState(times)
        // Without a request, a lease can be granted by a later one only.
        #expect(lease.fence(at: start + .seconds(1)) == start + .seconds(1) + times.fence)
        let isRequested = lease.request(at: start)
        #expect(isRequested)
        #expect(lease.fence(at: start + .seconds(5)) == start + times.fence)
        // A response that arrives from then on grants nothing, so a later request is the next that can be granted.
        #expect(lease.fence(at: start + times.fence) == start + times.fence + times.fence)
        let first = lease.granted(1, at: start + .seconds(5))
        #expect(first == .acquired(epoch: 1))
        #expect(lease.fence(at: start + .seconds(5)) == start + times.fence)
        // The response to a renewal arrives after the lease has ended, and grants it until its own fence.
        let renewal = start + .seconds(5)
        let isRenewed = lease.request(at: renewal)
        let expired = lease.expire(at: start + times.fence)
        #expect(isRenewed && expired == .lost)
        #expect(lease.fence(at: start + times.fence) == renewal + times.fence)
        let second = lease.granted(1, at: start + .seconds(10))
        #expect(second == .acquired(epoch: 1))
        #expect(lease.fence(at: start + .seconds(10)) == renewal + times.fence)
    }

    @Test("detects each defect", arguments: LeaseModel.Defect.allCases)
    func detects(_ defect: LeaseModel.Defect) throws {
        var model = LeaseModel()
        model.defect = defect
        let (_, violation) = try model.check()
        #expect(violation?.rule == defect.rule, "\(violation?.steps ?? [])")
    }
}

/// Two processes that want one lease, a database, and what they write under the lease.
///
/// Messages can be late. A process can be stopped at any point: then time passes and it executes no step. Of two equal
/// processes, it suffices that the messages of one can be lost, and that one can be stopped between the check of its lease
/// and its write.
struct LeaseModel: CheckedModel {
    /// A defect that a test inserts.
    enum Defect: CaseIterable {
        /// The owner stops after another process can take the lease.
        case lateFence
        /// The owner measures its time from the response.
        case measuredFromResponse
        /// The database grants a lease before it has ended.
        case earlyGrant
        /// The next owner has the same epoch.
        case sameEpoch
        /// Writes are not compared with the epoch.
        case uncheckedWrite

        var rule: String {
            switch self {
            case .lateFence, .measuredFromResponse, .earlyGrant: LeaseModel.twoHolders
            case .sameEpoch, .uncheckedWrite: LeaseModel.oldWrite
            }
        }
    }

    enum Message: Hashable {
        case request
        /// The granted epoch; nil for a refusal.
        case response(Int64?)
        case lost
    }

    struct Process: Hashable {
        var lease: LeaseState
        var message: Message?
        /// The number of times that any process had acquired the lease when this one acquired it last.
        var term = 0
        /// A write that was permitted and is not executed yet.
        var writing: Write?
    }

    struct Write: Hashable {
        let epoch: Int64
        let term: Int
    }

    struct State: Hashable {
        var time = 0
        var owner: Int?
        var epoch: Int64 = 0
        var expiresAt = 0
        var processes: [Process]
        var terms = 0
        /// The greatest epoch and term of all writes.
        var written = Write(epoch: 0, term: 0)
        /// Whether a write was accepted after one of a later term.
        var isDisordered = false
        var losses = 1
    }

    static let twoHolders = "two processes hold the lease"
    static let oldWrite = "an earlier owner wrote after a later one"
    private static let times = LeaseTimes(
        lifetime: .seconds(3), renewal: .seconds(1), fence: .seconds(2), retry: .seconds(1))
    private static let end = 4
    private static let disturbed = 0

    var defect: Defect?

    private static func instant(_ time: Int) -> ContinuousClock.Instant {
        ContinuousClock().systemEpoch + .seconds(time)
    }

    var initial: State {
        var times = Self.times
        if defect == .lateFence { times.fence = times.lifetime + .seconds(1) }
        return State(processes: [Process(lease: LeaseState(times)), Process(lease: LeaseState(times))])
    }

    func violation(of state: State) -> String? {
        let now = Self.instant(state.time)
        if state.processes.allSatisfy({ $0.lease.epoch(at: now) != nil }) { return Self.twoHolders }
        return state.isDisordered ? Self.oldWrite : nil
    }

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(String, State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        if state.time < Self.end { add("time \(state.time + 1)") { $0.time += 1 } }
        for index in state.processes.indices {
            let process = state.processes[index]
            let name = "process \(index)"
            switch process.message {
            case .request?:
                add("database answers \(name)") { Self.answer(index, &$0, defect) }
                if state.losses > 0, index == Self.disturbed {
                    add("request of \(name) is lost") {
                        $0.processes[index].message = .lost
                        $0.losses -= 1
                    }
                }
            case .response? where state.losses > 0 && index == Self.disturbed:
                add("response to \(name) is lost") {
                    $0.processes[index].message = .lost
                    $0.losses -= 1
                }
            case .response?, .lost?, nil: break
            }
            steps += own(index, state)
        }
        return steps
    }

    /// The steps that a process executes itself.
    private func own(_ index: Int, _ state: State) -> [(String, State)] {
        var steps: [(String, State)] = []
        let now = Self.instant(state.time)
        let process = state.processes[index]
        let name = "process \(index)"
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        switch process.message {
        case nil:
            var lease = process.lease
            if lease.request(at: now) {
                add("\(name) asks") {
                    $0.processes[index].message = .request
                    if defect != .measuredFromResponse { $0.processes[index].lease = lease }
                }
            }
        case .response(let epoch)?:
            add("\(name) is answered") {
                var lease = process.lease
                if defect == .measuredFromResponse { _ = lease.request(at: now) }
                let change = epoch.map { lease.granted($0, at: now) } ?? lease.refused(at: now)
                $0.processes[index].lease = lease
                $0.processes[index].message = nil
                switch change {
                case .none, .lost: break
                case .acquired, .replaced:
                    $0.terms += 1
                    $0.processes[index].term = $0.terms
                }
            }
        case .lost?:
            add("\(name) gives up") {
                if defect == .measuredFromResponse { _ = $0.processes[index].lease.request(at: now) }
                _ = $0.processes[index].lease.failed(at: now)
                $0.processes[index].message = nil
            }
        case .request?: break
        }
        if process.writing == nil, let epoch = process.lease.epoch(at: now) {
            let write = Write(epoch: epoch, term: process.term)
            if index == Self.disturbed {
                add("\(name) may write") { $0.processes[index].writing = write }
            } else {
                add("\(name) writes") { accept(write, &$0) }
            }
        }
        if let write = process.writing {
            add("\(name) writes") {
                $0.processes[index].writing = nil
                accept(write, &$0)
            }
        }
        return steps
    }

    /// A write that is compared with the epoch of the last one.
    private func accept(_ write: Write, _ state: inout State) {
        guard write.epoch >= state.written.epoch || defect == .uncheckedWrite else { return }
        if write.term < state.written.term { state.isDisordered = true }
        state.written = write
    }

    /// The statement of `LeaseStore.take`.
    private static func answer(_ index: Int, _ state: inout State, _ defect: Defect?) {
        let isOver = state.expiresAt <= state.time + (defect == .earlyGrant ? 2 : 0)
        guard state.owner == index || state.owner == nil || isOver else {
            state.processes[index].message = .response(nil)
            return
        }
        let isSame = state.owner == index && state.expiresAt > state.time
        if !isSame, defect != .sameEpoch || state.epoch == 0 { state.epoch += 1 }
        state.owner = index
        state.expiresAt = state.time + Int(times.lifetime / .seconds(1))
        state.processes[index].message = .response(state.epoch)
    }
}
