import Brokerage
import Testing
import Upstream

@testable import Gateway

@Suite("What comes in of followed orders")
struct OrderUpdateQueueTests {
    private func order(_ id: String) -> Order {
        Order(
            id: id, symbol: .example, side: .buy, state: .open,
            reading: Provenance(source: .alpaca, fetchedAt: .earliest))
    }

    @Test("is all to be read at first, each time that the stream stands, and while nobody tells of changes")
    func reading() {
        let round = OrderUpdateQueue().begin(1)
        #expect(round.take()?.wantsReading == true)
        #expect(round.take()?.wantsReading == false)
        #expect(round.wantsReadingAfterWhile() && round.take()?.wantsReading == true)
        round.put(.connected)
        #expect(round.take()?.wantsReading == true)
        #expect(!round.wantsReadingAfterWhile(), "the stream tells")
        round.noteFailure()
        #expect(round.wantsReadingAfterWhile(), "something was missed")
        round.noteReading()
        round.streamEnded()
        #expect(round.wantsReadingAfterWhile())
    }

    @Test("is handed out once, in the order in which it came")
    func contents() {
        let round = OrderUpdateQueue().begin(1)
        for id in ["a", "b"] { round.put(.value(order(id))) }
        #expect(round.take()?.streamed.map(\.id) == ["a", "b"])
        #expect(round.take()?.streamed.isEmpty == true)
    }

    @Test("is read anew where more comes than is kept")
    func bound() {
        let round = OrderUpdateQueue().begin(1)
        _ = round.take()
        for number in 0...OrderUpdateQueue.mostWaiting { round.put(.value(order("\(number)"))) }
        let contents = round.take()
        #expect(contents?.streamed.count == OrderUpdateQueue.mostWaiting && contents?.wantsReading == true)
    }

    @Test("has nothing of an earlier round, nor is that given anything", arguments: [false, true])
    func rounds(comesLate: Bool) {
        let inbox = OrderUpdateQueue()
        let early = comesLate ? nil : inbox.begin(1)
        let now = inbox.begin(2)
        // One that is only about to begin when it is over already.
        let earlier = early ?? inbox.begin(1)
        now.put(.connected)
        earlier.put(.value(order("late")))
        #expect(earlier.take() == nil)
        #expect(now.take()?.wantsReading == true, "it is there for the present one")
        earlier.streamEnded()
        earlier.noteFailure()
        #expect(!earlier.wantsReadingAfterWhile())
        #expect(!now.wantsReadingAfterWhile(), "the present one still stands")
        #expect(now.take()?.streamed.isEmpty == true)
    }
}
