import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's activities")
struct ActivityTests {
    private static let account = "uQ7xN3c-5m1Y8aFz2LQw4A=="
    private static let client = "b2Zf|0kq9bXc2-7hTTa1Vg=="

    /// The fields of an activity in one line; a value that is missing is `-`.
    private static func line(_ activity: Activity) -> String {
        let fields: [String?] = [
            activity.id, activity.kind.rawValue, activity.date.description,
            activity.settlementDate?.description, activity.symbol?.text, activity.side?.rawValue,
            activity.quantity?.description, activity.price?.description, activity.amount?.description,
            activity.currency, activity.accountAmount?.description, activity.accountCurrency,
            activity.conversionRate?.description, activity.orderID, activity.groupID,
        ]
        return fields.map { $0 ?? "-" }.joined(separator: " ")
    }

    private static func bodies(_ bookings: String, _ trades: String) throws -> [String: String] {
        try AccountTests.identity.mapValues(goldenText).merging([
            "/cs/v1/reports/bookings/b2Zf%7C0kq9bXc2-7hTTa1Vg%3D%3D": bookings,
            "/cs/v1/reports/trades/b2Zf%7C0kq9bXc2-7hTTa1Vg%3D%3D": trades,
        ]) { first, _ in first }
    }

    @Test("of the examples are mapped: a trade has the amounts of its booking, each other booking is one")
    func example() async throws {
        let bodies = try Self.bodies(goldenText("bookings"), goldenText("trades"))
        try await withSaxo(bodies) { saxo, server in
            let page = try await saxo.activities(of: Self.account, ActivityQuery(), in: .patient)
            #expect(page.next == nil)
            #expect(page.isCompleteFrom == nil)
            #expect(
                page.activities.map(Self.line) == [
                    "trade-6820472601 TRADE 2026-11-16 2026-11-17 AAPL BUY 40 225.08 -9003.2 USD -7764.27 EUR 0.86239 5014824029 6820472601",
                    "booking-7000000002 FEE 2026-11-16 - AAPL - - - -7.2 USD -6.21 EUR 0.86239 - 6820472601",
                    "booking-7000000003 DEPOSIT 2026-11-10 - - - - - 10000 EUR 10000 EUR 1 - -",
                    "booking-7000000004 DIVIDEND 2026-11-20 2026-11-20 AAPL - - - 10.4 USD 9 EUR 0.865 - 5512345",
                    "booking-7000000005 TAX 2026-11-20 - AAPL - - - -1.56 USD -1.35 EUR 0.865 - 5512345",
                ])
            #expect(page.activities[0].time == Instant("2026-11-16T15:26:52.27Z"))
            #expect(page.activities[0].providerKind == "Bought")
            #expect(page.activities[0].sequence == BrokerSequence(6_820_472_601))
            #expect(page.activities[1].sequence == BrokerSequence(7_000_000_002))
            #expect(page.activities[3].providerKind == "Corporate Actions - Cash Dividends")
            for request in server.requests.suffix(2) {
                #expect(
                    request.query == [
                        "FromDate": "2000-01-01", "ToDate": "2026-11-21", "AccountKey": Self.account,
                        "$top": "1000",
                    ])
            }
        }
    }

    @Test("are read again for four days")
    func again() async throws {
        try await withSaxo(try Self.bodies(#"{"Data":[]}"#, #"{"Data":[]}"#)) { saxo, server in
            let since = try #require(CalendarDate(year: 2026, month: 11, day: 20))
            let page = try await saxo.activities(of: Self.account, ActivityQuery(since: since), in: .patient)
            #expect(page.activities.isEmpty)
            #expect(page.isCompleteFrom == Instant("2026-11-17T00:00:00Z"))
            #expect(server.requests.suffix(2).map { $0.query["FromDate"] } == ["2026-11-16", "2026-11-16"])
        }
    }

    @Test("of an account that the credential does not open are not found, without a request for a report")
    func unknown() async throws {
        try await withSaxo(try AccountTests.identity.mapValues(goldenText)) { saxo, server in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await saxo.activities(of: "other", ActivityQuery(), in: .patient)
            }
            #expect(failure?.cause == .notFound)
            #expect(server.requests.map(\.path) == ["/port/v1/clients/me", "/port/v1/accounts/me"])
        }
    }

    /// A report row, and its kind with its term.
    struct Row: CustomTestStringConvertible {
        let members: String
        let line: String

        var testDescription: String { members }
    }

    private static let bookings: [Row] = [
        Row(members: #""BkAmountType":"Exchange Fee""#, line: "FEE Exchange Fee"),
        Row(members: #""BkAmountType":"Exchange Subscription Fee""#, line: "FEE Exchange Subscription Fee"),
        Row(members: #""BkAmountType":"Depository Charges""#, line: "FEE Depository Charges"),
        Row(members: #""BkAmountType":"Corporate Actions - Fee""#, line: "FEE Corporate Actions - Fee"),
        Row(members: #""BkAmountType":"Interest""#, line: "INTEREST Interest"),
        Row(
            members: #""BkAmountType":"Italian Financial Transaction Tax""#,
            line: "TAX Italian Financial Transaction Tax"),
        // A booking without its trade in the report is shown by itself.
        Row(members: #""BkAmountType":"Premium","RelatedTradeId":"9""#, line: "TRADE Premium"),
        Row(
            members:
                #""BkAmountType":"Cash Amount","InstrumentSymbol":"CASHDEPWI","Amount":-5,"Currency":"EUR""#,
            line: "WITHDRAWAL Cash Amount"),
        Row(
            members:
                #""BkAmountType":"Cash Amount","InstrumentSymbol":"CASHOUT","Amount":5,"Currency":"EUR""#,
            line: "DEPOSIT Cash Amount"),
        Row(
            members: #""BkAmountType":"Cash Amount","InstrumentSymbol":"CASHOUT""#,
            line: "TRANSFER Cash Amount"),
        Row(
            members:
                #""BkAmountType":"Cash Amount","InstrumentSymbol":"CASHINTR","Amount":5,"Currency":"EUR""#,
            line: "TRANSFER Cash Amount"),
        Row(members: #""BkAmountType":"Gold Bonus""#, line: "OTHER Gold Bonus"),
    ]

    @Test(
        "of the cash book have the kind of their type, and of an unknown type its term", arguments: bookings)
    func booked(row: Row) throws {
        let body = #"{"BkAmountId":1,"Date":"2026-11-10T00:00:00Z",\#(row.members)}"#
        let report = SaxoActivityReport(bookings: [try decode(SaxoBooking.self, from: body)], trades: [])
        let activity = try #require(report.activities(in: SaxoSymbols()).first)
        #expect("\(activity.kind.rawValue) \(activity.providerKind)" == row.line)
        #expect(activity.date == CalendarDate(year: 2026, month: 11, day: 10))
    }

    @Test("of the cash book without an amount have none")
    func missingAmount() throws {
        let body = #"{"BkAmountId":"1","Date":"2026-11-10","BkAmountType":"Interest","Amount":4}"#
        let report = SaxoActivityReport(bookings: [try decode(SaxoBooking.self, from: body)], trades: [])
        let activity = try #require(report.activities(in: SaxoSymbols()).first)
        #expect(activity.amount == nil)
        #expect(activity.currency == nil)
        #expect(activity.accountAmount == nil)
    }

    private static let trades: [Row] = [
        Row(members: #""TradeEventType":"Sold","Amount":-3"#, line: "TRADE Sold SELL"),
        Row(members: #""TradeEventType":"TransferIn","Amount":3"#, line: "TRANSFER TransferIn -"),
        Row(members: #""TradeEventType":"TransferOut","Amount":-3"#, line: "TRANSFER TransferOut -"),
        Row(members: #""TradeEventType":"Unknown","Amount":3"#, line: "OTHER Unknown -"),
        Row(members: #""Amount":3"#, line: "OTHER Unknown -"),
        Row(
            members: #""TradeEventType":"Unknown","CaEventTypeName":"Stock Split","Amount":20"#,
            line: "SPLIT Unknown/Stock Split -"),
        Row(
            members: #""TradeEventType":"Bought","CaEventTypeName":"Spin-Off","Amount":20"#,
            line: "SPIN_OFF Bought/Spin-Off -"),
        Row(
            members: #""TradeEventType":"Unknown","CaEventTypeName":"Merger","Amount":20"#,
            line: "MERGER Unknown/Merger -"),
        Row(
            members: #""TradeEventType":"Unknown","CaEventTypeName":"Demerger","Amount":20"#,
            line: "SPIN_OFF Unknown/Demerger -"),
        Row(
            members: #""TradeEventType":"Unknown","CaEventTypeName":"Name Change","Amount":20"#,
            line: "SYMBOL_CHANGE Unknown/Name Change -"),
        Row(
            members: #""TradeEventType":"Unknown","CaEventTypeName":"Rights Issue","Amount":20"#,
            line: "OTHER Unknown/Rights Issue -"),
    ]

    @Test("of the report of trades have the kind of their event", arguments: trades)
    func traded(row: Row) throws {
        let body = #"{"TradeId":"1","TradeDate":"2026-11-10",\#(row.members)}"#
        let report = SaxoActivityReport(
            bookings: [], trades: [try decode(SaxoReportedTrade.self, from: body)])
        let activity = try #require(report.activities(in: SaxoSymbols()).first)
        #expect(
            "\(activity.kind.rawValue) \(activity.providerKind) \(activity.side?.rawValue ?? "-")" == row.line
        )
        // No booking pays it, so its cash is unknown.
        #expect(activity.amount == nil)
    }

    @Test(
        "that transfer securities have the currency of the instrument, which no report has, and none if Saxo does not know it",
        arguments: [
            (
                #"{"Uic":5,"AssetType":"Stock","CurrencyCode":"GBP","PriceCurrency":"GBX","PriceToContractFactor":0.01}"#,
                "TRANSFER TSCO:XLON 20 2.5 GBP"
            ),
            (
                #"{"Uic":5,"AssetType":"Stock","CurrencyCode":"GBP","PriceCurrency":"GBP","PriceToContractFactor":1}"#,
                "TRANSFER TSCO:XLON 20 250 GBP"
            ),
            (#"{"Uic":5,"AssetType":"Stock","CurrencyCode":"GBP"}"#, "TRANSFER TSCO:XLON 20 - GBP"),
            (#"{"Uic":5,"AssetType":"Stock","CurrencyCode":"GBX"}"#, "TRANSFER TSCO:XLON 20 2.5 GBP"),
            (
                #"{"Uic":5,"AssetType":"Stock","CurrencyCode":"USD","Symbol":"TSCO:xlon"}"#,
                "TRANSFER TSCO:XLON 20 250 USD"
            ),
            ("", "TRANSFER TSCO:XLON 20 250 -"),
        ])
    func transferred(details: String, expected: String) async throws {
        let trade =
            #"{"TradeId":"1","TradeDate":"2026-11-10","TradeEventType":"TransferIn","Uic":5,"AssetType":"Stock","InstrumentSymbol":"TSCO:xlon","Amount":20,"Price":250}"#
        var bodies = try Self.bodies(#"{"Data":[]}"#, "{\"Data\":[\(trade)]}")
        if !details.isEmpty { bodies["/ref/v1/instruments/details/5/Stock"] = details }
        try await withSaxo(bodies) { saxo, _ in
            let page = try await saxo.activities(of: Self.account, ActivityQuery(), in: .patient)
            let activity = try #require(page.activities.first)
            let fields: [String?] = [
                activity.kind.rawValue, activity.symbol?.text, activity.quantity?.description,
                activity.price?.withoutTrailingZeros.description, activity.currency,
            ]
            #expect(fields.map { $0 ?? "-" }.joined(separator: " ") == expected)
            #expect(activity.amount == nil)
        }
    }

    @Test("that transfer securities fail if the currency cannot be read for now")
    func unavailableCurrency() async throws {
        let trade =
            #"{"TradeId":"1","TradeDate":"2026-11-10","TradeEventType":"TransferIn","Uic":5,"AssetType":"Stock","Amount":20}"#
        let bodies = try Self.bodies(#"{"Data":[]}"#, "{\"Data\":[\(trade)]}")
        try await withSaxo(answering: { request, _ in
            bodies[request.path].map { .text($0) } ?? .text("", status: 503)
        }) { saxo, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await saxo.activities(of: Self.account, ActivityQuery(), in: .patient)
            }
            #expect(failure?.cause == .unavailable)
        }
    }

    @Test(
        "of a price in pence are in pounds by the details of the instrument, because bookings name pounds",
        arguments: [
            (
                #"{"Uic":5,"AssetType":"Stock","CurrencyCode":"GBP","PriceCurrency":"GBX","PriceToContractFactor":0.01}"#,
                "4.552"
            ),
            ("", "-"),
        ])
    func instrumentUnit(details: String, price: String) async throws {
        let trade =
            #"{"TradeId":"1","TradeDate":"2026-11-10","TradeEventType":"Bought","Uic":5,"AssetType":"Stock","#
            + #""InstrumentSymbol":"TSCO:xlon","Amount":10,"Price":455.2}"#
        let booking =
            #"{"BkAmountId":"7","BkAmountType":"Share Amount","Date":"2026-11-10","RelatedTradeId":"1","#
            + #""Amount":-45.52,"Currency":"GBP"}"#
        var bodies = try Self.bodies("{\"Data\":[\(booking)]}", "{\"Data\":[\(trade)]}")
        if !details.isEmpty { bodies["/ref/v1/instruments/details/5/Stock"] = details }
        try await withSaxo(bodies) { saxo, _ in
            let page = try await saxo.activities(of: Self.account, ActivityQuery(), in: .patient)
            let activity = try #require(page.activities.first)
            #expect(activity.kind == .trade && (activity.price?.description ?? "-") == price)
            #expect(activity.amount?.description == "-45.52" && activity.currency == "GBP")
        }
    }

    @Test("of prices in pence are in pounds, also if a booking names pence")
    func pence() throws {
        let trade = try decode(
            SaxoReportedTrade.self,
            from:
                #"{"TradeId":"1","TradeDate":"2026-11-10","TradeEventType":"Bought","Uic":1,"AssetType":"Stock","InstrumentSymbol":"TSCO:xlon","Amount":10,"Price":455.2}"#
        )
        let booking = try decode(
            SaxoBooking.self,
            from:
                #"{"BkAmountId":"7","BkAmountType":"Share Amount","Date":"2026-11-10","RelatedTradeId":"1","Amount":-4552,"Currency":"GBX"}"#
        )
        let activity = try #require(
            SaxoActivityReport(bookings: [booking], trades: [trade]).activities(in: SaxoSymbols()).first)
        #expect(activity.price?.description == "4.552")
        #expect(activity.amount?.description == "-45.52")
        #expect(activity.currency == "GBP")
        #expect(activity.symbol?.text == "TSCO:XLON")
    }

    @Test("with a date that is none are a fault with its place")
    func fault() throws {
        let body = #"{"BkAmountId":"1","BkAmountType":"Interest","Date":"yesterday"}"#
        let error = #expect(throws: JSONError.self) { try decode(SaxoBooking.self, from: body) }
        #expect(error?.description.contains("Date") == true, "\(error as Any)")
    }
}
