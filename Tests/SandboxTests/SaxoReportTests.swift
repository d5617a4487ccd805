import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Saxo's reports")
struct SaxoReportTests {
    static let accounts = FakeSaxoClient.demo.accounts + FakeSaxoClient.second.accounts
    private static let period = "FromDate=2021-01-01&ToDate=2026-12-31"

    private static func client(of account: FakeSaxoAccount) -> FakeSaxoClient {
        FakeSaxoClient.demo.accounts.contains { $0.key == account.key } ? .demo : .second
    }

    private static func headers(_ client: FakeSaxoClient) -> [String: String] {
        client.id == FakeSaxoClient.demo.id ? RunningSandbox.saxoDemo : RunningSandbox.saxoSecond
    }

    /// Returns the rows of a report, over all pages.
    static func rows(
        _ fixture: RunningSandbox, _ report: String, of account: FakeSaxoAccount? = nil,
        _ query: String = period,
        path: String = "", shape: String, schema: String = "saxo", top: Int = 1_000
    ) async throws -> [JSONValue] {
        let client = account.map(Self.client) ?? .demo
        let selection = account.map { "&AccountKey=\(FakeSaxoClient.escaped($0.key))" } ?? ""
        var next: String? =
            "/saxo/cs/v1/reports/\(report)/\(client.escapedKey)\(path)?$top=\(top)&\(query)\(selection)"
        var rows: [JSONValue] = []
        while let path = next {
            let reply = try await fixture.client.get(path, headers(client))
            try #require(reply.status == 200, "\(reply)")
            let page = try JSONValue(parsing: reply.body)
            #expect(try Golden.schema(of: schema).definition(shape).violations(in: page) == [])
            let data = try #require(page["Data"]?.elements)
            rows += data
            next = page["__next"]?.string.map {
                String($0.dropFirst("http://\(fixture.client.address)".count))
            }
            #expect(next == nil || data.count == top)
            try #require(rows.count < 5_000)
        }
        return rows
    }

    static func sum(_ rows: [JSONValue], _ member: String) throws -> Decimal {
        try rows.reduce(Decimal.zero) { try $0 + decimal($1[member]) }
    }

    @Test(
        "the bookings add up to the cash, and the trades to the positions, to the last digit",
        arguments: accounts.map(\.id), Moment.all + ["2023-02-04T17:00:00Z", "2025-09-02T17:00:00Z"])
    func addsUp(id: String, moment: String) async throws {
        let account = try #require(Self.accounts.first { $0.id == id })
        let client = Self.client(of: account)
        try await withSandbox(at: moment) { fixture in
            let bookings = try await Self.rows(fixture, "bookings", of: account, shape: "BookingPage")
            let trades = try await Self.rows(fixture, "trades", of: account, shape: "TradeReportPage")
            let query = "?ClientKey=\(client.escapedKey)&AccountKey=\(FakeSaxoClient.escaped(account.key))"
            let balance = try await fixture.saxoDocument("/port/v1/balances" + query, Self.headers(client))
            let page = try await fixture.saxoDocument(
                "/port/v1/netpositions\(query)&$top=1000", Self.headers(client))
            #expect(try Self.sum(bookings, "AmountAccountCurrency") == decimal(balance["CashBalance"]))
            var traded: [String: Decimal] = [:]
            for trade in trades {
                let uic = try #require(trade["Uic"]?.digits)
                traded[uic] = try (traded[uic] ?? .zero) + decimal(trade["Amount"])
            }
            var held: [String: Decimal] = [:]
            for position in try #require(page["Data"]?.elements) {
                let base = position["NetPositionBase"]
                held[try #require(base?["Uic"]?.digits)] = try decimal(base?["Amount"])
            }
            #expect(traded.filter { !$0.value.isZero } == held)
            let identifiers = bookings.compactMap { $0["BkAmountId"]?.string }
            #expect(identifiers.count == bookings.count && Set(identifiers).count == bookings.count)
            let ids = trades.compactMap { $0["TradeId"]?.string }
            #expect(ids.count == trades.count && Set(ids).count == trades.count)
        }
    }

    @Test("the demonstration's bookings have all types, converted at their rates")
    func types() async throws {
        let rows = try await withSandbox { try await Self.rows($0, "bookings", shape: "BookingPage") }
        #expect(
            Set(rows.compactMap { $0["BkAmountType"]?.string }) == [
                "Share Amount", "Commission", "Corporate Actions - Cash Dividends",
                "Corporate Actions - Withholding Tax", "Interest", "Depository Charges", "Cash Amount",
            ])
        #expect(
            Set(rows.filter { $0["AssetType"] == "Cash" }.compactMap { $0["InstrumentSymbol"]?.string })
                == ["CASHDEPWI", "CASHOUT"])
        for row in rows {
            let exact = try decimal(row["Amount"]) * decimal(row["ConversionRate"])
            let difference = try (exact - decimal(row["AmountAccountCurrency"])).magnitude
            #expect(difference <= (try #require(Decimal("0.02"))), "\(row)")
        }
    }

    @Test("the amount of a trade is the net of its bookings")
    func booked() async throws {
        try await withSandbox { fixture in
            let bookings = try await Self.rows(fixture, "bookings", shape: "BookingPage")
            let trades = try await Self.rows(fixture, "trades", shape: "TradeReportPage")
            for trade in trades {
                let own = bookings.filter { $0["RelatedTradeId"] == trade["TradeId"] }
                #expect(
                    try Self.sum(own, "AmountAccountCurrency")
                        == decimal(trade["BookedAmountAccountCurrency"]),
                    "\(trade)")
            }
            let split = trades.filter { $0["CaEventTypeName"] == "Stock Split" }
            #expect(split.map { $0["Amount"]?.digits } == ["-15", "60"])
            #expect(
                trades.filter { $0["CaEventTypeName"] == "Spin-Off" }.map { $0["Amount"]?.digits } == ["30"])
        }
    }

    @Test("pages of any size have each row once, and a filter finds a row")
    func pages() async throws {
        try await withSandbox({ $0.saxo.requestsPerMinute = 1_000 }) { fixture in
            let whole = try await Self.rows(fixture, "bookings", shape: "BookingPage")
            #expect(whole.count > 300)
            for top in [7, 100] {
                #expect(try await Self.rows(fixture, "bookings", shape: "BookingPage", top: top) == whole)
            }
            let row = try #require(whole.last { $0["BkAmountType"] == "Commission" })
            for name in ["BkAmountId", "BkAmountTypeId", "RelatedTradeId"] {
                let value = try #require(row[name]?.string)
                let found = try await Self.rows(
                    fixture, "bookings", "FilterType=\(name)&FilterValue=\(value)", shape: "BookingPage")
                #expect(found == whole.filter { $0[name]?.string == value })
            }
            let trade = try await Self.rows(
                fixture, "trades", of: FakeSaxoClient.demo.accounts[0],
                "TradeId=\(try #require(row["RelatedTradeId"]?.string))", shape: "TradeReportPage")
            #expect(trade.count == 1)
        }
    }

    @Test("closed positions are parts of two trades, with their share of the bookings")
    func closed() async throws {
        try await withSandbox { fixture in
            let rows = try await Self.rows(
                fixture, "closedPositions", "", path: "/2021-01-01/2026-12-31",
                shape: "ClosedPositionReportPage")
            let trades = try await Self.rows(fixture, "trades", shape: "TradeReportPage")
            #expect(rows.count == 6)
            for row in rows {
                let legs =
                    try decimal(row["TotalBookedOnOpeningLegAccountCurrency"])
                    + decimal(row["TotalBookedOnClosingLegAccountCurrency"])
                #expect(try decimal(row["PnLAccountCurrency"]) == legs)
                let closing = trades.first { $0["TradeId"] == row["ClosePositionId"] }
                #expect(closing?["Price"] == row["ClosePrice"] && closing?["Amount"] == row["AmountClose"])
                #expect(trades.contains { $0["TradeId"] == row["OpenPositionId"] })
            }
            let year = try await Self.rows(
                fixture, "closedPositions", "", path: "/2023-01-01/2023-12-31",
                shape: "ClosedPositionReportPage")
            #expect(year.map { $0["InstrumentSymbol"] } == ["PEP:xnas"])
        }
    }

    @Test("the sums of a day are those of its bookings, and their total is the cash")
    func aggregated() async throws {
        try await withSandbox { fixture in
            let account = FakeSaxoClient.demo.accounts[0]
            let sums = try await Self.rows(
                fixture, "aggregatedAmounts", of: account, "", path: "/2021-01-01/2026-12-31",
                shape: "SaxoAggregatedAmountPage", schema: "supplement")
            let bookings = try await Self.rows(fixture, "bookings", of: account, shape: "BookingPage")
            let balances = sums.filter { $0["AffectsBalance"] == .bool(false) }
            let total = try Self.sum(bookings, "AmountAccountCurrency")
            #expect(
                try Self.sum(sums.filter { $0["AffectsBalance"] == .bool(true) }, "AmountAccountCurrency")
                    == total)
            #expect(try decimal(balances.last?["AmountAccountCurrency"]) == total)
        }
    }

    @Test("a filled order is in the reports after the end of its day")
    func orders() async throws {
        try await withClock { fixture, clock in
            let account = FakeSaxoClient.demo.accounts[0]
            let before = try await Self.rows(fixture, "trades", shape: "TradeReportPage")
            let reply = try await fixture.saxo("POST", "/trade/v2/orders", FakeSaxoOrderTests.order())
            let order = try #require(try JSONValue(parsing: reply.body)["OrderId"]?.string)
            _ = try await fixture.saxo("/port/v1/balances/me")
            #expect(try await Self.rows(fixture, "trades", shape: "TradeReportPage") == before)
            clock.set(try instant("2026-11-20T13:00:00Z"))
            let after = try await Self.rows(fixture, "trades", shape: "TradeReportPage")
            #expect(Array(after.dropLast()) == before)
            let trade = try #require(after.last)
            #expect(trade["OrderId"]?.string == order && trade["Amount"]?.digits == "3")
            #expect(trade["TradeDate"] == "2026-11-19" && trade["TradeEventType"] == "Bought")
            let bookings = try await Self.rows(fixture, "bookings", of: account, shape: "BookingPage")
            let query = "?ClientKey=\(FakeSaxoClient.demo.escapedKey)&\(FakeSaxoOrderTests.accountQuery)"
            let balance = try await fixture.saxoDocument("/port/v1/balances" + query)
            #expect(try Self.sum(bookings, "AmountAccountCurrency") == decimal(balance["CashBalance"]))
        }
    }

    static let key = FakeSaxoClient.demo.escapedKey

    @Test(
        "a parameter that does not fit is named",
        arguments: [
            ("/cs/v1/reports/trades/\(key)", "FromDate"),
            ("/cs/v1/reports/trades/\(key)?FromDate=2026-01-01", "ToDate"),
            ("/cs/v1/reports/trades/\(key)?FromDate=2026-02-30&ToDate=2026-03-01", "FromDate"),
            ("/cs/v1/reports/trades/\(key)?FromDate=2026-02-02&ToDate=2026-02-01", "FromDate"),
            ("/cs/v1/reports/trades/\(key)?TradeId=1", "AccountKey"),
            ("/cs/v1/reports/bookings/\(key)?FilterType=BkAmountId", "FilterValue"),
            ("/cs/v1/reports/bookings/\(key)?FilterType=Uic&FilterValue=1", "FilterType"),
            ("/cs/v1/reports/closedPositions/\(key)/2026-01-01/x", "ToDate"),
            ("/cs/v1/reports/aggregatedAmounts/\(key)/x/2026-01-01", "FromDate"),
            ("/hist/v4/performance/timeseries?StandardPeriod=Year", "ClientKey"),
            ("/hist/v4/performance/timeseries?ClientKey=\(key)", "StandardPeriod"),
            ("/hist/v4/performance/timeseries?ClientKey=\(key)&StandardPeriod=Decade", "StandardPeriod"),
            ("/hist/v4/performance/timeseries?ClientKey=\(key)&FromDate=2026-01-01", "ToDate"),
            (
                "/hist/v4/performance/timeseries?ClientKey=\(key)&StandardPeriod=Year&FromDate=2026-01-01",
                "StandardPeriod"
            ),
            (
                "/hist/v4/performance/timeseries?ClientKey=\(key)&StandardPeriod=Year&FieldGroups=Balance_Nothing",
                "FieldGroups"
            ),
        ])
    func invalid(path: String, field: String) async throws {
        let reply = try await withSandbox { try await $0.saxo(path) }
        let document = try JSONValue(parsing: reply.body)
        #expect(reply.status == 400)
        #expect(try Golden.schema(of: "saxo").definition("Error").violations(in: document) == [])
        #expect(Array(try #require(document["ModelState"]?.members).keys) == [field])
    }

    @Test("another client's keys are a 401 without a body")
    func foreign() async throws {
        let other = FakeSaxoClient.second
        let account = FakeSaxoClient.escaped(other.accounts[0].key)
        try await withSandbox { fixture in
            for path in [
                "/cs/v1/reports/trades/\(other.escapedKey)?\(Self.period)",
                "/cs/v1/reports/bookings/\(Self.key)?\(Self.period)&AccountKey=\(account)",
                "/hist/v4/performance/summary?ClientKey=\(other.escapedKey)&StandardPeriod=Year",
                "/hist/v3/accountvalues/\(other.escapedKey)",
            ] {
                let reply = try await fixture.saxo(path)
                #expect(reply.status == 401 && reply.body.isEmpty, "\(path)")
            }
        }
    }
}

@Suite("Saxo's performance")
struct SaxoPerformanceTests {
    private static let client = "ClientKey=\(FakeSaxoClient.demo.escapedKey)"
    private static let account = "\(client)&\(FakeSaxoOrderTests.accountQuery)"

    private func series(_ fixture: RunningSandbox, _ query: String) async throws -> JSONValue {
        let reply = try await fixture.saxo("/hist/v4/performance/timeseries?\(query)")
        try #require(reply.status == 200, "\(reply)")
        let document = try JSONValue(parsing: reply.body)
        #expect(
            try Golden.schema(of: "saxo").definition("PerformanceTimeseries").violations(in: document) == [])
        return document
    }

    private func points(_ values: JSONValue?) throws -> [(date: String, value: Decimal)] {
        try #require(values?.elements).map { (try #require($0["Date"]?.string), try decimal($0["Value"])) }
    }

    @Test(
        "the accumulated return chains each day's value before transfers by the value of the day before",
        arguments: [client, account])
    func chain(selection: String) async throws {
        try await withSandbox { fixture in
            let whole = try await series(fixture, "\(selection)&StandardPeriod=AllTime")
            let values = try points(whole["Balance"]?["AccountValue"])
            let transfers = try points(whole["Balance"]?["CashTransfer"])
            let accumulated = try points(whole["TimeWeighted"]?["Accumulated"])
            #expect(values.count > 1_240 && values.map(\.date) == accumulated.map(\.date))
            #expect(values.last?.date == "2026-11-18" && values.first?.date == "2021-11-02")
            var total = Decimal(1)
            for index in values.indices.dropFirst() {
                let factor = try (values[index].value - transfers[index].value)
                    .divided(by: values[index - 1].value, to: 15, .halfEven)
                total = try (total * factor).rounded(to: 15, .halfEven)
                let expected = try total - 1
                try #require(
                    (expected - accumulated[index].value).magnitude < Decimal(coefficient: 1, scale: 11) ?? 0,
                    "\(values[index].date)")
            }
            // A period begins with the value of the day before it.
            let year = try await series(fixture, "\(selection)&StandardPeriod=Year")
            let days = try points(year["TimeWeighted"]?["Accumulated"])
            #expect(days.first?.date == "2025-11-19" && days.last?.date == "2026-11-18")
            let start = try #require(accumulated.last { $0.date < "2025-11-19" }).value
            let relative = try total.divided(by: start + 1, to: 15, .halfEven)
            let difference = try (relative - 1 - (try #require(days.last)).value).magnitude
            #expect(difference < Decimal(coefficient: 1, scale: 10) ?? 0)
        }
    }

    @Test("the last value is the cash and the positions at the closes of the charts")
    func lastValue() async throws {
        try await withSandbox { fixture in
            let query = "\(Self.account)&FromDate=2026-11-18&ToDate=2026-11-18&FieldGroups=Balance"
            let balance = try await series(fixture, query)["Balance"]
            let day = try #require(try points(balance?["AccountValue"]).last)
            let cash = try #require(try points(balance?["AccountBalance"]).last).value
            #expect(try points(balance?["AccountValue"]).count == 1)
            let account = try await fixture.saxoDocument("/port/v1/balances?\(Self.account)")
            #expect(try decimal(account["CashBalance"]) == cash)
            func close(_ uic: Int, _ type: String) async throws -> Decimal {
                let chart = try await fixture.saxoDocument(
                    "/chart/v3/charts?AssetType=\(type)&Uic=\(uic)&Horizon=1440&Count=5&Mode=UpTo&Time=\(day.date)T22:00:00Z"
                )
                let bar = try #require(
                    chart["Data"]?.elements?.last { $0["Time"]?.string?.hasPrefix(day.date) == true })
                guard type == "FxSpot" else { return try decimal(bar["Close"]) }
                return try (decimal(bar["CloseBid"]) + decimal(bar["CloseAsk"])).divided(
                    by: 2, to: 6, .halfEven)
            }
            let page = try await fixture.saxoDocument("/port/v1/netpositions?\(Self.account)&$top=100")
            var shares = Decimal.zero
            for position in try #require(page["Data"]?.elements) {
                let base = try #require(position["NetPositionBase"])
                guard let type = base["AssetType"]?.string, type != "FxSpot" else { continue }
                let uic = try #require(base["Uic"]?.digits.flatMap { Int($0) })
                shares = try await shares + decimal(base["Amount"]) * close(uic, type)
            }
            #expect(shares > .zero && day.value > cash)
        }
    }

    @Test("only the field groups that are asked for are there")
    func groups() async throws {
        try await withSandbox { fixture in
            let part = try await series(
                fixture, "\(Self.client)&StandardPeriod=Month&FieldGroups=Balance_AccountValue,TimeWeighted")
            #expect(part.members?.keys.sorted() == ["Balance", "TimeWeighted"])
            #expect(part["Balance"]?.members?.keys.sorted() == ["AccountValue"])
            let all = try await series(fixture, "\(Self.client)&StandardPeriod=Quarter")
            let months = try points(all["TimeWeighted"]?["MonthlyReturn"])
            #expect(months.map(\.date) == ["2026-08-31", "2026-09-30", "2026-10-31"])
        }
    }

    @Test("the summary and the account values agree with the series")
    func summary() async throws {
        try await withSandbox { fixture in
            let series = try await series(fixture, "\(Self.client)&StandardPeriod=AllTime")
            let value = try #require(try points(series["Balance"]?["AccountValue"]).last).value
            let reply = try await fixture.saxo(
                "/hist/v4/performance/summary?\(Self.client)&StandardPeriod=AllTime")
            let summary = try JSONValue(parsing: reply.body)
            #expect(
                try Golden.schema(of: "saxo").definition("PerformanceSummary").violations(in: summary) == [])
            #expect(summary["InceptionDay"] == "2021-11-02" && summary["Thru"] == "2026-11-18")
            let total = try decimal(summary["TotalCashBalance"]) + decimal(summary["TotalOpenPositionsValue"])
            #expect(total == value)
            let page = try await fixture.saxoDocument(
                "/hist/v3/accountvalues/\(FakeSaxoClient.demo.escapedKey)")
            #expect(try Golden.schema(of: "saxo").definition("AccountValuesPage").violations(in: page) == [])
            let rows = try #require(page["Data"]?.elements)
            #expect(rows.map { $0["KeyType"] } == ["Account", "Account", "Client"])
            #expect(try decimal(rows.last?["AccountValue"]) == value)
        }
    }

    @Test("before the first deposit there is no performance")
    func none() async throws {
        try await withSandbox(at: "2021-10-04T17:00:00Z") { fixture in
            let reply = try await fixture.saxo(
                "/hist/v4/performance/timeseries?\(Self.client)&StandardPeriod=AllTime")
            #expect(reply.status == 404 && reply.body.isEmpty)
        }
    }

    @Test("the same seed gives the same bytes")
    func deterministic() async throws {
        func bytes() async throws -> String {
            try await withSandbox {
                try await $0.saxo("/hist/v4/performance/timeseries?\(Self.client)&StandardPeriod=Quarter")
                    .body
            }
        }
        #expect(try await bytes() == bytes())
    }
}
