import Brokerage
import NIOHTTP1

/// Saxo's portfolio service: client, accounts, balances, net positions and open orders.
struct FakeSaxoPortfolio: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/port/v1/clients/me") { .json(Self.client($0.client)) },
            host.get("/port/v1/accounts/me") { context in
                .json(
                    try FakeSaxoPage(context).document(context.client.accounts) {
                        Self.account($0, of: context.client)
                    }
                )
            },
            host.get("/port/v1/balances") { context in
                try context.requireClientKey()
                return try balance(context)
            },
            host.get("/port/v1/balances/me", balance),
            host.get("/port/v1/netpositions") { context in
                try context.requireClientKey()
                return try netPositions(context)
            },
            host.get("/port/v1/netpositions/me", netPositions),
            host.get("/port/v1/closedpositions") { context in
                try context.requireClientKey()
                return try closedPositions(context)
            },
            host.get("/port/v1/closedpositions/me", closedPositions),
            host.get("/port/v1/orders") { context in
                try context.requireClientKey()
                return try orders(context)
            },
            host.get("/port/v1/orders/me", orders),
            host.get("/port/v1/orders/{client_key}/{order_id}", order),
        ]
    }

    private static let assetTypes: JSONDocument = .array(
        FakeSaxoInstrument.AssetType.allCases.filter(\.isTradable).map { .string($0.rawValue) })

    private static func client(_ client: FakeSaxoClient) -> JSONDocument {
        [
            "ClientId": .string(client.id),
            "ClientKey": .string(client.key),
            "DefaultAccountId": .string(client.accounts.first?.id ?? ""),
            "DefaultAccountKey": .string(client.accounts.first?.key ?? ""),
            "DefaultCurrency": .string(client.currency),
            "CurrencyDecimals": .integer(FakeSaxoRates.decimals(of: client.currency)),
            "Name": .string(client.name),
            "LegalAssetTypes": assetTypes,
            "LegalAssetTypesAreIndicative": false,
            "IsMarginTradingAllowed": true,
            "IsVariationMarginEligible": false,
            "PositionNettingMode": "EndOfDay",
            "PositionNettingMethod": "FIFO",
            "PositionNettingProfile": "FifoEndOfDay",
            "SupportsAccountValueProtectionLimit": true,
            "AllowedTradingSessions": "Regular",
            "ReduceExposureOnly": false,
            "ForceOpenDefaultValue": false,
            "MarginCalculationMethod": "Default",
        ]
    }

    private static func account(_ account: FakeSaxoAccount, of client: FakeSaxoClient) -> JSONDocument {
        [
            "AccountId": .string(account.id),
            "AccountKey": .string(account.key),
            "AccountGroupKey": .string(client.accounts.first?.key ?? ""),
            "AccountType": "Normal",
            "Active": true,
            "ClientId": .string(client.id),
            "ClientKey": .string(client.key),
            "CreationDate": FakeSaxoFormat.time(account.opened),
            "Currency": .string(account.currency),
            "CurrencyDecimals": .integer(FakeSaxoRates.decimals(of: account.currency)),
            "IsTrialAccount": true,
            "LegalAssetTypes": assetTypes,
            "Sharing": ["NoSharing"],
        ]
    }

    /// Returns the book of one account in its own currency, or of all in the client's.
    private func book(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> FakeSaxoPositionBook {
        let account = try context.account()
        return try FakeSaxoPositionBook(
            account.map { [$0] } ?? context.client.accounts,
            in: account?.currency ?? context.client.currency, context.activity, at: context.view)
    }

    private func balance(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        .json(try FakeSaxoBalance(book(context), context.settings).document(context.format))
    }

    private func netPositions(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let book = try book(context)
        var positions = book.positions
        if let uic = try context.integer("Uic", in: 0...Int.max) {
            let assetType = try context.assetType()
            positions = positions.filter { $0.listing.uic == uic && $0.listing.assetType == assetType }
        }
        if positions.isEmpty, context.settings.emptyPortfolioHasNoContent {
            return SandboxResponse(status: .noContent)
        }
        let account = try context.account()
        let groups = context.fieldGroups(["NetPositionBase", "NetPositionView"])
        return .json(
            try FakeSaxoPage(context, countsByDefault: true).document(positions) { position in
                try FakeSaxoNetPosition(position, of: context, account, in: book).document(groups)
            })
    }

    private func closedPositions(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let accounts = try context.account().map { [$0] } ?? context.client.accounts
        let rates = FakeSaxoRates(market: context.view.market, second: context.view.now)
        let groups = context.fieldGroups(["ClosedPosition"])
        let items = try accounts.flatMap { account in
            try FakeSaxoClosedPosition.positions(of: account, context.activity, at: context.view).map {
                try $0.document(of: account, rates, context, groups)
            }
        }
        if items.isEmpty, context.settings.emptyPortfolioHasNoContent {
            return SandboxResponse(status: .noContent)
        }
        return .json(try FakeSaxoPage(context, countsByDefault: true).document(items) { $0 })
    }

    /// The open order with an id, in a list; no content for another one.
    private func order(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        guard context.request.parameters["client_key"] == context.client.key else {
            throw FakeSaxoError.unauthorized
        }
        let id = context.request.parameters["order_id"]
        guard let order = context.activity.orders.first(where: { $0.id == id }) else {
            return SandboxResponse(status: .noContent)
        }
        let document = try FakeSaxoOpenOrder(order, of: context).document(context.fieldGroups([]))
        return .json(["Data": [document]])
    }

    private func orders(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let account = try context.account()
        let id = context.request[query: "OrderId"]
        let status = context.request[query: "Status"] ?? "Working"
        guard ["All", "Working"].contains(status) else {
            throw FakeSaxoError.invalid("Status", "The value '\(status)' is not valid for Status.")
        }
        let orders = context.activity.orders.filter { order in
            // Orders that wait for a working one are not working.
            (status == "All" || order.masterID == nil)
                && (account.map { $0.key == order.accountKey } ?? true) && (id ?? order.id) == order.id
        }
        let groups = context.fieldGroups([])
        return .json(
            try FakeSaxoPage(context, countsByDefault: true).document(orders) { order in
                try FakeSaxoOpenOrder(order, of: context).document(groups)
            })
    }
}

/// One item of the net positions response.
struct FakeSaxoNetPosition {
    private let valuation: FakeSaxoValuation
    private let context: FakeSaxoHost.AuthenticatedRequest
    private let account: FakeSaxoAccount?

    init(
        _ position: FakeSaxoPositionBook.Position, of context: FakeSaxoHost.AuthenticatedRequest,
        _ account: FakeSaxoAccount?, in book: FakeSaxoPositionBook
    ) throws {
        valuation = try FakeSaxoValuation(position, in: book, context.settings)
        self.context = context
        self.account = account
    }

    private var position: FakeSaxoPositionBook.Position { valuation.position }

    /// `EURDKK__FxSpot`, `211__Share`: opaque to clients.
    private var id: String {
        switch position.listing.assetType {
        case .currencies, .cryptocurrencies:
            "\(position.listing.symbol)__\(position.listing.assetType.rawValue)"
        case .stock, .fund: "\(position.listing.uic)__Share"
        case .contractOnStock, .contractOnFund, .contractOnIndex, .index:
            "\(position.listing.uic)__\(position.listing.assetType.rawValue)"
        }
    }

    func document(_ groups: Set<String>) throws -> JSONDocument {
        var members: [JSONDocument.Member] = [.init(name: "NetPositionId", value: .string(id))]
        if groups.contains("NetPositionBase") { members.append("NetPositionBase", try base) }
        if groups.contains("NetPositionView") { members.append("NetPositionView", view) }
        if groups.contains("DisplayAndFormat") {
            members.append("DisplayAndFormat", position.listing.displayAndFormat)
        }
        if groups.contains("ExchangeInfo") {
            let exchange: JSONDocument = [
                "Description": .string(position.listing.exchangeID),
                "ExchangeId": .string(position.listing.exchangeID),
                "IsOpen": .bool(valuation.quote.isMarketOpen),
            ]
            members.append("Exchange", exchange)
        }
        return .object(members)
    }

    /// The account is omitted if the request was for all accounts.
    private var base: JSONDocument {
        get throws {
            let orders = context.activity.orders.count { order in
                order.listing == position.listing && (account.map { $0.key == order.accountKey } ?? true)
            }
            let settlement = FakeSaxoQuote.settlement(of: position.lastExecution)
            // The exits that are left of an entry that was filled.
            let exits = context.activity.orders.count { order in
                order.listing == position.listing && order.masterID == nil && order.rivalID != nil
                    && order.isBuy == position.amount.isNegative
                    && (account.map { $0.key == order.accountKey } ?? true)
            }
            var members: [JSONDocument.Member] = []
            if let account { members.append("AccountId", .string(account.id)) }
            let rest: JSONDocument = [
                "Amount": context.format.number(position.amount),
                "AssetType": .string(position.listing.assetType.rawValue),
                "CanBeClosed": true,
                "ClientId": .string(context.client.id),
                "HasForceOpenPositions": false,
                "IsMarketOpen": .bool(valuation.quote.isMarketOpen),
                "MarketState": .string(valuation.quote.marketState),
                "NonTradableReason": "None",
                "NumberOfRelatedOrders": .integer(exits),
                "OpenOrdersCount": .integer(orders),
                "OpeningDirection": position.amount.isNegative ? "Sell" : "Buy",
                "PositionsAccount": .string((account ?? context.client.accounts.first)?.id ?? ""),
                "Uic": .integer(position.listing.uic),
                "ValueDate": .string("\(settlement)T00:00:00.000000Z"),
            ]
            return .object(members + (rest.members ?? []))
        }
    }

    /// Members that need a price are omitted without one.
    private var view: JSONDocument {
        let format = context.format
        let counts: [JSONDocument.Member] = [
            .init(name: "CurrentPriceDelayMinutes", value: .integer(valuation.quote.delayInMinutes)),
            .init(name: "PositionCount", value: .integer(position.executions)),
            .init(name: "PositionsNotClosedCount", value: .integer(position.executions)),
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
        let priced: JSONDocument = [
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
            "TradeCostsTotal": format.number(figures.costs),
            "TradeCostsTotalInBaseCurrency": format.number(figures.costsInBase),
        ]
        return .object((priced.members ?? []) + counts)
    }
}
