import Brokerage
import PorticoCore
import Upstream

/// Places an order with a take profit and a stop loss far from the market, lists, replaces and cancels it.
///
/// It is for practice accounts only. Whatever fails, the order is cancelled at the end if the broker has it.
struct OrderVerification {
    let verification: ProviderVerification
    let trading: any TradingAPI
    let account: Account
    let symbol: Symbol

    private typealias Step = VerificationReport.OrderStep

    /// The number of reads until the broker must list a change, one a second.
    private static let reads = 15

    func run() async -> [VerificationReport.OrderStep] {
        let quotes = MarketDataClients(verification.clients.market).quotes
        let quote = await verification.perform("quotes") { call throws(ProviderFailure) in
            try await quotes?.quotes(for: [symbol], in: call)
        }
        guard let price = quote??[symbol].flatMap({ $0.price ?? $0.ask ?? $0.bid }),
            let ticket = ticket(at: price)
        else { return [Step(name: "price", problem: "there is no price of \(symbol.text)")] }
        var steps: [VerificationReport.OrderStep] = []
        let order = await place(ticket, &steps)
        guard var order else { return steps }
        let listed = await listed(order.id) { $0.legs.count == 2 }
        steps.append(
            Step(
                name: "list",
                problem: listed == nil
                    ? "no open order has the id of the placed one and two exits" : nil))
        if trading.orderCapabilities.replaces, let entry = Self.share(69, of: price) {
            order = await replace(listed ?? order, by: entry, &steps)
        }
        await cancel(order, &steps)
        return steps
    }

    /// One unit at 70 % of the price, so that it is not filled, with exits on both sides.
    private func ticket(at price: Decimal) -> OrderTicket? {
        guard let entry = Self.share(70, of: price), let profit = Self.share(90, of: price),
            let loss = Self.share(50, of: price)
        else { return nil }
        let times = trading.orderCapabilities.exits?.timesInForce ?? []
        return OrderTicket(
            clientOrderID: ProviderVerification.newOrderID(), accountID: account.id, symbol: symbol,
            side: .buy,
            size: .quantity(1), price: .limit(entry),
            timeInForce: times.contains(.goodTillCanceled) ? .goodTillCanceled : .day,
            exits: OrderExits(takeProfit: profit, stopLoss: OrderExits.StopLoss(stop: loss)))
    }

    /// A percentage of a price in whole cents.
    private static func share(_ percent: Int, of price: Decimal) -> Decimal? {
        Decimal(coefficient: Int128(percent), scale: 2).flatMap { try? $0 * price }?.rounded(to: 2, .halfUp)
    }

    private func place(
        _ ticket: OrderTicket, _ steps: inout [VerificationReport.OrderStep]
    ) async -> Order? {
        let result = await verification.perform("placeOrder") { call throws(ProviderFailure) in
            try await trading.place(ticket, in: call)
        }
        switch result {
        case .accepted(let order)?:
            steps.append(Step(name: "place", problem: nil))
            return order
        case .rejected(let rejection)?:
            steps.append(Step(name: "place", problem: "rejected: \(rejection.reason.rawValue)"))
            return nil
        case nil: return await find(ticket, &steps)
        }
    }

    /// Looks up an order whose placing failed: it may exist nevertheless.
    private func find(_ ticket: OrderTicket, _ steps: inout [VerificationReport.OrderStep]) async -> Order? {
        let found = await verification.perform("orderByClientID") { call throws(ProviderFailure) in
            try await trading.order(clientID: ticket.clientOrderID, of: account.id, in: call)
        }
        if case .found(let order)? = found {
            steps.append(Step(name: "place", problem: "the order exists, but the response could not be read"))
            return order
        }
        let isAbsent = found == .absent
        steps.append(
            Step(
                name: "place",
                problem: isAbsent
                    ? "not placed"
                    : "unknown; look for an order with the client's id \(ticket.clientOrderID), and cancel it"
            ))
        return nil
    }

    private func replace(
        _ order: Order, by price: Decimal, _ steps: inout [VerificationReport.OrderStep]
    ) async -> Order {
        let result = await verification.perform("replaceOrder") { call throws(ProviderFailure) in
            try await trading.replace(
                order, by: OrderReplacement(price: .limit(price)),
                clientOrderID: ProviderVerification.newOrderID(),
                in: call)
        }
        guard case .accepted(let changed)? = result else {
            steps.append(Step(name: "replace", problem: Self.problem(of: result)))
            return order
        }
        let listed = await listed(changed.id) { $0.limitPrice == price }
        steps.append(
            Step(name: "replace", problem: listed == nil ? "no open order has the new price" : nil))
        return listed ?? changed
    }

    private func cancel(_ order: Order, _ steps: inout [VerificationReport.OrderStep]) async {
        let result = await verification.perform("cancelOrder") { call throws(ProviderFailure) in
            try await trading.cancel(order, in: call)
        }
        guard case .accepted? = result else {
            steps.append(
                Step(name: "cancel", problem: Self.problem(of: result) + "; cancel it at the broker"))
            return
        }
        for _ in 0..<Self.reads {
            guard let orders = await openOrders() else { continue }
            if !orders.contains(where: { $0.id == order.id }) {
                return steps.append(Step(name: "cancel", problem: nil))
            }
            try? await verification.clock.sleep(verification.clock.now() + .seconds(1))
        }
        steps.append(Step(name: "cancel", problem: "the order is still open; cancel it at the broker"))
    }

    /// The open order with an id, once it is as it should be; nil if it is not within the number of reads.
    private func listed(_ id: String, where isReady: (Order) -> Bool) async -> Order? {
        for _ in 0..<Self.reads {
            if let order = await openOrders()?.first(where: { $0.id == id }), isReady(order) { return order }
            try? await verification.clock.sleep(verification.clock.now() + .seconds(1))
        }
        return nil
    }

    private func openOrders() async -> [Order]? {
        await verification.perform("orders") { call throws(ProviderFailure) in
            try await trading.orders(OrderQuery(isOpen: true, limit: 500), in: call).orders
        }
    }

    private static func problem(of result: OrderResult?) -> String {
        switch result {
        case .rejected(let rejection)?: "rejected: \(rejection.reason.rawValue)"
        case .accepted?, nil: "failed"
        }
    }
}
