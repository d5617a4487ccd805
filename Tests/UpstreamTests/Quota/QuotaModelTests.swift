import Brokerage
import TestSupport
import Testing
import Upstream

/// Every call of a window with its moment, counted afresh for each question.
private struct QuotaModel {
    var windows: [QuotaWindow]
    var calls: [(names: Set<String>, at: Duration)] = []

    /// The first moment from `now` at which one more call exceeds no window, looked for among all moments at which
    /// anything changes.
    func earliest(_ names: Set<String>, from now: Duration, _ start: Instant) -> Duration {
        var moments = [now]
        for window in windows { moments += calls.map { end(of: $0.at, window, start) }.filter { $0 > now } }
        return moments.sorted().first { moment in
            windows.filter { names.contains($0.name) }.allSatisfy { window in
                let running = calls.filter {
                    $0.names.contains(window.name) && end(of: $0.at, window, start) > moment
                }
                return running.count < window.limit
            }
        } ?? .zero
    }

    func end(of call: Duration, _ window: QuotaWindow, _ start: Instant) -> Duration {
        // The call may be sent until its slot's validity ends.
        let latest = call + window.validity
        switch window.period {
        case .rolling(let seconds): return latest + .seconds(seconds)
        case .newYorkDay:
            let date = (start + latest).inNewYork.date.adding(days: 1)
            let midnight = date.flatMap { LocalTime(date: $0, hour: 0) }.map { Instant(newYork: $0) }
            return midnight.map { $0.duration(since: start) } ?? .zero
        }
    }
}

@Suite("The quota ledger beside a model that counts by brute force")
struct QuotaModelTests {
    @Test("admits and refuses as the model does", arguments: Array(1...24) as [UInt64])
    func agrees(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let clock = ManualClock()
        let (start, wallStart) = (clock.now, clock.wallTime)
        let ledger = try QuotaLedgerTests.impatient(clock)
        var windows = (0..<3).map { number in
            QuotaWindow(
                "w\(number)", limit: Int.random(in: 1...6, using: &random),
                per: .rolling(seconds: Int.random(in: 1...90, using: &random)))
        }
        windows.append(QuotaWindow("day", limit: Int.random(in: 20...60, using: &random), per: .newYorkDay))
        var model = QuotaModel(windows: windows)
        for _ in 0..<400 {
            let longPause = Int.random(in: 0..<40, using: &random) == 0
            clock.advance(
                by: .milliseconds(Int.random(in: 0...(longPause ? 20_000_000 : 9_000), using: &random)))
            let now = start.duration(to: clock.now)
            let used = windows.filter { _ in Bool.random(using: &random) }
            let names = Set(used.map(\.name))
            let expected = model.earliest(names, from: now, wallStart)
            let cause = await QuotaLedgerTests.take(used, ledger)
            if expected == now || used.isEmpty {
                #expect(cause == nil)
                model.calls.append((names, now))
            } else {
                #expect(cause == .quotaExhausted(retryAt: wallStart + expected))
            }
        }
    }

    @Test(
        "never lets more out in any stretch than the limit, with calls that wait",
        arguments: [1, 2, 3] as [UInt64])
    func waiting(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let clock = ManualClock()
        let start = clock.now
        let ledger = QuotaLedger(clock: clock.clock)
        let windows = [
            QuotaWindow("second", limit: 2, per: .rolling(seconds: 1)),
            QuotaWindow("short", limit: 7, per: .rolling(seconds: 5)),
        ]
        let starts = Journal<Duration>()
        let done = Journal<Void>()
        await withTaskGroup { group in
            for _ in 0..<300 {
                group.addTask {
                    let slot = try? await ledger.reserve(
                        windows, of: QuotaLedgerTests.account, before: clock.now + .seconds(60))
                    if let slot { starts.note(start.duration(to: slot.start)) }
                    done.note(())
                }
                for _ in 0..<Int.random(in: 0...8, using: &random) { await Task.yield() }
                clock.advance(by: .milliseconds(Int.random(in: 0...300, using: &random)))
            }
            while done.entries.count < 300 {
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
        }
        let moments = starts.entries.sorted()
        #expect(moments.count > 20)
        for index in moments.indices {
            if index >= 2 { #expect(moments[index] - moments[index - 2] >= .seconds(1)) }
            if index >= 7 { #expect(moments[index] - moments[index - 7] >= .seconds(5)) }
        }
    }

    @Test(
        "allows no more calls than the limit in any interval, whatever the time from a slot to its first byte",
        arguments: Array(1...4) as [UInt64])
    func delayed(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let clock = ManualClock()
        let start = clock.now
        let ledger = try QuotaLedgerTests.impatient(clock)
        let windows = [
            QuotaWindow("second", limit: 2, per: .rolling(seconds: 1)),
            QuotaWindow("short", limit: 7, per: .rolling(seconds: 20)),
            QuotaWindow("long", limit: 9, per: .rolling(seconds: 60)),
        ]
        var waiting: [QuotaReservation] = []
        var sent: [Duration] = []
        var lateCount = 0
        for _ in 0..<1_000 {
            clock.advance(by: .milliseconds(Int.random(in: 0...120, using: &random)))
            if let reservation = try? await ledger.reserve(
                windows, of: QuotaLedgerTests.account, before: clock.now + .seconds(60))
            {
                waiting.append(reservation)
            }
            // The process is stopped for a long time at random, and each call is sent at a random time.
            if Int.random(in: 0..<15, using: &random) == 0 { clock.advance(by: .seconds(25)) }
            for _ in waiting where Bool.random(using: &random) {
                let index = Int.random(in: waiting.indices, using: &random)
                let reservation = waiting.remove(at: index)
                if ledger.confirm(reservation) {
                    sent.append(start.duration(to: clock.now))
                } else {
                    lateCount += 1
                    await ledger.release(reservation)
                }
            }
        }
        #expect(sent.count > 30 && lateCount > 2)
        for index in sent.indices {
            if index >= 2 { #expect(sent[index] - sent[index - 2] >= .seconds(1)) }
            if index >= 7 { #expect(sent[index] - sent[index - 7] >= .seconds(20)) }
            if index >= 9 { #expect(sent[index] - sent[index - 9] >= .seconds(60)) }
        }
    }

    @Test(
        "sends at most as many calls in any interval as allowed, with slow connections and killed processes",
        arguments: Array(1...8) as [UInt64])
    func killed(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let (clock, store) = (ManualClock(), MemoryStore())
        let start = clock.now
        var ledger = try QuotaLedgerTests.impatient(clock, store: store)
        let windows = [
            QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60)),
            QuotaWindow("five", limit: 12, per: .rolling(seconds: 300)),
        ]
        var waiting: [(reservation: QuotaReservation, sendAt: ContinuousClock.Instant)] = []
        var sent: [Duration] = []
        var slowCount = 0
        for _ in 0..<4_000 {
            clock.advance(by: .milliseconds(Int.random(in: 0...1_000, using: &random)))
            if let reservation = try? await ledger.reserve(
                windows, of: QuotaLedgerTests.account, before: clock.now + .seconds(60))
            {
                let delay = Duration.milliseconds(Int.random(in: 0...14_000, using: &random))
                waiting.append((reservation, clock.now + delay))
            }
            for (reservation, sendAt) in waiting where sendAt <= clock.now {
                if ledger.confirm(reservation) {
                    if sendAt > reservation.start + .seconds(2) { slowCount += 1 }
                    sent.append(start.duration(to: clock.now))
                } else {
                    await ledger.release(reservation)
                }
            }
            waiting.removeAll { $0.sendAt <= clock.now }
            if Int.random(in: 0..<60, using: &random) == 0 {
                // Waiting calls end with the process.
                waiting = []
                ledger = try QuotaLedgerTests.impatient(clock, store: store)
            }
        }
        #expect(sent.count > 20 && slowCount > 10)
        for index in sent.indices {
            if index >= 5 { #expect(sent[index] - sent[index - 5] >= .seconds(60)) }
            if index >= 12 { #expect(sent[index] - sent[index - 12] >= .seconds(300)) }
        }
    }

    @Test("a window of many calls is counted in steps, never freeing a slot too early")
    func steps() async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        let window = QuotaWindow("many", limit: 2_000, per: .rolling(seconds: 60))
        var random = SplitMix(seed: 7)
        var calls: [ContinuousClock.Instant] = []
        for _ in 0..<6_000 {
            clock.advance(by: .milliseconds(Int.random(in: 0...40, using: &random)))
            guard await QuotaLedgerTests.take([window], ledger) == nil else { continue }
            calls.append(clock.now)
        }
        for index in calls.indices where index >= 2_000 {
            #expect(calls[index - 2_000].duration(to: calls[index]) >= .seconds(60))
        }
        #expect(calls.count > 3_000)
    }
}
