import Brokerage
import Synchronization

/// A client's activity since the start of the sandbox: open orders, and executions.
struct FakeSaxoActivity: Sendable {
    var orders: [FakeSaxoOrder] = []
    var executions: [FakeSaxoExecution] = []
}

/// The open orders of all clients: it places, changes, cancels and fills them.
///
/// Orders are matched only when their client sends a request, or each second while it follows its orders, at
/// that moment's prices; prices between are ignored.
///
/// It uses a lock: requests arrive concurrently, and each must change orders in one step.
final class FakeSaxoOrderManager: Resettable {
    private let settings: FakeSaxoSettings
    private let state = Mutex<[String: Ledger]>([:])

    private struct Ledger {
        var activity: FakeSaxoActivity
        /// The requests of the last seconds, for the detection of duplicates.
        var recent: [(request: [UInt8], moment: Instant)] = []
        var nextID = 5_014_824_030
        var log = FakeSaxoOrderLog()

        mutating func record(
            _ status: FakeSaxoOrderEvent.Status, _ order: FakeSaxoOrder, at now: Instant,
            fillPrice: Int? = nil
        ) {
            log.append(
                status, order, among: activity.orders, at: Int(now.secondsSince1970), fillPrice: fillPrice)
        }
    }

    /// The maximum number of open orders of a client, and of stored executions.
    static let maximumOrders = 200
    static let maximumExecutions = 5_000

    init(_ settings: FakeSaxoSettings) {
        self.settings = settings
    }

    /// Returns a client's activity, after matching its orders at the view's moment.
    func activity(of client: FakeSaxoClient, at view: MarketView, now: Instant) -> FakeSaxoActivity {
        with(client) { ledger in
            settle(&ledger, at: view, now)
            return ledger.activity
        }
    }

    /// Returns the events of a client's orders, after matching them.
    func log(of client: FakeSaxoClient, at view: MarketView, now: Instant) -> FakeSaxoOrderLog {
        with(client) { ledger in
            settle(&ledger, at: view, now)
            return ledger.log
        }
    }

    /// Returns true if the same request came within ``FakeSaxoSettings/duplicateOrderWindow``; stores it
    /// otherwise.
    func isDuplicate(_ request: [UInt8], of client: FakeSaxoClient, at now: Instant) -> Bool {
        with(client) { ledger in
            ledger.recent.removeAll { now.duration(since: $0.moment) >= settings.duplicateOrderWindow }
            guard !ledger.recent.contains(where: { $0.request == request }) else { return true }
            ledger.recent.append((request, now))
            ledger.recent.removeFirst(max(0, ledger.recent.count - Self.maximumOrders))
            return false
        }
    }

    /// Stores orders that belong together, created with new ids; throws if the client has too many.
    func place(
        for client: FakeSaxoClient, at now: Instant, _ make: (_ nextID: () -> String) -> [FakeSaxoOrder]
    ) throws(FakeSaxoError) -> [FakeSaxoOrder] {
        let placed: [FakeSaxoOrder]? = with(client) { ledger in
            guard ledger.activity.orders.count < Self.maximumOrders,
                ledger.activity.executions.count < Self.maximumExecutions
            else { return nil }
            var next = ledger.nextID
            let orders = make {
                defer { next += 1 }
                return String(next)
            }
            ledger.nextID = next
            ledger.activity.orders += orders
            for order in orders { ledger.record(.placed, order, at: now) }
            return orders
        }
        guard let placed else { throw .order(.orderNotPlaced) }
        return placed
    }

    /// Changes an open order; nil if the id is unknown.
    func change(
        _ id: String, of client: FakeSaxoClient, at now: Instant,
        _ body: (inout FakeSaxoOrder) throws(FakeSaxoError) -> Void
    ) throws(FakeSaxoError) -> FakeSaxoOrder? {
        let changed: Result<FakeSaxoOrder?, FakeSaxoError> = with(client) { ledger in
            guard let index = ledger.activity.orders.firstIndex(where: { $0.id == id }) else {
                return .success(nil)
            }
            do throws(FakeSaxoError) {
                try body(&ledger.activity.orders[index])
                ledger.record(.changed, ledger.activity.orders[index], at: now)
                return .success(ledger.activity.orders[index])
            } catch {
                return .failure(error)
            }
        }
        return try changed.get()
    }

    /// Cancels the matching orders of an account.
    ///
    /// - Returns: The cancelled orders, and all orders that ended with them, such as the exits of an entry.
    func cancel(
        of client: FakeSaxoClient, accountKey: String, at now: Instant,
        where isIncluded: (FakeSaxoOrder) -> Bool
    ) -> (canceled: [String], ended: [String]) {
        with(client) { ledger in
            let canceled = ledger.activity.orders.filter { $0.accountKey == accountKey && isIncluded($0) }
            let ids = Set(canceled.map(\.id))
            // The exits of an entry end with it.
            let ended = ledger.activity.orders.filter { order in
                ids.contains(order.id) || order.masterID.map(ids.contains) ?? false
            }
            for order in ended { ledger.record(.cancelled, order, at: now) }
            ledger.activity.orders.removeAll { ended.map(\.id).contains($0.id) }
            ledger.activity.forgetEndedRivals()
            return (canceled.map(\.id), ended.map(\.id))
        }
    }

    func reset() {
        state.withLock { $0 = [:] }
    }

    private func with<Result>(_ client: FakeSaxoClient, _ body: (inout Ledger) -> Result) -> Result {
        state.withLock { ledgers in
            var ledger =
                ledgers[client.id]
                ?? Ledger(activity: FakeSaxoActivity(orders: FakeSaxoOrder.waiting(for: client)))
            defer { ledgers[client.id] = ledger }
            return body(&ledger)
        }
    }

    private func settle(_ ledger: inout Ledger, at view: MarketView, _ now: Instant) {
        var waiting: [FakeSaxoOrder] = []
        var (filled, ended, rivals) = (Set<String>(), Set<String>(), Set<String>())
        let before = ledger.activity.orders
        // An entry is stored before its exits.
        for var order in before where !ended.contains(order.id) {
            if let master = order.masterID {
                if filled.contains(master) {
                    order.masterID = nil
                } else {
                    if ended.contains(master) {
                        ledger.record(.cancelled, order, at: now)
                    } else {
                        waiting.append(order)
                    }
                    continue
                }
            }
            let (quote, price) = (FakeSaxoQuote(order.listing, at: view, settings), order.kind.price)
            if let price = order.fill(at: quote) {
                let sign: Decimal = order.isBuy ? 1 : -1
                // The amount of an order is limited when it is parsed, so its product with the sign is
                // valid.
                let amount = (try? order.amount * sign) ?? .zero
                ledger.activity.executions.append(
                    FakeSaxoExecution(
                        accountKey: order.accountKey, listing: order.listing, amount: amount, price: price,
                        second: view.now, orderID: order.id,
                        commission: order.listing.commission(on: order.amount, at: price)))
                ledger.record(.filled, order, at: now, fillPrice: price)
                filled.insert(order.id)
                if let rival = order.rivalID, ended.insert(rival).inserted { rivals.insert(rival) }
            } else if order.duration.isMomentary {
                ledger.record(.cancelled, order, at: now)
                ended.insert(order.id)
            } else if order.duration.expiry.map({ view.now < $0 }) ?? true {
                if order.kind.price != price { ledger.record(.trailingStopMoved, order, at: now) }
                waiting.append(order)
            } else {
                ledger.record(.expired, order, at: now)
                ended.insert(order.id)
            }
        }
        // The other one of a pair ends with the fill of the first.
        for order in before where rivals.contains(order.id) { ledger.record(.cancelled, order, at: now) }
        ledger.activity.orders = waiting.filter { !ended.contains($0.id) }
        ledger.activity.forgetEndedRivals()
    }
}

extension FakeSaxoActivity {
    /// Makes an order stand alone if the other one of its pair has ended.
    fileprivate mutating func forgetEndedRivals() {
        let ids = Set(orders.map(\.id))
        for index in orders.indices where !(orders[index].rivalID.map(ids.contains) ?? true) {
            orders[index].rivalID = nil
        }
    }
}

extension FakeSaxoOrder {
    /// Returns a client's orders from before the start of the sandbox.
    fileprivate static func waiting(for client: FakeSaxoClient) -> [FakeSaxoOrder] {
        client.accounts.flatMap { account in
            account.limitOrders.compactMap { order -> FakeSaxoOrder? in
                guard let instrument = FakeInstrument.all.first(where: { $0.symbol == order.symbol }),
                    let listing = FakeSaxoInstruments.instrument(of: instrument),
                    let price = instrument.ticks(order.price), let amount = try? order.quantity.magnitude
                else { return nil }
                return FakeSaxoOrder(
                    id: order.id, accountKey: account.key, listing: listing,
                    isBuy: !order.quantity.isNegative, amount: amount, kind: .limit(price),
                    duration: .untilCancelled, placed: order.placed, externalReference: nil)
            }
        }
    }
}

extension FakeInstrument {
    /// Returns a price in ticks; nil if it is not a whole number of ticks, or too large.
    func ticks(_ price: Decimal) -> Int? {
        let shortest = price.withoutTrailingZeros
        guard shortest.scale <= decimals else { return nil }
        let unit = (0..<(decimals - shortest.scale)).reduce(Int128(1)) { power, _ in power * 10 }
        let (ticks, over) = shortest.coefficient.multipliedReportingOverflow(by: unit)
        return over ? nil : Int(exactly: ticks).flatMap { abs($0) < 1 << 50 ? $0 : nil }
    }
}
