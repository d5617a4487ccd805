import Brokerage

/// One item of the net positions.
struct FakeSaxoNetPosition {
    private let valuation: FakeSaxoValuation
    private let context: FakeSaxoHost.AuthenticatedRequest
    private let account: FakeSaxoAccount?

    init(
        _ position: FakeSaxoBook.Position, of visit: FakeSaxoHost.AuthenticatedRequest,
        _ account: FakeSaxoAccount?, in book: FakeSaxoBook
    ) throws {
        valuation = try FakeSaxoValuation(position, in: book, visit.settings)
        self.context = visit
        self.account = account
    }

    private var position: FakeSaxoBook.Position { valuation.position }

    /// `EURDKK__FxSpot`, `211__Share`: opaque to clients.
    private var id: String {
        switch position.listing.assetType {
        case .currencies: "\(position.listing.symbol)__FxSpot"
        case .stock, .fund: "\(position.listing.uic)__Share"
        case .contractOnStock, .contractOnFund, .contractOnIndex, .index:
            "\(position.listing.uic)__\(position.listing.assetType.rawValue)"
        }
    }

    func document(_ groups: Set<String>) throws -> JSONDocument {
        var members: [JSONDocument.Member] = [.init(name: "NetPositionId", value: .string(id))]
        if groups.contains("NetPositionBase") {
            members.append(.init(name: "NetPositionBase", value: try base))
        }
        if groups.contains("NetPositionView") { members.append(.init(name: "NetPositionView", value: view)) }
        if groups.contains("DisplayAndFormat") {
            members.append(.init(name: "DisplayAndFormat", value: position.listing.displayAndFormat))
        }
        if groups.contains("ExchangeInfo") {
            let exchange: JSONDocument = [
                "Description": .string(position.listing.exchangeID),
                "ExchangeId": .string(position.listing.exchangeID),
                "IsOpen": .bool(valuation.quote.isMarketOpen),
            ]
            members.append(.init(name: "Exchange", value: exchange))
        }
        return .object(members)
    }

    /// The account is not told where the question was for all.
    private var base: JSONDocument {
        get throws {
            let orders = context.activity.orders.count { order in
                order.listing == position.listing && (account.map { $0.key == order.accountKey } ?? true)
            }
            var members: [JSONDocument.Member] = []
            if let account { members.append(.init(name: "AccountId", value: .string(account.id))) }
            let rest: JSONDocument = [
                "Amount": context.format.number(position.amount),
                "AssetType": .string(position.listing.assetType.rawValue),
                "CanBeClosed": true,
                "ClientId": .string(context.client.id),
                "HasForceOpenPositions": false,
                "IsMarketOpen": .bool(valuation.quote.isMarketOpen),
                "MarketState": .string(valuation.quote.marketState),
                "NonTradableReason": "None",
                "NumberOfRelatedOrders": 0,
                "OpenOrdersCount": JSONDocument(integerLiteral: orders),
                "OpeningDirection": position.amount.isNegative ? "Sell" : "Buy",
                "PositionsAccount": .string((account ?? context.client.accounts.first)?.id ?? ""),
                "Uic": JSONDocument(integerLiteral: position.listing.uic),
            ]
            return .object(members + (rest.members ?? []))
        }
    }

    /// What needs a price is left out where none is told.
    private var view: JSONDocument {
        let format = context.format
        let counts: [JSONDocument.Member] = [
            .init(
                name: "CurrentPriceDelayMinutes",
                value: JSONDocument(integerLiteral: valuation.quote.delayInMinutes)),
            .init(name: "PositionCount", value: JSONDocument(integerLiteral: position.executions)),
            .init(name: "PositionsNotClosedCount", value: JSONDocument(integerLiteral: position.executions)),
            .init(name: "Status", value: "Open"),
        ]
        guard let figures = valuation.figures else {
            let reliability: JSONDocument =
                valuation.quote.access == .denied ? "NoMarketAccess" : "PricePending"
            return .object(
                [
                    .init(name: "CalculationReliability", value: reliability),
                    .init(name: "CurrentPriceType", value: "None"),
                ] + counts)
        }
        let told: JSONDocument = [
            "AverageOpenPrice": format.number(figures.averageOpenPrice),
            "CalculationReliability": "Ok",
            "ConversionRateCurrent": format.number(figures.conversionRate),
            "CurrentPrice": format.price(figures.price, of: position.listing.instrument),
            "CurrentPriceType": .string(figures.priceType),
            "Exposure": format.number(figures.exposure),
            "ExposureCurrency": .string(position.listing.exposureCurrency),
            "ExposureInBaseCurrency": format.number(figures.exposureInBase),
            "InstrumentPriceDayPercentChange": format.number(figures.dayPercentChange),
            "MarketValue": format.number(figures.marketValue),
            "MarketValueInBaseCurrency": format.number(figures.marketValueInBase),
            "ProfitLossOnTrade": format.number(figures.profit),
            "ProfitLossOnTradeInBaseCurrency": format.number(figures.profitInBase),
            "TradeCostsTotal": 0,
            "TradeCostsTotalInBaseCurrency": 0,
        ]
        return .object((told.members ?? []) + counts)
    }
}
