import Storage
import Testing

@Suite("The queue of password hashes")
struct HashingQueueTests {
    private static func unknown(_ address: Int) -> HashingClient {
        HashingClient(knownUser: nil, address: UInt64(address))
    }

    /// A known user at an address; by default an address that no other user has.
    private static func known(_ user: Int, at address: Int? = nil) -> HashingClient {
        HashingClient(knownUser: "user \(user)", address: UInt64(address ?? 1_000 + user))
    }

    /// A queue whose jobs are names, and the jobs that have begun.
    private final class Run {
        var queue: HashingQueue<String>
        var begun: [String] = []
        private var running: [(HashingClient, String)] = []

        init(width: Int, limit: Int) {
            queue = HashingQueue(width: width, limit: limit)
        }

        @discardableResult
        func add(_ client: HashingClient, _ job: String) -> Bool {
            guard queue.add(client, job) else { return false }
            begin()
            return true
        }

        /// Ends a job that has begun.
        func end(_ job: String, after duration: Duration = .milliseconds(1)) throws {
            let place = try #require(running.firstIndex { $0.1 == job }, "\(job) does not run")
            queue.ended(running.remove(at: place).0, after: duration)
            begin()
        }

        private func begin() {
            while let (client, job) = queue.next() {
                running.append((client, job))
                begun.append(job)
            }
        }
    }

    @Test("unknown clients leave a thread and a quarter of the queue for known ones")
    func floodOfUnknown() throws {
        let run = Run(width: 2, limit: 8)
        let taken = (0..<100).filter { run.add(Self.unknown($0), "unknown \($0)") }
        // One runs, and three quarters of eight wait.
        #expect(taken == Array(0..<7))
        #expect(run.begun == ["unknown 0"])
        #expect(run.add(Self.known(0), "known 0"))
        #expect(run.begun == ["unknown 0", "known 0"])
        #expect(run.add(Self.known(1), "known 1"))
        #expect(run.add(Self.known(2), "known 2"))
        #expect(!run.add(Self.known(3), "known 3"))
        try run.end("unknown 0")
        #expect(run.begun.last == "unknown 1", "an unknown client keeps a thread while both groups wait")
        try run.end("known 0")
        #expect(run.begun.last == "known 1")
    }

    @Test("known clients leave a thread for waiting unknown clients")
    func floodOfKnown() throws {
        let run = Run(width: 2, limit: 8)
        for id in 0..<6 { #expect(run.add(Self.known(id), "known \(id)")) }
        #expect(run.begun == ["known 0", "known 1"])
        #expect(run.add(Self.unknown(0), "unknown 0"))
        try run.end("known 0")
        #expect(run.begun.last == "unknown 0")
        try run.end("known 1")
        #expect(run.begun.last == "known 2")
    }

    @Test("with one thread, known clients come first")
    func oneThread() throws {
        let run = Run(width: 1, limit: 8)
        run.add(Self.unknown(0), "unknown 0")
        run.add(Self.unknown(1), "unknown 1")
        run.add(Self.known(0), "known 0")
        try run.end("unknown 0")
        #expect(run.begun.last == "known 0")
        try run.end("known 0")
        #expect(run.begun == ["unknown 0", "known 0", "unknown 1"])
    }

    @Test("one client has no more than its share, even if there is room, and has it again afterwards")
    func share() throws {
        let run = Run(width: 2, limit: 100)
        let unknown = (0..<20).count { run.add(Self.unknown(1), "unknown \($0)") }
        let known = (0..<20).count { run.add(Self.known(1), "known \($0)") }
        #expect(unknown == 6)
        #expect(known == 2)
        try run.end("unknown 0")
        #expect(run.add(Self.unknown(1), "again"))
        #expect(!run.add(Self.unknown(1), "too many"))
        #expect(run.add(Self.unknown(2), "another client"))
    }

    @Test("one user has no more than its share from any number of addresses; others get a slot")
    func oneUser() throws {
        let run = Run(width: 2, limit: 64)
        let taken = (0..<100 as Range<Int>).filter { run.add(Self.known(0, at: $0), "flood \($0)") }
        #expect(taken == [0, 1])
        #expect(run.add(Self.known(1, at: 0), "known"), "another user at one of these addresses")
        #expect(run.add(Self.unknown(0), "unknown"), "an unknown client at one of these addresses")
        try run.end("flood 0")
        #expect(run.begun == ["flood 0", "flood 1", "unknown"])
        #expect(run.add(Self.known(0, at: 50), "again"))
        #expect(!run.add(Self.known(0, at: 51), "too many"))
    }

    @Test("all known users of one address have no more than their share; others get a slot")
    func oneAddress() throws {
        let run = Run(width: 2, limit: 64)
        let taken = (0..<100).filter { run.add(Self.known($0, at: 1), "flood \($0)") }
        #expect(taken == Array(0..<6))
        #expect(run.add(Self.unknown(1), "unknown"), "an unknown client at this address")
        #expect(run.add(Self.known(7, at: 2), "known"), "another address of a refused user")
        try run.end("flood 0")
        #expect(run.add(Self.known(8, at: 1), "again"))
        #expect(!run.add(Self.known(9, at: 1), "too many"))
    }

    @Test("known users are served in turn")
    func turns() throws {
        let run = Run(width: 1, limit: 64)
        run.add(Self.known(9), "before")
        for (user, job) in [(0, "a1"), (0, "a2"), (1, "b1"), (1, "b2"), (2, "c1")] as [(Int, String)] {
            #expect(run.add(Self.known(user), job))
        }
        for job in ["before", "a1", "b1", "c1", "a2", "b2"] { try run.end(job) }
    }

    @Test("of one kind, the first one is served first")
    func order() throws {
        let run = Run(width: 1, limit: 100)
        for id in 0..<20 { run.add(Self.unknown(id), "\(id)") }
        for id in 0..<20 { try run.end("\(id)") }
        #expect(run.begun == (0..<20).map { "\($0)" })
    }

    @Test("a hash that would wait longer than ten seconds is not added")
    func longWaits() throws {
        let run = Run(width: 2, limit: 1_000)
        run.add(Self.unknown(0), "0")
        try run.end("0", after: .seconds(2))
        // One runs; five earlier hashes take ten seconds.
        let taken = (1...100).count { run.add(Self.unknown($0), "\($0)") }
        #expect(taken == 7)
        #expect(run.add(Self.known(1), "known"))
        try run.end("1", after: .milliseconds(1))
        #expect(run.add(Self.unknown(101), "101"))
    }
}
