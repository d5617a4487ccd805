import Brokerage
import NIOHTTP1

/// Saxo's single positions, one for each execution that is not closed: `port/v1/positions`.
struct FakeSaxoPositions: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/port/v1/positions") { context in
                try context.requireClientKey()
                return try positions(context)
            },
            host.get("/port/v1/positions/me", positions),
            host.get("/port/v1/positions/{position_id}") { context in
                try context.requireClientKey()
                let id = context.request.parameters["position_id"]
                guard let position = try items(context).first(where: { $0.execution.id == id }) else {
                    return SandboxResponse(status: .noContent)
                }
                return .json(try document(position, context))
            },
        ]
    }

    private func positions(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let items = try items(context)
        if items.isEmpty, context.settings.emptyPortfolioHasNoContent {
            return SandboxResponse(status: .noContent)
        }
        return .json(
            try FakeSaxoPage(context, countsByDefault: true).document(items) { try document($0, context) })
    }

    /// An execution, or the part of it that is not closed.
    private struct Item {
        let account: FakeSaxoAccount
        let execution: FakeSaxoExecution
    }

    /// The executions that no later one has closed, first in, first out.
    private func items(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> [Item] {
        let accounts = try context.account().map { [$0] } ?? context.client.accounts
        return try accounts.flatMap { account -> [Item] in
            var open: [FakeSaxoExecution] = []
            for execution in try FakeSaxoPositionBook.executions(
                of: account, context.activity, at: context.view)
            {
                var rest = execution
                while !rest.amount.isZero,
                    let index = open.firstIndex(where: {
                        $0.listing == rest.listing && $0.amount.isNegative != rest.amount.isNegative
                    })
                {
                    let sum = try open[index].amount + rest.amount
                    let isWhole = sum.isZero || sum.isNegative == rest.amount.isNegative
                    rest = rest.with(amount: isWhole ? sum : .zero)
                    if isWhole { open.remove(at: index) } else { open[index] = open[index].with(amount: sum) }
                }
                if !rest.amount.isZero { open.append(rest) }
            }
            return open.map { Item(account: account, execution: $0) }
        }
    }

    private func document(
        _ item: Item, _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> JSONDocument {
        let (execution, listing) = (item.execution, item.execution.listing)
        let groups = context.fieldGroups(["PositionBase", "PositionView"])
        let quote = FakeSaxoQuote(listing, at: context.view, context.settings)
        var members: [JSONDocument.Member] = [
            .init(name: "NetPositionId", value: .string("\(listing.uic)__\(listing.assetType.rawValue)")),
            .init(name: "PositionId", value: .string(execution.id)),
        ]
        if groups.contains("PositionBase") {
            let base: JSONDocument = [
                "AccountId": .string(item.account.id), "AccountKey": .string(item.account.key),
                "Amount": context.format.number(execution.amount),
                "AssetType": .string(listing.assetType.rawValue), "CanBeClosed": true,
                "ClientId": .string(context.client.id), "CloseConversionRateSettled": false,
                "ExecutionTimeOpen": FakeSaxoFormat.time(execution.second), "IsForceOpen": false,
                "IsMarketOpen": .bool(quote.isMarketOpen), "LockedByBackOffice": false,
                "OpenPrice": context.format.price(execution.price, of: listing.instrument),
                "Status": "Open", "Uic": .integer(listing.uic),
                "ValueDate": .string("\(FakeSaxoQuote.settlement(of: execution.second))T00:00:00.000000Z"),
            ]
            members.append("PositionBase", base)
        }
        if groups.contains("PositionView") {
            members.append("PositionView", try view(execution, quote, context))
        }
        if groups.contains("DisplayAndFormat") {
            members.append("DisplayAndFormat", listing.displayAndFormat)
        }
        return .object(members)
    }

    /// The price, and the profit in the currency of the instrument.
    private func view(
        _ execution: FakeSaxoExecution, _ quote: FakeSaxoQuote, _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> JSONDocument {
        let instrument = execution.listing.instrument
        guard let last = quote.last else {
            return ["CalculationReliability": "NoMarketAccess", "CurrentPriceType": "None"]
        }
        let side = execution.amount.isNegative ? quote.ask : quote.bid
        let price = side?.price ?? last
        let profit =
            try execution.amount
            * (execution.listing.value(price) - execution.listing.value(execution.price))
        return [
            "CalculationReliability": "Ok",
            "CurrentPrice": context.format.price(price, of: instrument),
            "CurrentPriceDelayMinutes": .integer(quote.delayInMinutes),
            "CurrentPriceType":
                side == nil ? "LastTraded" : execution.amount.isNegative ? "Ask" : "Bid",
            "Exposure": context.format.number(execution.amount),
            "ExposureCurrency": .string(execution.listing.exposureCurrency),
            "ProfitLossOnTrade": context.format.number(profit), "TradeCostsTotal": 0,
        ]
    }
}
