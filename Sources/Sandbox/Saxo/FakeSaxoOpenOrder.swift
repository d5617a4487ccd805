import Brokerage

/// One item of the open orders.
struct FakeSaxoOpenOrder {
    private let order: FakeSaxoOrder
    private let context: FakeSaxoHost.AuthenticatedRequest
    private let quote: FakeSaxoQuote

    init(_ order: FakeSaxoOrder, of visit: FakeSaxoHost.AuthenticatedRequest) {
        self.order = order
        self.context = visit
        quote = FakeSaxoQuote(order.listing, at: visit.view, visit.settings)
    }

    func document(_ groups: Set<String>) throws -> JSONDocument {
        let account = context.client.accounts.first { $0.key == order.accountKey }
        var members: [JSONDocument.Member] =
            [
                .init(name: "OrderId", value: .string(order.id)),
                .init(name: "AccountId", value: .string(account?.id ?? "")),
                .init(name: "AccountKey", value: .string(order.accountKey)),
                .init(name: "ClientKey", value: .string(context.client.key)),
                .init(name: "Uic", value: JSONDocument(integerLiteral: order.listing.uic)),
                .init(name: "AssetType", value: .string(order.listing.assetType.rawValue)),
                .init(name: "Amount", value: context.format.number(order.amount)),
                .init(name: "BuySell", value: order.isBuy ? "Buy" : "Sell"),
                .init(name: "OpenOrderType", value: .string(order.kind.name)),
                .init(name: "OrderAmountType", value: "Quantity"),
                .init(name: "OrderRelation", value: "StandAlone"),
                .init(name: "OrderTime", value: FakeSaxoFormat.time(order.placed)),
                .init(name: "Duration", value: order.duration.document),
                .init(name: "Status", value: "Working"),
                .init(name: "IsMarketOpen", value: .bool(quote.isMarketOpen)),
                .init(name: "RelatedOpenOrders", value: []),
            ]
        members += try prices
        if let reference = order.externalReference {
            members.append(.init(name: "ExternalReference", value: .string(reference)))
        }
        if groups.contains("DisplayAndFormat") {
            members.append(.init(name: "DisplayAndFormat", value: order.listing.displayAndFormat))
        }
        return .object(members)
    }

    /// The order's price, and how far the market is from it.
    private var prices: [JSONDocument.Member] {
        get throws {
            let instrument = order.listing.instrument
            var members: [JSONDocument.Member] = []
            if let price = order.kind.price {
                members.append(.init(name: "Price", value: context.format.price(price, of: instrument)))
            }
            if case .trailingStop(let trail) = order.kind {
                members += [
                    .init(
                        name: "TrailingStopDistanceToMarket",
                        value: context.format.price(trail.distance, of: instrument)),
                    .init(name: "TrailingStopStep", value: context.format.price(trail.step, of: instrument)),
                ]
            }
            guard let last = quote.last else {
                return members + [.init(name: "CurrentPriceType", value: "None")]
            }
            let side = order.isBuy ? quote.ask : quote.bid
            let current = side?.price ?? last
            let type: JSONDocument = side == nil ? "LastTraded" : order.isBuy ? "Ask" : "Bid"
            members += [
                .init(name: "CurrentPrice", value: context.format.price(current, of: instrument)),
                .init(name: "CurrentPriceType", value: type),
                .init(
                    name: "CurrentPriceDelayMinutes",
                    value: JSONDocument(integerLiteral: quote.delayInMinutes)),
                .init(name: "MarketPrice", value: context.format.price(current, of: instrument)),
            ]
            if let price = order.kind.price {
                let distance = abs(current - price)
                members.append(
                    .init(name: "DistanceToMarket", value: context.format.price(distance, of: instrument)))
            }
            return members
        }
    }
}
