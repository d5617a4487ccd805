import Brokerage
import NIOHTTP1

/// Saxo's reports over the ledger: trades, bookings, closed positions and sums of a day (developer.saxo, "Client
/// Reporting").
struct FakeSaxoReports: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/cs/v1/reports/trades/{client_key}") { context in
                let report = try Report(context)
                let rows: [FakeSaxoLedger.Row]
                if let id = context.request[query: "TradeId"] {
                    guard context.request[query: "AccountKey"] != nil else {
                        throw FakeSaxoError.invalid("AccountKey", "AccountKey is required with TradeId")
                    }
                    rows = report.rows.filter { $0.isTrade && $0.tradeID == id }
                } else {
                    let days = try context.days()
                    rows = report.rows.filter { $0.isTrade && days.contains($0.entry.date) }
                }
                return .json(try FakeSaxoPage(context).document(rows.flatMap(report.trades)) { $0 })
            },
            host.get("/cs/v1/reports/bookings/{client_key}") { context in
                let report = try Report(context)
                return .json(
                    try FakeSaxoPage(context).document(try report.bookings(context), report.booking))
            },
            host.get("/cs/v1/reports/closedPositions/{client_key}/{from_date}/{to_date}") { context in
                let report = try Report(context)
                let days = try context.daysOfPath()
                let closed = try report.ledger.accounts.flatMap(FakeSaxoClosedTrade.trades)
                    .filter { days.contains($0.close.entry.date) }
                return .json(try FakeSaxoPage(context).document(closed, report.closedPosition))
            },
            host.get("/cs/v1/reports/aggregatedAmounts/{client_key}/{from_date}/{to_date}") { context in
                let report = try Report(context)
                let sums = try report.aggregatedAmounts(context.daysOfPath())
                return .json(try FakeSaxoPage(context).document(sums) { $0 })
            },
        ]
    }

    /// The rows of one request.
    private struct Report {
        let ledger: FakeSaxoLedger
        private let context: FakeSaxoHost.AuthenticatedRequest

        /// Requires the client's own key in the path.
        init(_ context: FakeSaxoHost.AuthenticatedRequest) throws {
            guard context.request.parameters["client_key"] == context.client.key else {
                throw FakeSaxoError.unauthorized
            }
            self.context = context
            let account = try context.account()
            ledger = try FakeSaxoLedger(account.map { [$0] } ?? context.client.accounts, context)
        }

        /// Oldest first.
        var rows: [FakeSaxoLedger.Row] {
            ledger.accounts.flatMap(\.rows).sorted { $0.entry.second < $1.entry.second }
        }

        private func number(_ decimal: Decimal) -> JSONDocument { context.format.number(decimal) }

        /// Returns the rows of a trade or a corporate action; a split has two, for the old and the new shares.
        func trades(_ row: FakeSaxoLedger.Row) throws -> [JSONDocument] {
            let entry = row.entry
            guard entry.kind == .split, let symbol = entry.instrument?.symbol,
                let before = entry.date.adding(days: -1)
            else {
                let ratio = Decimal(ratio(entry, on: entry.date))
                return [
                    try trade(
                        row, id: row.tradeID, amount: entry.quantity.divided(by: ratio, to: 12, .halfEven),
                        price: try (entry.price ?? .zero) * ratio)
                ]
            }
            let ratio = Decimal(
                CorporateActions.splitRatio(
                    of: symbol, on: before, knownOn: context.view.instant.inNewYork.date))
            let old = try entry.quantity.divided(by: ratio, to: 12, .halfEven)
            return [
                try trade(row, id: row.tradeID + "1", amount: old.negated, price: .zero),
                try trade(row, id: row.tradeID + "2", amount: entry.quantity, price: .zero),
            ]
        }

        private func ratio(_ entry: LedgerEntry, on day: CalendarDate) -> Int {
            CorporateActions.splitRatio(
                of: entry.instrument?.symbol ?? "", on: day, knownOn: context.view.instant.inNewYork.date)
        }

        private func trade(
            _ row: FakeSaxoLedger.Row, id: String, amount: Decimal, price: Decimal
        ) throws -> JSONDocument {
            let entry = row.entry
            guard let listing = entry.instrument.flatMap(FakeSaxoInstruments.instrument) else { return .null }
            let isTrade = entry.kind == .trade
            // The net of the share amount and the commission.
            let sum = try booked(row)
            let valueDate = ledger.market.exchanges.session(after: entry.date)?.date ?? entry.date
            let date = JSONDocument.string(entry.date.description)
            var members: [JSONDocument.Member] = [.init(name: "TradeId", value: .string(id))]
            if isTrade { members.append("OrderId", .string(row.orderID ?? row.tradeID)) }
            let rest: JSONDocument = [
                "AccountId": .string(row.account.id), "Uic": .integer(listing.uic),
                "AssetType": .string(listing.assetType.rawValue), "InstrumentSymbol": .string(listing.symbol),
                "InstrumentDescription": .string(listing.description),
                "ExchangeDescription": .string(listing.exchangeID), "Venue": "Exchange", "TradeDate": date,
                "AdjustedTradeDate": date, "ValueDate": .string(valueDate.description),
                "TradeExecutionTime": FakeSaxoFormat.time(entry.second),
                "TradeEventType": !isTrade ? "Unknown" : amount.isNegative ? "Sold" : "Bought",
                "TradeType": isTrade ? "Market" : "NotAvailable",
                "ToOpenOrClose": row.isOpening ? "ToOpen" : "ToClose", "Direction": "None",
                "Amount": number(amount), "Price": number(price),
                "TradedValue": number(isTrade ? try (amount * price).negated : .zero),
                "AccountCurrency": .string(row.account.currency),
                "AccountCurrencyDecimals": .integer(FakeSaxoRates.decimals(of: row.account.currency)),
                "ClientCurrency": .string(ledger.client.currency),
                "BookedAmountAccountCurrency": number(sum),
                "BookedAmountClientCurrency": number(try self.amount(sum, row, in: ledger.client.currency)),
                "BookedAmountUSD": number(try self.amount(sum, row, in: "USD")),
                "ToolId": isTrade ? "40" : "10",
            ]
            members += rest.members ?? []
            if !isTrade {
                members += [
                    .init(name: "CaEventId", value: .string(Self.corporateActionID(entry))),
                    .init(
                        name: "CaEventTypeName", value: entry.kind == .split ? "Stock Split" : "Spin-Off"),
                ]
            }
            return .object(members)
        }

        /// Returns the sum of a trade's bookings, in the account's currency.
        private func booked(_ row: FakeSaxoLedger.Row) throws -> Decimal {
            guard let account = ledger.accounts.first(where: { $0.account.key == row.account.key }) else {
                return .zero
            }
            return try FakeSaxoClosedTrade.booked(row, in: account)
        }

        private func amount(_ amount: Decimal, _ row: FakeSaxoLedger.Row, in currency: String) throws
            -> Decimal
        {
            try ledger.converted(amount, from: row.account.currency, to: currency, on: row.entry.date)
        }

        /// Returns the rows that move cash, selected by the query.
        func bookings(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> [FakeSaxoLedger.Row] {
            let rows = rows.filter { !$0.entry.cash.isZero }
            guard let type = context.request[query: "FilterType"] else {
                let days = try context.days()
                return rows.filter { days.contains($0.entry.date) }
            }
            guard let value = context.request[query: "FilterValue"] else {
                throw FakeSaxoError.invalid("FilterValue", "FilterValue is required with FilterType")
            }
            switch type {
            case "BkAmountId": return rows.filter { $0.bookingID == value }
            case "BkAmountTypeId": return rows.filter { String($0.bookingType.id) == value }
            case "CaMasterRecordId": return rows.filter { Self.corporateActionID($0.entry) == value }
            case "RelatedTradeId": return rows.filter { $0.relatedTradeID == value }
            default:
                throw FakeSaxoError.invalid("FilterType", "The value '\(type)' is not valid for FilterType.")
            }
        }

        func booking(_ row: FakeSaxoLedger.Row) throws -> JSONDocument {
            let entry = row.entry
            let type = row.bookingType
            let date = JSONDocument.string(entry.date.description)
            var document: [JSONDocument.Member] =
                ([
                    "BkAmountId": .string(row.bookingID), "BkAmountType": .string(type.name),
                    "BkAmountTypeId": .string(String(type.id)), "AccountId": .string(row.account.id),
                    "Date": date,
                    "ValueDate": date, "Amount": number(entry.amount), "Currency": .string(entry.currency),
                    "AccountCurrency": .string(row.account.currency),
                    "AmountAccountCurrency": number(entry.cash),
                    "ClientCurrency": .string(ledger.client.currency),
                    "AmountClientCurrency": number(try amount(entry.cash, row, in: ledger.client.currency)),
                    "AmountUSD": number(try amount(entry.cash, row, in: "USD")),
                    "ConversionRate": number(entry.rate), "AmountClass": .string(type.amountClass),
                    "CostClass": .string(type.costClass),
                    "CaMasterRecordId": .string(Self.corporateActionID(entry)),
                    "RelatedTradeId": .string(row.relatedTradeID),
                ] as JSONDocument).members ?? []
            if entry.kind == .dividend || entry.kind == .withholdingTax {
                document.append("CaEventName", "Cash Dividend")
            }
            if let listing = entry.instrument.flatMap(FakeSaxoInstruments.instrument) {
                document += [
                    .init(name: "Uic", value: .integer(listing.uic)),
                    .init(name: "AssetType", value: .string(listing.assetType.rawValue)),
                    .init(name: "InstrumentSymbol", value: .string(listing.symbol)),
                    .init(name: "InstrumentDescription", value: .string(listing.description)),
                ]
            } else if entry.isExternalFlow {
                document += [
                    .init(name: "Uic", value: 9465), .init(name: "AssetType", value: "Cash"),
                    .init(
                        name: "InstrumentSymbol", value: entry.kind == .deposit ? "CASHDEPWI" : "CASHOUT"),
                ]
            }
            return .object(document)
        }

        /// `CaMasterRecordId`; `0` for an entry that no corporate action caused.
        private static func corporateActionID(_ entry: LedgerEntry) -> String {
            switch entry.kind {
            case .dividend, .withholdingTax, .split, .spinOff: String(5_500_000 + entry.event)
            case .deposit, .withdrawal, .trade, .interest, .regulatoryFee, .tradingActivityFee, .commission,
                .custodyFee:
                "0"
            }
        }

        func closedPosition(_ trade: FakeSaxoClosedTrade) throws -> JSONDocument {
            let (open, close) = (trade.open, trade.close)
            guard let listing = close.entry.instrument.flatMap(FakeSaxoInstruments.instrument) else {
                return .null
            }
            let account = close.account
            func client(_ amount: Decimal, _ row: FakeSaxoLedger.Row) throws -> JSONDocument {
                number(try self.amount(amount, row, in: ledger.client.currency))
            }
            return [
                "OpenPositionId": .string(open.tradeID), "ClosePositionId": .string(close.tradeID),
                "AccountId": .string(account.id), "AssetType": .string(listing.assetType.rawValue),
                "InstrumentSymbol": .string(listing.symbol),
                "InstrumentDescription": .string(listing.description),
                "InstrumentCurrency": .string(listing.currency), "Amount": number(trade.amount),
                "AmountOpen": number(open.entry.quantity), "AmountClose": number(close.entry.quantity),
                "OpenPrice": number(open.entry.price ?? .zero),
                "ClosePrice": number(close.entry.price ?? .zero),
                "TradeDate": .string(close.entry.date.description),
                "TradeDateOpen": .string(open.entry.date.description),
                "TradeDateClose": .string(close.entry.date.description),
                "AccountCurrency": .string(account.currency),
                "AccountCurrencyDecimals": .integer(FakeSaxoRates.decimals(of: account.currency)),
                "ClientCurrency": .string(ledger.client.currency),
                "PnLAccountCurrency": number(try trade.profit),
                "PnLClientCurrency": try client(trade.profit, close),
                "PnLUSD": number(try amount(trade.profit, close, in: "USD")),
                "TotalBookedOnOpeningLegAccountCurrency": number(trade.bookedOnOpening),
                "TotalBookedOnOpeningLegClientCurrency": try client(trade.bookedOnOpening, open),
                "TotalBookedOnClosingLegAccountCurrency": number(trade.bookedOnClosing),
                "TotalBookedOnClosingLegClientCurrency": try client(trade.bookedOnClosing, close),
            ]
        }

        /// Returns the sum of each day, account and type of booking, and the cash at the end of the day.
        func aggregatedAmounts(_ days: ClosedRange<CalendarDate>) throws -> [JSONDocument] {
            var documents: [JSONDocument] = []
            for account in ledger.accounts {
                var cash = Decimal.zero
                let rows = Dictionary(grouping: account.rows, by: \.entry.date).sorted { $0.key < $1.key }
                for (date, rows) in rows {
                    cash = try rows.reduce(cash) { try $0 + $1.entry.cash }
                    guard days.contains(date) else { continue }
                    let types = Dictionary(grouping: rows.filter { !$0.entry.cash.isZero }) { $0.bookingType }
                    for (type, rows) in types.sorted(by: { $0.key.id < $1.key.id }) {
                        let sum = try rows.reduce(Decimal.zero) { try $0 + $1.entry.cash }
                        documents.append(try aggregated(sum, type, true, on: date, account.account))
                    }
                    let balance = FakeSaxoBookingType.cashBalance
                    documents.append(try aggregated(cash, balance, false, on: date, account.account))
                }
            }
            return documents
        }

        private func aggregated(
            _ amount: Decimal, _ type: FakeSaxoBookingType, _ affectsBalance: Bool, on date: CalendarDate,
            _ account: FakeSaxoAccount
        ) throws -> JSONDocument {
            let client = try ledger.converted(
                amount, from: account.currency, to: ledger.client.currency, on: date)
            let dollars = try ledger.converted(amount, from: account.currency, to: "USD", on: date)
            return [
                "BookingAccountId": .string(account.id), "AccountCurrency": .string(account.currency),
                "Date": .string(date.description), "AmountTypeId": .integer(type.id),
                "AmountTypeName": .string(type.name), "AffectsBalance": .bool(affectsBalance),
                "AmountAccountCurrency": number(amount), "AmountClientCurrency": number(client),
                "AmountUSD": number(dollars),
            ]
        }
    }
}

extension FakeSaxoHost.AuthenticatedRequest {
    /// Returns the days of `FromDate` and `ToDate`, which are required.
    func days() throws(FakeSaxoError) -> ClosedRange<CalendarDate> {
        try days(request[query: "FromDate"], request[query: "ToDate"])
    }

    func daysOfPath() throws(FakeSaxoError) -> ClosedRange<CalendarDate> {
        try days(request.parameters["from_date"], request.parameters["to_date"])
    }

    private func days(_ from: String?, _ to: String?) throws(FakeSaxoError) -> ClosedRange<CalendarDate> {
        func date(_ name: String, _ text: String?) throws(FakeSaxoError) -> CalendarDate {
            guard let text else { throw .invalid(name, "\(name) is required") }
            guard let date = CalendarDate(text) ?? Instant(text)?.dateInUTC else {
                throw .invalid(name, "The value '\(text)' is not valid for \(name).")
            }
            return date
        }
        let (first, last) = (try date("FromDate", from), try date("ToDate", to))
        guard first <= last else { throw .invalid("FromDate", "FromDate must not be after ToDate") }
        return first...last
    }
}
