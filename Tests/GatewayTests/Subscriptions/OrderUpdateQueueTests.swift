import Brokerage
import Testing
import Upstream

@testable import Gateway

@Suite("The queue of order updates")
struct OrderUpdateQueueTests {
    private func order(_ id: String) -> Order {
        Order(
            id: id, symbol: .example, side: .buy, state: .open,
            provenance: Provenance(source: .alpaca, fetchedAt: .earliest))
    }

    @Test("requires a read at first, after each start of the stream, and while there are no notifications")
    func reading() {
        let round = OrderUpdateQueue().begin(1)
        #expect(round.drain()?.needsFullRead == true)
        #expect(round.drain()?.needsFullRead == false)
        #expect(round.requestFullReadIfNeeded() && round.drain()?.needsFullRead == true)
        round.put(.connected)
        #expect(round.drain()?.needsFullRead == true)
        #expect(!round.requestFullReadIfNeeded(), "the stream tells")
        round.recordFailure(isOverload: false)
        #expect(round.failures == 1)
        #expect(round.requestFullReadIfNeeded(), "something was missed")
        round.resetFailures()
        #expect(round.failures == 0 && !round.requestFullReadIfNeeded())
        round.streamEnded()
        #expect(round.requestFullReadIfNeeded())
    }

    @Test("requires a read after an overload of this process, which is not a failure of the broker")
    func overload() {
        let round = OrderUpdateQueue().begin(1)
        round.put(.connected)
        _ = round.drain()
        round.recordFailure(isOverload: true)
        // The pause does not become longer, and orders that no client subscribes to are read after it, too.
        #expect(round.failures == 0 && round.hasMissedUpdates)
        #expect(round.requestFullReadIfNeeded() && round.drain()?.needsFullRead == true)
        round.resetFailures()
        #expect(!round.hasMissedUpdates)
        #expect(!round.requestFullReadIfNeeded() && round.drain()?.needsFullRead == false)
    }

    @Test(
        "requires a read after each pause if an update was missed, else after twelve if no client subscribes",
        arguments: [true, false])
    func withoutSubscriber(isOverload: Bool) {
        let round = OrderUpdateQueue().begin(1)
        func due(hasNoSubscriber: Bool) -> [Int] {
            (1...24).filter { OrderTracker.isDue($0, hasNoSubscriber: hasNoSubscriber, in: round) }
        }
        #expect(due(hasNoSubscriber: false) == Array(1...24) && due(hasNoSubscriber: true) == [12, 24])
        round.recordFailure(isOverload: isOverload)
        #expect(due(hasNoSubscriber: true) == Array(1...24))
        round.resetFailures()
        #expect(due(hasNoSubscriber: true) == [12, 24])
    }

    @Test("delivers each report once, in order")
    func contents() {
        let round = OrderUpdateQueue().begin(1)
        for id in ["a", "b"] { round.put(.value(order(id))) }
        #expect(round.drain()?.streamed.map(\.id) == ["a", "b"])
        #expect(round.drain()?.streamed.isEmpty == true)
    }

    @Test("requires a read if more reports arrive than it holds")
    func bound() {
        let round = OrderUpdateQueue().begin(1)
        _ = round.drain()
        for number in 0...OrderUpdateQueue.maximumWaiting { round.put(.value(order("\(number)"))) }
        let contents = round.drain()
        #expect(
            contents?.streamed.count == OrderUpdateQueue.maximumWaiting && contents?.needsFullRead == true)
    }

    @Test("has nothing of an earlier run, and gives it nothing", arguments: [false, true])
    func rounds(comesLate: Bool) {
        let queue = OrderUpdateQueue()
        let early = comesLate ? nil : queue.begin(1)
        let now = queue.begin(2)
        // One that is only about to begin when it is over already.
        let earlier = early ?? queue.begin(1)
        now.put(.connected)
        earlier.put(.value(order("late")))
        #expect(earlier.drain() == nil)
        #expect(now.drain()?.needsFullRead == true, "it is there for the present one")
        earlier.streamEnded()
        earlier.recordFailure(isOverload: false)
        #expect(!earlier.requestFullReadIfNeeded())
        #expect(!now.requestFullReadIfNeeded(), "the present one still stands")
        #expect(now.drain()?.streamed.isEmpty == true)
    }
}
