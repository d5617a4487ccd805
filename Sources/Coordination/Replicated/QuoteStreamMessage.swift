package import Brokerage
package import Upstream

/// A message by which the process that owns a stream of prices informs the other processes.
package struct QuoteStreamMessage: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Whether the stream is connected, and the symbols that it carries; sent at each change, and at least each second.
        case state(isConnected: Bool, carried: Set<Symbol>)
        /// Changes of prices, at most one for each symbol.
        case updates([QuoteUpdate])
    }

    /// The highest epoch that is accepted: a script in Redis compares numbers up to it exactly.
    package static let highestEpoch: Int64 = 1 << 53

    /// The epoch of the owner's lease: messages of a lower one are those of an earlier owner.
    package let epoch: Int64
    /// The number of the message in its epoch, without gaps.
    package let number: Int64
    package let content: Content

    package init(epoch: Int64, number: Int64, _ content: Content) {
        (self.epoch, self.number, self.content) = (epoch, number, content)
    }
}

extension QuoteStreamMessage: PersistentCacheValue {
    package static var persistentFormat: String { "quote-stream.1" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(epoch)
        writer.write(number)
        switch content {
        case .state(let isConnected, let carried):
            writer.write(true)
            writer.write(isConnected)
            writer.write(Int64(carried.count))
            for symbol in carried { writer.write(symbol) }
        case .updates(let updates):
            writer.write(false)
            writer.write(Int64(updates.count))
            for update in updates { update.write(to: &writer) }
        }
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        epoch = try reader.number()
        guard epoch <= Self.highestEpoch else { throw CorruptedBytes() }
        number = try reader.number()
        if try reader.flag() {
            let isConnected = try reader.flag()
            var carried: Set<Symbol> = []
            for _ in 0..<(try reader.count()) { carried.insert(try reader.symbol()) }
            content = .state(isConnected: isConnected, carried: carried)
        } else {
            var updates: [QuoteUpdate] = []
            for _ in 0..<(try reader.count()) { updates.append(try QuoteUpdate(from: &reader)) }
            content = .updates(updates)
        }
    }
}

extension QuoteUpdate {
    fileprivate func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        writer.writeDecimals([price, open, high, low, previousClose, volume])
        // The outer optional is whether the message has the side, the inner one its price.
        for side in [bid, ask] {
            writer.write(side != nil)
            if let side { writer.writeDecimals([side]) }
        }
        writer.write(marketState) { $0.write($1) }
        writer.write(asOf) { $0.write($1) }
    }

    fileprivate init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(symbol: try reader.symbol())
        price = try reader.decimalOrNil()
        open = try reader.decimalOrNil()
        high = try reader.decimalOrNil()
        low = try reader.decimalOrNil()
        previousClose = try reader.decimalOrNil()
        volume = try reader.decimalOrNil()
        if try reader.flag() { bid = .some(try reader.decimalOrNil()) }
        if try reader.flag() { ask = .some(try reader.decimalOrNil()) }
        marketState = try reader.choiceOrNil()
        asOf = try reader.optional { reader throws(CorruptedBytes) in try reader.instant() }
    }
}

/// The view that one process has of a stream that another one owns: a state machine without I/O.
package struct QuoteStreamReceiver: Sendable {
    /// The highest epoch of all messages.
    package private(set) var epoch: Int64 = 0
    private var number: Int64 = 0
    private var carried: Set<Symbol> = []
    /// Whether the stream was connected by the last message.
    package private(set) var isConnected = false

    package init() {}

    /// Applies a message, and returns the events for the subscribers, in order.
    ///
    /// A message of a lower epoch has no effect. After a gap in the numbers, or with another owner, changes were missed:
    /// the stream counts as connected anew, so that a snapshot follows. While it is not connected, it carries no symbol, so that
    /// all are polled.
    package mutating func accept(_ message: QuoteStreamMessage) -> [StreamEvent<QuoteUpdate>] {
        guard message.epoch >= epoch else { return [] }
        let isNext = message.epoch == epoch && message.number == number &+ 1
        (epoch, number) = (message.epoch, message.number)
        switch message.content {
        case .state(false, _): return disconnect()
        case .state(true, let carried):
            let isNew = !isConnected || !isNext
            let hasChanged = isNew || carried != self.carried
            isConnected = true
            self.carried = carried
            return (isNew ? [.connected] : []) + (hasChanged ? [.carrying(carried)] : [])
        case .updates(let updates):
            // The next state tells whether the stream of a new owner is connected.
            guard isConnected else { return [] }
            let events = updates.map { StreamEvent.value($0) }
            return isNext ? events : [.connected, .carrying(carried)] + events
        }
    }

    /// Records that the stream or its owner is lost, and returns the events for the subscribers.
    package mutating func disconnect() -> [StreamEvent<QuoteUpdate>] {
        defer { isConnected = false }
        return isConnected ? [.carrying([])] : []
    }
}
