import Brokerage
import Synchronization

/// What a client has done since the sandbox was started: orders that wait, and what was bought and sold.
struct FakeSaxoActivity: Sendable {
    var orders: [FakeSaxoOrder] = []
    var executions: [FakeSaxoExecution] = []
}

/// Takes, changes and cancels orders, and carries them out as the market comes to them.
///
/// Orders meet the market whenever their client asks something, and then at that moment's prices: what happened
/// in between is not looked at.
///
/// A lock, because orders are changed by several requests at once, each in one step.
final class FakeSaxoOrderBook: Resettable {
    private let settings: FakeSaxoSettings
    private let state = Mutex<[String: Ledger]>([:])

    private struct Ledger {
        var activity: FakeSaxoActivity
        /// Requests of the last seconds, so that the same is not taken twice.
        var recent: [(request: [UInt8], moment: Instant)] = []
        var nextID = 5_014_824_030
    }

    /// The most orders of a client that may wait, and the most executions that are kept.
    static let maximumOrders = 200
    static let maximumExecutions = 5_000

    init(_ settings: FakeSaxoSettings) {
        self.settings = settings
    }

    /// What a client has done, up to the view's moment.
    func activity(of client: FakeSaxoClient, at view: MarketView) -> FakeSaxoActivity {
        with(client) { ledger in
            settle(&ledger.activity, at: view)
            return ledger.activity
        }
    }

    /// Whether the same request came within ``FakeSaxoSettings/duplicateOrderWindow``; remembers it where not.
    func isDuplicate(_ request: [UInt8], of client: FakeSaxoClient, at now: Instant) -> Bool {
        with(client) { ledger in
            ledger.recent.removeAll { now.duration(since: $0.moment) >= settings.duplicateOrderWindow }
            guard !ledger.recent.contains(where: { $0.request == request }) else { return true }
            ledger.recent.append((request, now))
            ledger.recent.removeFirst(max(0, ledger.recent.count - Self.maximumOrders))
            return false
        }
    }

    /// Takes an order, made with the id that it gets; throws where there is no room for more.
    func place(
        for client: FakeSaxoClient, _ make: (String) -> FakeSaxoOrder
    ) throws(FakeSaxoError) -> FakeSaxoOrder {
        let placed: FakeSaxoOrder? = with(client) { ledger in
            guard ledger.activity.orders.count < Self.maximumOrders,
                ledger.activity.executions.count < Self.maximumExecutions
            else { return nil }
            let order = make(String(ledger.nextID))
            ledger.nextID += 1
            ledger.activity.orders.append(order)
            return order
        }
        guard let placed else { throw .order(.orderNotPlaced) }
        return placed
    }

    /// Changes an order that waits; nil when there is none of that id.
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

    /// Cancels the orders of an account that fit, and says which they were.
    func cancel(
        of client: FakeSaxoClient, accountKey: String, where isMeant: (FakeSaxoOrder) -> Bool
    ) -> [String] {
        with(client) { ledger in
            let meant = ledger.activity.orders.filter { $0.accountKey == accountKey && isMeant($0) }
            ledger.activity.orders.removeAll { meant.contains($0) }
            return meant.map(\.id)
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
        for var order in activity.orders {
            let quote = FakeSaxoQuote(order.listing, at: view, settings)
            if let price = order.fill(at: quote) {
                let sign: Decimal = order.isBuy ? 1 : -1
                // The amount of an order is bounded where it is read, and so is its product with one.
                let amount = (try? order.amount * sign) ?? .zero
                activity.executions.append(
                    FakeSaxoExecution(
                        accountKey: order.accountKey, listing: order.listing, amount: amount, price: price,
                        second: view.now))
            } else if !order.duration.isMomentary, order.duration.expiry.map({ view.now < $0 }) ?? true {
                waiting.append(order)
            }
        }
        activity.orders = waiting
    }
}

extension FakeSaxoOrder {
    /// The orders that a client has from before the sandbox was started.
    fileprivate static func waiting(for client: FakeSaxoClient) -> [FakeSaxoOrder] {
        client.accounts.flatMap { account in
            account.limitOrders.compactMap { order -> FakeSaxoOrder? in
                guard let instrument = FakeInstrument.all.first(where: { $0.symbol == order.symbol }),
                    let listing = FakeSaxoDirectory.instrument(of: instrument),
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
    /// A price in ticks; nil where it is no whole number of them, or too large.
    func ticks(_ price: Decimal) -> Int? {
        let shortest = price.withoutTrailingZeros
        guard shortest.scale <= decimals else { return nil }
        let unit = (0..<(decimals - shortest.scale)).reduce(Int128(1)) { power, _ in power * 10 }
        let (ticks, over) = shortest.coefficient.multipliedReportingOverflow(by: unit)
        return over ? nil : Int(exactly: ticks).flatMap { abs($0) < 1 << 50 ? $0 : nil }
    }
}
