import Brokerage
import Synchronization

/// A client's activity since the start of the sandbox: open orders, and executions.
struct FakeSaxoActivity: Sendable {
    var orders: [FakeSaxoOrder] = []
    var executions: [FakeSaxoExecution] = []
}

/// The open orders of all clients: it places, changes, cancels and fills them.
///
/// Orders are matched only when their client sends a request, at that moment's prices; prices between
/// requests are ignored.
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
    }

    /// The maximum number of open orders of a client, and of stored executions.
    static let maximumOrders = 200
    static let maximumExecutions = 5_000

    init(_ settings: FakeSaxoSettings) {
        self.settings = settings
    }

    /// Returns a client's activity, after matching its orders at the view's moment.
    func activity(of client: FakeSaxoClient, at view: MarketView) -> FakeSaxoActivity {
        with(client) { ledger in
            settle(&ledger.activity, at: view)
            return ledger.activity
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
        for client: FakeSaxoClient, _ make: (_ nextID: () -> String) -> [FakeSaxoOrder]
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
            return orders
        }
        guard let placed else { throw .order(.orderNotPlaced) }
        return placed
    }

    /// Changes an open order; nil if the id is unknown.
    func change(
        _ id: String, of client: FakeSaxoClient, _ body: (inout FakeSaxoOrder) throws(FakeSaxoError) -> Void
    ) throws(FakeSaxoError) -> FakeSaxoOrder? {
        let changed: Result<FakeSaxoOrder?, FakeSaxoError> = with(client) { ledger in
            guard let index = ledger.activity.orders.firstIndex(where: { $0.id == id }) else {
                return .success(nil)
            }
            do throws(FakeSaxoError) {
                try body(&ledger.activity.orders[index])
                return .success(ledger.activity.orders[index])
            } catch {
                return .failure(error)
            }
        }
        return try changed.get()
    }

    /// Cancels the matching orders of an account, and returns them.
    func cancel(
        of client: FakeSaxoClient, accountKey: String, where isIncluded: (FakeSaxoOrder) -> Bool
    ) -> [String] {
        with(client) { ledger in
            let canceled = ledger.activity.orders.filter { $0.accountKey == accountKey && isIncluded($0) }
            let ids = Set(canceled.map(\.id))
            // The exits of an entry end with it.
            ledger.activity.orders.removeAll { order in
                ids.contains(order.id) || order.masterID.map(ids.contains) ?? false
            }
            ledger.activity.forgetEndedRivals()
            return canceled.map(\.id)
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

    private func settle(_ activity: inout FakeSaxoActivity, at view: MarketView) {
        var waiting: [FakeSaxoOrder] = []
        var (filled, ended) = (Set<String>(), Set<String>())
        // An entry is stored before its exits.
        for var order in activity.orders where !ended.contains(order.id) {
            if let master = order.masterID {
                if filled.contains(master) {
                    order.masterID = nil
                } else {
                    if !ended.contains(master) { waiting.append(order) }
                    continue
                }
            }
            let quote = FakeSaxoQuote(order.listing, at: view, settings)
            if let price = order.fill(at: quote) {
                let sign: Decimal = order.isBuy ? 1 : -1
                // The amount of an order is limited when it is parsed, so its product with the sign is
                // valid.
                let amount = (try? order.amount * sign) ?? .zero
                activity.executions.append(
                    FakeSaxoExecution(
                        accountKey: order.accountKey, listing: order.listing, amount: amount, price: price,
                        second: view.now, orderID: order.id,
                        commission: order.listing.commission(on: order.amount, at: price)))
                filled.insert(order.id)
                if let rival = order.rivalID { ended.insert(rival) }
            } else if !order.duration.isMomentary, order.duration.expiry.map({ view.now < $0 }) ?? true {
                waiting.append(order)
            } else {
                ended.insert(order.id)
            }
        }
        activity.orders = waiting.filter { !ended.contains($0.id) }
        activity.forgetEndedRivals()
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
