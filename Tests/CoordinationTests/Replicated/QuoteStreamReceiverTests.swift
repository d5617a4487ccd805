import Brokerage
import Coordination
import Testing
import Upstream

@Suite("The receiver of a shared stream of prices")
struct QuoteStreamReceiverTests {
    private static let aapl = Symbol.example

    private static func update(_ price: Decimal) -> QuoteUpdate {
        var update = QuoteUpdate(symbol: aapl)
        update.price = price
        return update
    }

    private static func state(_ epoch: Int64, _ number: Int64, _ isConnected: Bool) -> QuoteStreamMessage {
        QuoteStreamMessage(epoch: epoch, number: number, .state(isConnected: isConnected, carried: [aapl]))
    }

    private static func updates(_ epoch: Int64, _ number: Int64, _ price: Decimal) -> QuoteStreamMessage {
        QuoteStreamMessage(epoch: epoch, number: number, .updates([update(price)]))
    }

    /// The events in short.
    private func events(_ messages: [QuoteStreamMessage]) -> [String] {
        var receiver = QuoteStreamReceiver()
        return messages.flatMap { receiver.accept($0) }.map(Self.text)
    }

    private static func text(_ event: StreamEvent<QuoteUpdate>) -> String {
        switch event {
        case .connected: "connected"
        case .carrying(let symbols): "carrying \(symbols.count)"
        case .value(let update): "price \(update.price.map { "\($0)" } ?? "none")"
        }
    }

    @Test("delivers a connection, its symbols and its prices")
    func order() {
        #expect(
            events([
                Self.state(1, 1, true), Self.updates(1, 2, 5), Self.state(1, 3, true), Self.updates(1, 4, 6),
            ])
                == ["connected", "carrying 1", "price 5", "price 6"])
    }

    @Test("ignores prices until it knows that the stream is connected")
    func late() {
        #expect(
            events([Self.updates(1, 7, 5), Self.state(1, 8, true), Self.updates(1, 9, 6)])
                == ["connected", "carrying 1", "price 6"])
    }

    @Test("counts a gap in the numbers as a new connection, also if the gap is before a price")
    func gap() {
        #expect(
            events([Self.state(1, 1, true), Self.updates(1, 3, 5)])
                == ["connected", "carrying 1", "connected", "carrying 1", "price 5"])
        #expect(
            events([Self.state(1, 1, true), Self.state(1, 3, true)])
                == ["connected", "carrying 1", "connected", "carrying 1"])
    }

    @Test("accepts the highest number, which has no next one")
    func highestNumber() {
        #expect(
            events([Self.state(1, .max, true), Self.updates(1, 1, 5)])
                == ["connected", "carrying 1", "connected", "carrying 1", "price 5"])
    }

    @Test("drops messages of an earlier owner, and counts a later one as a new connection")
    func epochs() {
        #expect(
            events([
                Self.state(2, 1, true), Self.updates(1, 8, 5), Self.state(1, 9, false), Self.updates(2, 2, 6),
                Self.state(3, 1, true), Self.updates(2, 3, 7),
            ]) == ["connected", "carrying 1", "price 6", "connected", "carrying 1"])
    }

    @Test("lets all symbols be polled while the stream is not connected, or its owner is silent")
    func disconnected() {
        #expect(
            events([
                Self.state(1, 1, true), Self.state(1, 2, false), Self.state(1, 3, false),
                Self.state(1, 4, true),
            ])
                == ["connected", "carrying 1", "carrying 0", "connected", "carrying 1"])
        var receiver = QuoteStreamReceiver()
        #expect(receiver.disconnect().isEmpty)
        _ = receiver.accept(Self.state(1, 1, true))
        #expect(receiver.disconnect().map(Self.text) == ["carrying 0"])
        #expect(receiver.disconnect().isEmpty)
        #expect(receiver.accept(Self.state(1, 2, true)).map(Self.text) == ["connected", "carrying 1"])
    }

    @Test("messages come out of bytes as they were, and damaged bytes are none")
    func bytes() throws {
        var update = QuoteUpdate(symbol: Self.aapl)
        update.price = Decimal(3)
        update.bid = .some(nil)
        update.ask = .some(Decimal(4))
        update.marketState = .open
        update.asOf = Instant(secondsSince1970: 1_800_000_000, nanoseconds: 5)
        for content: QuoteStreamMessage.Content in [
            .state(isConnected: true, carried: [Self.aapl]), .state(isConnected: false, carried: []),
            .updates([update, QuoteUpdate(symbol: Self.aapl)]),
        ] {
            let message = QuoteStreamMessage(epoch: 7, number: 9, content)
            #expect(try QuoteStreamMessage(persistentBytes: message.persistentBytes) == message)
            #expect(throws: CorruptedBytes.self) {
                try QuoteStreamMessage(persistentBytes: Array(message.persistentBytes.dropLast()))
            }
        }
    }

    @Test("reads no message whose epoch is above the highest one: those of later owners would have no effect")
    func highestEpoch() throws {
        let highest = QuoteStreamMessage.highestEpoch
        let last = Self.state(highest, 1, true)
        #expect(try QuoteStreamMessage(persistentBytes: last.persistentBytes) == last)
        for epoch in [highest + 1, .max] {
            let message = Self.state(epoch, 1, true)
            #expect(throws: CorruptedBytes.self) {
                try QuoteStreamMessage(persistentBytes: message.persistentBytes)
            }
        }
    }
}
