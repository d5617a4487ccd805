import Brokerage

/// One event of an order, as the event notification service reports it.
struct FakeSaxoOrderEvent: Sendable {
    /// `SequenceId`: increases for each client, also over a reset of the sandbox.
    let sequence: Int
    let status: Status
    /// The order after the event.
    let order: FakeSaxoOrder
    /// `OrderRelation` at the time of the event.
    let relation: String
    /// The second of the clock.
    let second: Int
    /// The price of the fill in ticks; nil for other events.
    var fillPrice: Int?

    /// `Status`.
    enum Status: String, Sendable {
        case placed = "Placed"
        case changed = "Changed"
        case trailingStopMoved = "TrailingStopOrderMove"
        case cancelled = "Cancelled"
        case expired = "Expired"
        /// The sandbox fills an order at once and completely.
        case filled = "FinalFill"
    }

    /// The event as the event notification service reports it.
    func document(
        of client: FakeSaxoClient, _ groups: Set<String>, _ settings: FakeSaxoSettings
    ) -> JSONDocument {
        let own: [JSONDocument.Member] = [
            .init(name: "ActivityType", value: "Orders"),
            .init(name: "SequenceId", value: .string(String(sequence))),
            .init(name: "AccountKey", value: .string(order.accountKey)),
            .init(name: "ClientKey", value: .string(client.key)),
            .init(name: "Duration", value: order.duration.document),
        ]
        return .object(own + members(of: client, groups, settings))
    }

    /// The event as an entry of the log of orders, which has no keys (Client Services, "Models.OrderActivitiesResponse").
    func entry(
        of client: FakeSaxoClient, _ groups: Set<String>, _ settings: FakeSaxoSettings
    ) -> JSONDocument {
        let own: [JSONDocument.Member] = [
            .init(name: "CorrelationKey", value: .string(order.masterID ?? order.id)),
            .init(name: "HandledBy", value: .string(client.id)),
            .init(name: "Duration", value: order.duration.logDocument),
        ]
        return .object(own + members(of: client, groups, settings))
    }

    private func members(
        of client: FakeSaxoClient, _ groups: Set<String>, _ settings: FakeSaxoSettings
    ) -> [JSONDocument.Member] {
        let format = FakeSaxoFormat(writesExponents: settings.writesExponents)
        let account = client.accounts.first { $0.key == order.accountKey }
        var members: [JSONDocument.Member] = [
            .init(name: "AccountId", value: .string(account?.id ?? "")),
            .init(name: "ActivityTime", value: FakeSaxoFormat.time(second)),
            .init(name: "Amount", value: format.number(order.amount)),
            .init(name: "AssetType", value: .string(order.listing.assetType.rawValue)),
            .init(name: "BuySell", value: order.isBuy ? "Buy" : "Sell"),
            .init(name: "ClientId", value: .string(client.id)),
            .init(name: "LogId", value: .string(String(sequence))),
            .init(name: "OrderId", value: .string(order.id)),
            .init(name: "OrderRelation", value: .string(relation)),
            .init(name: "OrderType", value: .string(order.kind.name)),
            .init(name: "Status", value: .string(status.rawValue)),
            .init(name: "SubStatus", value: "Confirmed"),
            .init(name: "Uic", value: .integer(order.listing.uic)),
        ]
        members += prices(format)
        if let reference = order.externalReference { members.append("ExternalReference", .string(reference)) }
        if groups.contains("DisplayAndFormat") {
            members.append("DisplayAndFormat", order.listing.displayAndFormat)
        }
        return members
    }

    /// The prices of the order, and the amount and the price of a fill.
    private func prices(_ format: FakeSaxoFormat) -> [JSONDocument.Member] {
        func member(_ name: String, _ ticks: Int) -> JSONDocument.Member {
            .init(name: name, value: format.price(ticks, of: order.listing.instrument))
        }
        var members = order.kind.price.map { [member("Price", $0)] } ?? []
        if case .stopLimit(_, let limit) = order.kind { members.append(member("StopLimitPrice", limit)) }
        if case .trailingStop(let trail) = order.kind {
            members.append(member("TrailingStopDistanceToMarket", trail.distance))
        }
        guard let fillPrice else { return members }
        let amount = format.number(order.amount)
        return members + [
            .init(name: "FillAmount", value: amount), .init(name: "FilledAmount", value: amount),
            member("ExecutionPrice", fillPrice), member("AveragePrice", fillPrice),
        ]
    }
}

/// The events of one client's orders, oldest first.
struct FakeSaxoOrderLog: Sendable {
    private(set) var events: [FakeSaxoOrderEvent] = []
    /// The number of the last event.
    private(set) var last = 0

    /// The maximum number of stored events.
    static let maximumEvents = 5_000

    /// The events that a subscription begins with.
    enum Start: Sendable, Hashable {
        /// Later ones only.
        case realTime
        /// An event and those after it.
        case sequence(Int)
        /// The events since a second of the clock.
        case second(Int)
    }

    mutating func append(
        _ status: FakeSaxoOrderEvent.Status, _ order: FakeSaxoOrder, among orders: [FakeSaxoOrder],
        at second: Int, fillPrice: Int? = nil
    ) {
        last = max(last + 1, second * 1_000)
        events.append(
            FakeSaxoOrderEvent(
                sequence: last, status: status, order: order, relation: order.relation(among: orders),
                second: second, fillPrice: fillPrice))
        events.removeFirst(max(0, events.count - Self.maximumEvents))
    }

    /// The events after one with a number.
    func events(after sequence: Int) -> [FakeSaxoOrderEvent] {
        events.filter { $0.sequence > sequence }
    }

    /// The events from a start; nil if the event with its number is not stored.
    func events(from start: Start) -> [FakeSaxoOrderEvent]? {
        switch start {
        case .realTime: []
        case .sequence(let sequence):
            events.contains { $0.sequence == sequence } ? events.filter { $0.sequence >= sequence } : nil
        case .second(let second): events.filter { $0.second >= second }
        }
    }
}
