import Alpaca
import Brokerage
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

/// The client against the stand-in, over HTTP: two independent readings of the same facts.
@Suite("The sandbox")
struct SandboxTests {
    @Test("has an account whose figures fit each other and its positions")
    func account() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let account = try await alpaca.account(in: .patient)
            let positions = try await alpaca.positions(in: .patient)
            #expect(account.canTrade == true)
            #expect(positions.contains { $0.side == .short })
            #expect(positions.contains { $0.quantity.scale > 0 })
            var value = try #require(account.cash)
            for position in positions {
                #expect(position.quantity > 0)
                value = try value + #require(position.marketValue)
                let profit = try #require(position.marketValue) - #require(position.costBasis)
                #expect(position.unrealizedProfitLoss == profit)
            }
            // Amounts of the account have whole cents.
            #expect(account.equity == value.rounded(to: 2, .halfEven))
            #expect(sandbox.calls[.alpaca, "GET /v2/account"] == 1)
            #expect(sandbox.calls[.alpaca, "GET /v2/positions"] == 1)
        }
    }

    @Test(
        "quotes what is held, and the previous close agrees with the positions'",
        arguments: [
            SandboxSession.open, "2026-11-20T13:00:00Z", "2026-11-20T22:30:00Z", "2026-11-21T12:00:00Z",
        ])
    func quotes(time: String) async throws {
        try await withSandbox(at: time) { alpaca, sandbox, session in
            let positions = try await alpaca.positions(in: .patient)
            let unknown = try #require(Symbol("NOSUCH"))
            let quotes = try await alpaca.quotes(for: positions.map(\.symbol) + [unknown], in: .patient).found
            #expect(quotes[unknown] == nil)
            for position in positions {
                let quote = try #require(quotes[position.symbol])
                #expect(quote.price == position.currentPrice)
                let change =
                    try #require(quote.change)
                    * (position.side == .long ? position.quantity : -1 * position.quantity)
                #expect(position.dayProfitLoss == change)
                let asOf = try #require(quote.provenance.asOf)
                #expect(asOf <= session.now)
                #expect(quote.bid != 0)
                #expect(quote.ask != 0)
            }
            #expect(sandbox.calls[.alpaca, "GET /v2/stocks/snapshots"] == 1)
        }
    }

    @Test("quotes a share by its bar where the last trade is older", arguments: [true, false])
    func outdatedTrade(isOutdated: Bool) async throws {
        try await withSandbox({ if isOutdated { $0.alpaca.outdatedTrades = ["AMD"] } }) {
            alpaca, sandbox, session in
            let amd = try symbol("AMD")
            let quote = try #require(try await alpaca.quotes(for: [amd], in: .patient)[amd])
            let ticks = try #require(MarketView(sandbox.market, at: session.now).price("AMD"))
            #expect(quote.price == Decimal(coefficient: Int128(ticks), scale: 2))
            #expect((quote.provenance.asOf == nil) == isOutdated)
            let change = try #require(quote.change)
            let previous = try #require(quote.previousClose)
            let limit = try previous.divided(by: 5, to: 2, .halfEven)
            #expect(try change.magnitude < limit)
        }
    }

    @Test(
        "refuses the newest bars to a plan without them, and has those before",
        arguments: [FakeAlpacaSettings.RecentSIPRefusal.forbidden, .unprocessable])
    func recentBars(refusal: FakeAlpacaSettings.RecentSIPRefusal) async throws {
        try await withSandbox({
            $0.alpaca.recentSIPDelay = .seconds(900)
            $0.alpaca.recentSIPRefusal = refusal
        }) { alpaca, sandbox, session in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .oneMinute, last: 30)
            let series = try #require(try await alpaca.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(series.count == 30)
            #expect(series.times.last == (session.now - .seconds(900)).secondsSince1970)
            #expect(sandbox.calls[.alpaca, "GET /v2/stocks/bars"] == 2)
            // Nothing is in a window that begins later.
            let newest = ChartWindow(interval: .oneMinute, from: session.now - .seconds(600))
            #expect(try await alpaca.charts(of: [aapl], newest, in: .patient)[aapl]?.count == 0)
        }
    }

    @Test("has the same bookings with and without currencies, in US dollars", arguments: [true, false])
    func currencies(haveCurrency: Bool) async throws {
        try await withSandbox({ $0.alpaca.activitiesHaveCurrency = haveCurrency }) { alpaca, _, _ in
            let page = try await alpaca.activities(of: "any", ActivityQuery(), in: .patient)
            #expect(
                page.activities.contains { $0.kind == .dividend }
                    && page.activities.contains { $0.kind == .deposit })
            #expect(page.activities.allSatisfy { $0.amount != nil && $0.currency == "USD" })
        }
    }

    @Test(
        "counts profits of several days from one base",
        arguments: [DateRange.fiveDays, .oneMonth], [Interval.oneHour, .oneDay])
    func profits(range: DateRange, interval: Interval) async throws {
        try await withSandbox { alpaca, _, _ in
            let history = try await alpaca.history(of: "any", range, interval: interval, in: .patient)
            let base = try #require(history.baseValue)
            #expect(Set(history.points.map(\.time.inNewYork.date)).count >= 4)
            for point in history.points { #expect(try point.profitLoss == point.equity - base) }
        }
    }

    @Test("tells of today minute by minute until now")
    func today() async throws {
        try await withSandbox { alpaca, _, session in
            let history = try await alpaca.history(of: "any", .oneDay, interval: nil, in: .patient)
            let account = try await alpaca.account(in: .patient)
            #expect(history.interval == .oneMinute)
            #expect(history.points.first?.time.description == "2026-11-20T14:30:00Z")
            #expect(history.points.last?.time == session.now)
            #expect(history.points.count == 91)
            // The history has cents, the account all digits.
            let lastEquity = try #require(account.lastEquity)
            #expect(history.baseValue == lastEquity.rounded(to: 2, .halfEven))
        }
    }

    @Test("tells of every range by days of the exchange", arguments: DateRange.allCases)
    func ranges(range: DateRange) async throws {
        try await withSandbox { alpaca, _, _ in
            let history = try await alpaca.history(of: "any", range, interval: .oneDay, in: .patient)
            #expect(history.interval == .oneDay)
            let days = history.points.map(\.time.inNewYork.date)
            #expect(days == Array(Set(days)).sorted())
            #expect(days.last?.description == "2026-11-20")
            #expect(!days.contains { $0.weekday.isWeekend })
            #expect(range == .oneDay ? days.count == 1 : days.count > 3)
        }
    }

    @Test("has no price for what the market does not price: nil, not zero")
    func unpriced() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            sandbox.script = MarketScript(hours: .asScheduled, unpriced: ["AAPL"])
            let symbol = try #require(Symbol("AAPL"))
            let positions = try await alpaca.positions(in: .patient)
            let position = try #require(positions.first { $0.symbol == symbol })
            #expect(position.marketValue == nil)
            #expect(position.unrealizedProfitLossPercent == nil)
            let quotes = try await alpaca.quotes(for: [symbol], in: .patient).found
            let quote = try #require(quotes[symbol])
            #expect(quote.price == nil)
            #expect(quote.previousClose == nil)
        }
    }

    @Test("knows its users apart, by token and by keys")
    func users() async throws {
        try await withSandbox { demo, _, session in
            let keys = SandboxUser.demo.alpaca
            let sameByKeys = try session.client(.keys(id: keys.keyID, secret: keys.secretKey))
            let second = try session.client(.token(SandboxUser.second.alpaca.token))
            let number = try await demo.account(in: .patient).number
            let same = try await sameByKeys.account(in: .patient)
            #expect(same.number == number)
            let other = try await second.account(in: .patient)
            #expect(other.number != number)
            let stranger = try session.client(.token("stranger"))
            await #expect(throws: ProviderFailure(.alpaca, .unauthorized)) {
                try await stranger.account(in: .patient)
            }
        }
    }

    @Test("lets a symbol that it calls malformed cost its own quote only")
    func malformedSymbol() async throws {
        try await withSandbox { alpaca, _, _ in
            let symbols = ["A.B.C", "AAPL"].compactMap { Symbol($0) }
            let quotes = try await alpaca.quotes(for: symbols, in: .patient).found
            #expect(quotes.keys.map(\.text) == ["AAPL"])
        }
    }

    @Test(
        "can be made to fail",
        arguments: [
            (.status(500), "unavailable"), (.status(503, retryAfter: 2), "unavailable"),
            (.status(429, retryAfter: 60), "rate limit exceeded until 2026-11-20T16:01:00Z"),
            (.status(403), "not allowed for this credential"), (.closedConnection, "unavailable"),
            (.truncatedBody, "unavailable"), (.malformedBody, "an invalid response: "),
            (.expiredToken, "the credential was refused"),
        ] as [(Fault.Effect, String)])
    func faults(effect: Fault.Effect, wording: String) async throws {
        try await withSandbox { alpaca, sandbox, session in
            #expect(
                sandbox.faults.add(
                    Fault(effect, provider: .alpaca, endpoint: "GET /v2/account", remaining: 1)))
            let failure = await #expect(throws: ProviderFailure.self) {
                try await alpaca.account(in: .patient)
            }
            #expect(failure?.description.hasPrefix("alpaca: " + wording) == true)
            // Another line: this one's ledger waits as long as it was told to.
            let again = try session.client(.token(SandboxUser.demo.alpaca.token))
            let account = try await again.account(in: .patient)
            #expect(account.currency == "USD")
        }
    }

    @Test("that fails once is asked again")
    func retried() async throws {
        try await withSandbox { _, sandbox, session in
            let alpaca = try session.client(.token(SandboxUser.demo.alpaca.token), retry: .attempts(2))
            #expect(
                sandbox.faults.add(
                    Fault(.status(503), provider: .alpaca, endpoint: "GET /v2/positions", remaining: 1)))
            let positions = try await alpaca.positions(in: .patient)
            #expect(!positions.isEmpty)
            #expect(sandbox.calls[.alpaca, "GET /v2/positions"] == 2)
        }
    }
}
