import Alpaca
import Brokerage
import ProviderTestSupport
import Sandbox
import Synchronization
import Testing
import Upstream

@Suite("The plan of a credential at Alpaca")
struct PlanTests {
    private static let probe = "GET /v2/stocks/trades/latest"
    private static let stream = "GET /v2/{feed}"

    @Test(
        "names the feed, delay and timeliness of quotes, and the calls per minute, by one call a day",
        arguments: [(FakeAlpacaSettings.Plan.basic, "iex", 200), (.unlimited, "sip", 10_000)])
    func quotes(plan: FakeAlpacaSettings.Plan, feed: String, calls: Int) async throws {
        let later = Mutex(Duration.zero)
        try await withSandbox({ $0.alpaca.plans["demo"] = plan }) { _, sandbox, session in
            let system = TimeSource.system
            let clock = TimeSource(
                now: { .now + later.withLock(\.self) }, wallTime: system.wallTime, sleep: system.sleep)
            let alpaca = try session.client(
                .token(SandboxUser.demo.alpaca.token), plans: .probed(AlpacaPlanCache(clock: clock)))
            let apple = try symbol("AAPL")
            func quote() async throws -> Quote {
                let call = CallContext(deadline: .now + .seconds(200_000))
                return try #require(try await alpaca.quotes(for: [apple], in: call)[apple])
            }
            let first = try await quote()
            #expect(first.feed == feed && first.delayMinutes == 0 && first.timeliness == .realTime)
            _ = try await quote()
            #expect(sandbox.calls[.alpaca, Self.probe] == 1)
            #expect(alpaca.dataCallsPerMinute == calls)
            later.withLock { $0 = .seconds(86_401) }
            #expect(try await quote().feed == feed)
            #expect(sandbox.calls[.alpaca, Self.probe] == 2)
        }
    }

    @Test("is read once by callers at the same time, and by clients of one credential")
    func singleFlight() async throws {
        try await withSandbox { _, sandbox, session in
            let plans = AlpacaPlanSource.probed(AlpacaPlanCache(clock: session.callClock()))
            let symbols = try ["AAPL", "KO", "AMD", "MSFT"].map(symbol)
            let clients = try (0..<2).map { _ in
                try session.client(.token(SandboxUser.demo.alpaca.token), plans: plans)
            }
            try await withThrowingTaskGroup(of: String?.self) { group in
                for client in clients {
                    for symbol in symbols {
                        group.addTask { try await client.quotes(for: [symbol], in: .patient)[symbol]?.feed }
                    }
                }
                for try await feed in group { #expect(feed == "iex") }
            }
            #expect(sandbox.calls[.alpaca, Self.probe] == 1)
            // Another credential has its own plan.
            let other = try session.client(
                .token(SandboxUser.second.alpaca.token), plans: plans, account: "second")
            _ = try await other.quotes(for: symbols, in: .patient)
            #expect(sandbox.calls[.alpaca, Self.probe] == 2)
        }
    }

    @Test("is that of each connection")
    func connections() async throws {
        try await withSandbox({ $0.alpaca.plans["second"] = .unlimited }) { demo, _, session in
            let apple = try symbol("AAPL")
            let second = try session.client(.token(SandboxUser.second.alpaca.token), account: "second")
            #expect(try await demo.quotes(for: [apple], in: .patient)[apple]?.feed == "iex")
            #expect(try await second.quotes(for: [apple], in: .patient)[apple]?.feed == "sip")
        }
    }

    @Test("that cannot be determined leaves feed and delay unknown, and is not asked for with each call")
    func unknown() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let apple = try symbol("AAPL")
            #expect(sandbox.faults.add(Fault(.status(500), endpoint: Self.probe)))
            for _ in 0..<3 {
                let quote = try #require(try await alpaca.quotes(for: [apple], in: .patient)[apple])
                #expect(quote.price != nil && quote.feed == nil)
                #expect(quote.delayMinutes == nil && quote.timeliness == nil)
            }
            #expect(sandbox.calls[.alpaca, Self.probe] == 1)
        }
    }

    @Test(
        "decides the feed and the symbols of the data stream",
        arguments: [(.basic, 15), (.unlimited, nil)] as [(FakeAlpacaSettings.Plan, Int?)])
    func stream(plan: FakeAlpacaSettings.Plan, limit: Int?) async throws {
        try await withSandbox({ $0.alpaca.plans["demo"] = plan }) { _, sandbox, session in
            let alpaca = try session.client(SandboxSession.keys)
            // Until the plan is known, the limit is that of the free one.
            #expect(alpaca.symbolLimit == 15)
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { [apple = try symbol("AAPL")] in
                try await alpaca.run(Wanted([apple]).changes, deliver: told.deliver)
            }
            var events = told.events.makeAsyncIterator()
            await events.connected()
            #expect(alpaca.symbolLimit == limit)
            #expect(sandbox.calls[.alpaca, Self.stream] == 1)
            running.cancel()
            _ = await running.result
        }
    }

    @Test("is in memory for 10,000 credentials at the same time, so that their users cause no further call")
    func manyCredentials() async throws {
        let cache = AlpacaPlanCache()
        let accounts = (0..<10_000).map {
            QuotaAccount(.alpaca, credential: "key \($0)" + String(repeating: "A", count: 44))
        }
        for account in accounts {
            _ = try await cache.plan(of: account, in: .patient) { _ throws(ProviderFailure) in
                AlpacaPlan(feed: .iex, callsPerMinute: 200)
            }
        }
        #expect(accounts.count { cache.cached(of: $0) == nil } == 0)
    }

    @Test("is not asked for if the settings name a feed, which requests and the stream then have")
    func configured() async throws {
        try await withSandbox { _, sandbox, session in
            let apple = try symbol("AAPL")
            let delayed = try session.client(SandboxSession.keys, feed: .delayedSIP)
            let quote = try #require(try await delayed.quotes(for: [apple], in: .patient)[apple])
            #expect(quote.feed == "delayed_sip" && quote.delayMinutes == 15 && quote.timeliness == .delayed)
            #expect(sandbox.calls[.alpaca, Self.probe] == 0)
            // A feed that the plan does not include is refused.
            let all = try session.client(SandboxSession.keys, feed: .sip)
            await #expect(throws: ProviderFailure(.alpaca, .notEntitled)) {
                try await all.quotes(for: [apple], in: .patient)
            }
            await #expect(throws: ProviderFailure(.alpaca, .notEntitled)) {
                try await all.run(Wanted([apple]).changes, deliver: { _ in })
            }
            #expect(all.symbolLimit == nil)
        }
    }
}
