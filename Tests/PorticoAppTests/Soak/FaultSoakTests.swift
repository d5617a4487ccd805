import Foundation
import HostileTraffic
import Sandbox
import TestSupport
import Testing

/// Many clients at once, while the provider fails in every way, one after another.
@Suite("Soak: mixed load while the provider fails")
struct FaultSoakTests {
    private static var clients: Int { Soak.minutes == nil ? 4 : 24 }

    /// The clients' users at the broker.
    ///
    /// Each has a key of its own, because a broker's limit of calls a minute counts by key.
    private static let brokerUsers = SandboxUser.copiesOfDemo(clients, named: "soak")

    /// How long clients go on in a phase.
    private static var effort: SoakClient.Effort {
        guard let minutes = Soak.minutes else { return .operations(6) }
        return .seconds(Double(minutes * 60) / Double(FaultPhase.all.count + 2))
    }

    private func environment(_ sandbox: Sandbox, _ folder: URL) -> [String: String] {
        [
            "PORTICO_ALPACA_BASE_URL": sandbox.alpaca.tradingURL,
            "PORTICO_ALPACA_DATA_URL": sandbox.alpaca.dataURL,
            // Settings have https for wss, and http for ws.
            "PORTICO_ALPACA_DATA_STREAM_URL": sandbox.alpaca.dataStreamURL
                .replacing("ws://", with: "http://"),
            "PORTICO_ALPACA_KEY_ID": SandboxUser.demo.alpaca.keyID,
            "PORTICO_ALPACA_SECRET_KEY": SandboxUser.demo.alpaca.secretKey,
            // All clients read prices with the server's own key.
            "PORTICO_ALPACA_PER_MINUTE": "10000",
            "PORTICO_DATA": folder.path, "PORTICO_SIGN_UP": "open", "PORTICO_PASSWORD_COST": "4",
            "PORTICO_TRUSTED_PROXIES": "1",
        ]
    }

    @Test("fails only for the provider's reasons, and leaves nothing behind")
    func mixed() async throws {
        try await withSandbox { configuration in
            configuration.users += Self.brokerUsers
            configuration.alpaca.tradingRequestsPerMinute = 1_000_000
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
            configuration.alpaca.dataStreamsPerUser = 1_000
        } _: { sandbox in
            sandbox.script = MarketScript(hours: .open)
            try await withFolder { folder in
                let environment = environment(sandbox, folder)
                let journal = LoadJournal()
                let life = DispatchTimeInterval.seconds((Soak.minutes ?? 0) * 120 + 1_200)
                let people = try await withServer(environment: environment, longestLife: life) { server in
                    let clients = try await clients(server, journal)
                    try await run(clients, server, sandbox, journal)
                    try await checkOrders(sandbox, journal, clients)
                    return clients.map(\.person)
                }
                try await withServer(environment: environment, longestLife: life) { server in
                    for person in people { try await person.check(at: server) }
                }
            }
        }
    }

    private func clients(_ server: RunningServer, _ journal: LoadJournal) async throws -> [SoakClient] {
        var clients: [SoakClient] = []
        for number in 0..<Self.clients {
            clients.append(
                try await SoakClient(
                    number, tradingAs: Self.brokerUsers[number], at: server, writing: journal))
        }
        return clients
    }

    private func run(
        _ clients: [SoakClient], _ server: RunningServer, _ sandbox: Sandbox, _ journal: LoadJournal
    ) async throws {
        let gauge = ProcessGauge(server.program.processID)
        // Opens what stays open, and fills what is kept.
        await work(clients)
        let before = try gauge.openFiles()
        let memory = Task { await gauge.sampleMemory() }
        for phase in FaultPhase.all {
            journal.allow(phase.codes)
            for fault in phase.faults { #expect(sandbox.faults.add(fault)) }
            await work(clients)
            sandbox.faults.reset()
            // Failures outlive their cause for a while: a host that fails is left alone.
            try await recover(clients)
        }
        journal.allow([])
        await work(clients)
        memory.cancel()
        let findings = journal.findings
        #expect(findings.unexplained.isEmpty, "\(findings.unexplained.prefix(10))")
        // Otherwise nothing of it has been seen to be survived.
        #expect(!findings.codes.isEmpty)
        try await expectFiles(gauge, atMost: before)
        expectFlat(await memory.value)
    }

    private func work(_ clients: [SoakClient]) async {
        await withTaskGroup { group in
            for client in clients { group.addTask { await client.work(Self.effort) } }
        }
    }

    /// Waits until each client's screen is whole again: a host that failed is left alone for half a minute at most.
    private func recover(_ clients: [SoakClient]) async throws {
        for client in clients {
            var tries = 0
            while try await !client.isWhole() {
                tries += 1
                try #require(tries < 120, "the screen does not become whole again")
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// What Portico says of an order is so: one that is with the broker exists once, any other not at all.
    private func checkOrders(_ sandbox: Sandbox, _ journal: LoadJournal, _ clients: [SoakClient]) async throws
    {
        var expected: [Int: Int] = [:]
        for (number, (client, fate)) in journal.findings.orders {
            switch fate {
            case .failed: expected[number] = 0
            case .acknowledged(let id):
                expected[number] = try await isPlaced(id, clients[client]) ? 1 : 0
            }
        }
        let counts = try await SoakOrder.counts(at: sandbox, of: Self.brokerUsers)
        for (number, count) in expected {
            let there = counts[SoakOrder(number).price, default: 0]
            #expect(there == count, "order \(number) exists \(there) times")
        }
    }

    /// Waits until Portico has asked the broker for an order whose answer was lost.
    ///
    /// One that never came to the broker is given up after a minute, by a question that comes at longer and longer intervals.
    private func isPlaced(_ id: String, _ client: SoakClient) async throws -> Bool {
        for _ in 0..<1_200 {
            if let isPlaced = try await client.isPlaced(id) { return isPlaced }
            try await Task.sleep(for: .milliseconds(500))
        }
        Issue.record("what became of \(id) is not known")
        return true
    }

    /// What is closed is gone in the server's own time.
    private func expectFiles(_ gauge: ProcessGauge, atMost before: Int) async throws {
        // Connections to the provider are kept open: as many as calls went out at once.
        let most = before + 2 * Self.clients
        var (now, tries) = (try gauge.openFiles(), 0)
        while now > most, tries < 600 {
            try await Task.sleep(for: .milliseconds(100))
            (now, tries) = (try gauge.openFiles(), tries + 1)
        }
        #expect(now <= most, "\(before) files were open before, \(now) are now")
    }

    /// A short run says nothing of memory.
    private func expectFlat(_ samples: [Int]) {
        guard Soak.minutes != nil, samples.count >= 60 else { return }
        func median(_ samples: ArraySlice<Int>) -> Int { samples.sorted()[samples.count / 2] }
        let fifth = samples.count / 5
        let (early, late) = (median(samples[fifth..<(2 * fifth)]), median(samples.suffix(fifth)))
        #expect(late <= early + early / 10 + (4 << 20), "\(early >> 10) kB early, \(late >> 10) kB late")
    }
}
