import Brokerage
package import Upstream

/// The requested and existing subscriptions of one connection, and their messages.
///
/// A value without I/O, which returns the next call. There is one subscription to prices for each AssetType, which is
/// replaced if its instruments change or if Saxo resets it, and one to the events of orders.
package struct SaxoStreamState {
    /// Work that needs a call.
    package enum Work: Hashable {
        case subscribe(SaxoSubscriptionRequest)
        case unsubscribe(String)
        case subscribeToOrders(SaxoOrderSubscriptionRequest)
        case unsubscribeFromOrders(String)

        /// The stream that fails if the call fails.
        var kind: SaxoStreamPool.Kind {
            switch self {
            case .subscribe, .unsubscribe: .prices
            case .subscribeToOrders, .unsubscribeFromOrders: .orders
            }
        }
    }

    /// The result of messages.
    package struct ReceiveResult: Equatable {
        var changes: [QuoteUpdate] = []
        var orderEvents: [SaxoOrderEvent] = []
        /// An event could not be read: the changes of orders until now are unknown.
        var losesOrderEvents = false
        /// There may be work now.
        var needsWork = false
        /// The session has ended: nothing comes any more.
        var isOver = false
    }

    private struct Subscription {
        var content: Content
        let timeout: Duration
        /// The time of the last message or heartbeat.
        var lastReceivedAt: ContinuousClock.Instant
        /// True if it must start again.
        var needsResubscription = false

        enum Content {
            case prices(SaxoSubscriptionRequest, SaxoPriceSnapshot)
            case orders
        }

        /// The request of a subscription to prices.
        var prices: SaxoSubscriptionRequest? {
            guard case .prices(let request, _) = content else { return nil }
            return request
        }
    }

    /// By AssetType and Uic, with each requested symbol.
    private var requestedListings: [String: [Int: [SaxoListing]]] = [:]
    private var followsOrders = false
    private var subscriptions: [String: Subscription] = [:]
    /// Requested subscriptions, with the messages that arrived before their response.
    private var pending: [String: [SaxoStreamMessage]] = [:]
    private var count = 0
    /// The id after which Saxo continues when the connection is opened again.
    private(set) var lastMessageID: UInt64?

    /// The maximum number of messages that wait for the response to a subscription; Saxo sends far fewer.
    private static let maximumPending = 256

    // MARK: What is wanted

    mutating func follow(_ listings: [SaxoListing]) {
        requestedListings = [:]
        for listing in listings {
            requestedListings[listing.key.assetType, default: [:]][listing.key.uic, default: []].append(
                listing)
        }
    }

    mutating func followOrders(_ isRequested: Bool) {
        followsOrders = isRequested
    }

    /// The next call to make, which counts as made; nil while there is none.
    package mutating func nextWork() -> Work? {
        nextOrderWork() ?? nextPriceWork()
    }

    private mutating func nextOrderWork() -> Work? {
        let current = subscriptions.first { $0.value.prices == nil }
        if followsOrders {
            if let current, !current.value.needsResubscription { return nil }
            count += 1
            let request = SaxoOrderSubscriptionRequest(referenceID: "o\(count)", replaces: current?.key)
            pending[request.referenceID] = []
            return .subscribeToOrders(request)
        }
        guard let current else { return nil }
        subscriptions[current.key] = nil
        return .unsubscribeFromOrders(current.key)
    }

    private mutating func nextPriceWork() -> Work? {
        let prices = subscriptions.values.compactMap(\.prices)
        // One after the other, in a fixed order.
        for assetType in Set(requestedListings.keys).union(prices.map(\.assetType)).sorted() {
            let current = prices.first { $0.assetType == assetType }
            let uics = Set((requestedListings[assetType] ?? [:]).keys)
            if uics.isEmpty {
                guard let current else { continue }
                subscriptions[current.referenceID] = nil
                return .unsubscribe(current.referenceID)
            }
            if let current, current.uics == uics,
                subscriptions[current.referenceID]?.needsResubscription == false
            {
                continue
            }
            count += 1
            let order = SaxoSubscriptionRequest(
                referenceID: "p\(count)", assetType: assetType, uics: uics,
                replaces: current?.referenceID)
            pending[order.referenceID] = []
            return .subscribe(order)
        }
        return nil
    }

    /// Applies the response to a subscription.
    ///
    /// - Returns: Every price in full, with the messages that arrived since.
    /// - Throws: An error if one of these messages is malformed.
    mutating func didSubscribe(
        _ order: SaxoSubscriptionRequest, _ response: SaxoPriceSubscription, now: ContinuousClock.Instant
    ) throws(JSONError) -> [QuoteUpdate] {
        if let replaced = order.replaces { subscriptions[replaced] = nil }
        let list = SaxoPriceSnapshot(response.prices)
        subscriptions[order.referenceID] = Subscription(
            content: .prices(order, list), timeout: .seconds(response.inactivityTimeout), lastReceivedAt: now)
        var updates = list.prices.keys.sorted().flatMap { changes(of: $0, order.assetType, from: nil, list) }
        for message in pending.removeValue(forKey: order.referenceID) ?? [] {
            updates += try merge(message, now: now).changes
        }
        return updates
    }

    /// Applies the response to a subscription to orders.
    ///
    /// - Returns: The events of the messages that arrived since.
    /// - Throws: An error if one of these messages is malformed.
    mutating func didSubscribe(
        _ request: SaxoOrderSubscriptionRequest, _ response: SaxoOrderSubscription,
        now: ContinuousClock.Instant
    ) throws(JSONError) -> [SaxoOrderEvent] {
        if let replaced = request.replaces { subscriptions[replaced] = nil }
        subscriptions[request.referenceID] = Subscription(
            content: .orders, timeout: .seconds(response.inactivityTimeout), lastReceivedAt: now)
        var events: [SaxoOrderEvent] = []
        for message in pending.removeValue(forKey: request.referenceID) ?? [] {
            events += try merge(message, now: now).orderEvents
        }
        return events
    }

    /// Forgets a subscription whose request failed.
    mutating func didNotSubscribe(_ referenceID: String) {
        pending[referenceID] = nil
    }

    // MARK: Messages

    package mutating func receive(
        _ message: SaxoStreamMessage, now: ContinuousClock.Instant
    ) throws(JSONError) -> ReceiveResult {
        lastMessageID = message.id
        guard message.referenceID.hasPrefix("_") else {
            if let waiting = pending[message.referenceID] {
                if waiting.count < Self.maximumPending { pending[message.referenceID]?.append(message) }
                return ReceiveResult()
            }
            return try merge(message, now: now)
        }
        switch try SaxoStreamControl(message) {
        case .heartbeat(let references):
            for reference in references { subscriptions[reference]?.lastReceivedAt = now }
            return ReceiveResult()
        case .reset(let references):
            for reference in references.isEmpty ? Array(subscriptions.keys) : references {
                subscriptions[reference]?.needsResubscription = true
            }
            return ReceiveResult(needsWork: true)
        case .disconnect:
            // There is no message after which it could continue.
            lastMessageID = nil
            return ReceiveResult(isOver: true)
        case .other: return ReceiveResult()
        }
    }

    /// Removes subscriptions without a message for too long; false if there are none.
    mutating func expireSilent(now: ContinuousClock.Instant) -> Bool {
        let silent = subscriptions.filter {
            !$0.value.needsResubscription && $0.value.lastReceivedAt + $0.value.timeout < now
        }
        for reference in silent.keys { subscriptions[reference]?.needsResubscription = true }
        return !silent.isEmpty
    }

    /// A message of a removed subscription is ignored.
    private mutating func merge(
        _ message: SaxoStreamMessage, now: ContinuousClock.Instant
    ) throws(JSONError) -> ReceiveResult {
        guard var subscription = subscriptions[message.referenceID] else { return ReceiveResult() }
        var result = ReceiveResult()
        switch subscription.content {
        case .prices(let request, let before):
            var list = before
            let uics = try list.merge(message.payload)
            subscription.content = .prices(request, list)
            result.changes = uics.flatMap { changes(of: $0, request.assetType, from: before, list) }
        case .orders:
            let rows = try SaxoOrderEvent.events(in: message.payload)
            result.orderEvents = rows.elements
            result.losesOrderEvents = !rows.failures.isEmpty
        }
        subscription.lastReceivedAt = now
        subscriptions[message.referenceID] = subscription
        return result
    }

    /// The changes of a price, for each symbol that it was requested for.
    private func changes(
        of uic: Int, _ assetType: String, from before: SaxoPriceSnapshot?, _ after: SaxoPriceSnapshot
    ) -> [QuoteUpdate] {
        guard let new = after.prices[uic] else { return [] }
        return (requestedListings[assetType]?[uic] ?? []).compactMap { listing in
            // Without the unit of the prices, it is unknown whether figures are hundredths.
            guard listing.stating(new.format.currency).priceUnit != nil else { return nil }
            return QuoteUpdate(from: before?.prices[uic], to: new, of: listing)
        }
    }
}
