import Brokerage

/// A part of a position that was closed since the last end-of-day netting, by first in, first out.
struct FakeSaxoClosedPosition {
    let open: FakeSaxoExecution
    let close: FakeSaxoExecution
    /// Negative for a short position.
    let amount: Decimal

    /// The closed parts of an account on the day of the view in New York, in the order in which they were closed.
    static func positions(
        of account: FakeSaxoAccount, _ activity: FakeSaxoActivity, at view: MarketView
    ) throws -> [FakeSaxoClosedPosition] {
        guard view.now >= Int(account.funded.secondsSince1970) else { return [] }
        let today = Self.day(of: view.now)
        var open: [FakeSaxoInstrument: [FakeSaxoExecution]] = [:]
        var closed: [FakeSaxoClosedPosition] = []
        for execution in try FakeSaxoPositionBook.executions(of: account, activity, at: view) {
            var left = execution.amount
            while let first = open[execution.listing]?.first, !left.isZero,
                first.amount.isNegative != left.isNegative
            {
                let size = try min(first.amount.magnitude, left.magnitude)
                let amount = first.amount.isNegative ? try size.negated : size
                if Self.day(of: execution.second) == today {
                    closed.append(FakeSaxoClosedPosition(open: first, close: execution, amount: amount))
                }
                left = try left + amount
                let rest = try first.amount - amount
                if rest.isZero {
                    open[execution.listing]?.removeFirst()
                } else {
                    open[execution.listing]?[0] = first.with(amount: rest)
                }
            }
            if !left.isZero { open[execution.listing, default: []].append(execution.with(amount: left)) }
        }
        return closed
    }

    private static func day(of second: Int) -> CalendarDate {
        (Instant(secondsSince1970: Int64(second)) ?? .earliest).inNewYork.date
    }

    func document(
        of account: FakeSaxoAccount, _ rates: FakeSaxoRates, _ context: FakeSaxoHost.AuthenticatedRequest,
        _ groups: Set<String>
    ) throws -> JSONDocument {
        let (listing, format) = (open.listing, context.format)
        let (instrument, currency) = (listing.instrument, listing.currency)
        let (from, to) = (try listing.value(open.price), try listing.value(close.price))
        let profit = try ((to - from) * amount).rounded(to: FakeSaxoRates.decimals(of: currency), .halfEven)
        let costs = (opening: try Self.cost(open, of: amount), closing: try Self.cost(close, of: amount))
        func base(_ amount: Decimal) throws -> JSONDocument {
            format.number(try rates.converted(amount, from: currency, to: account.currency))
        }
        var members: [JSONDocument.Member] = [
            .init(name: "ClosedPositionUniqueId", value: .string("\(open.id)-\(close.id)")),
            .init(
                name: "ClosedPosition",
                value: [
                    "AccountId": .string(account.id),
                    "ClientId": .string(context.client.id),
                    "Uic": .integer(listing.uic),
                    "AssetType": .string(listing.assetType.rawValue),
                    "Amount": format.number(amount),
                    "BuyOrSell": amount.isNegative ? "Sell" : "Buy",
                    "OpenPrice": format.price(open.price, of: instrument),
                    "ClosingPrice": format.price(close.price, of: instrument),
                    "ExecutionTimeOpen": FakeSaxoFormat.time(open.second),
                    "ExecutionTimeClose": FakeSaxoFormat.time(close.second),
                    "OpeningPositionId": .string(open.id),
                    "ClosingPositionId": .string(close.id),
                    "ClosingMethod": "Fifo",
                    "ClosedProfitLoss": format.number(profit),
                    "ClosedProfitLossInBaseCurrency": try base(profit),
                    "CostOpening": format.number(costs.opening),
                    "CostOpeningInBaseCurrency": try base(costs.opening),
                    "CostClosing": format.number(costs.closing),
                    "CostClosingInBaseCurrency": try base(costs.closing),
                    "ClosingMarketValue": 0,
                    "ClosingMarketValueInBaseCurrency": 0,
                    "ConversionRateInstrumentToBaseSettledOpening": false,
                    "ConversionRateInstrumentToBaseSettledClosing": false,
                ]),
        ]
        if groups.contains("DisplayAndFormat") {
            members.append("DisplayAndFormat", listing.displayAndFormat)
        }
        return .object(members)
    }

    /// The part of an execution's commission that belongs to an amount; zero or less.
    private static func cost(_ execution: FakeSaxoExecution, of amount: Decimal) throws -> Decimal {
        let size = execution.size
        guard !size.isZero else { return .zero }
        return try (execution.commission * amount.magnitude).divided(by: size, to: 2, .halfEven).negated
    }
}
