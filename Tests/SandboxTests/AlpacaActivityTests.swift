import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's activities")
struct AlpacaActivityTests {
    static let tokens = [RunningSandbox.demo, RunningSandbox.second]

    /// Returns all activities, page by page; ``kinds()`` compares them with the schema.
    static func all(
        _ fixture: RunningSandbox, _ user: [String: String] = RunningSandbox.demo, query: String = "",
        pageSize: Int = 100
    ) async throws -> [JSONValue] {
        var rows: [JSONValue] = []
        while true {
            let token = rows.last?["id"]?.string.map { "&page_token=\($0)" } ?? ""
            let reply = try await fixture.trading(
                "/v2/account/activities?page_size=\(pageSize)\(query)\(token)", user)
            try #require(reply.status == 200, "\(reply.body)")
            let elements = try #require(try JSONValue(parsing: reply.body).elements)
            rows += elements
            if elements.count < pageSize { return rows }
            try #require(rows.count < 5_000)
        }
    }

    /// Returns the cash that an activity moves, as its documents say.
    static func cash(_ row: JSONValue) throws -> Decimal {
        guard row["activity_type"] == "FILL" else { return try decimal(row["net_amount"]) }
        let cost = try (decimal(row["qty"]) * decimal(row["price"])).rounded(to: 2, .halfUp)
        return row["side"] == "buy" ? try cost.negated : cost
    }

    /// Returns the shares by which an activity changes a position.
    static func shares(_ row: JSONValue) throws -> Decimal {
        switch row["activity_type"]?.string {
        case "FILL":
            let quantity = try decimal(row["qty"])
            return row["side"] == "buy" ? quantity : try quantity.negated
        case "SPLIT", "SPIN": return try decimal(row["qty"])
        default: return .zero
        }
    }

    @Test(
        "their sum is the account's cash and its positions, to the last digit", arguments: tokens,
        Moment.all + ["2023-02-01T17:00:00Z", "2025-09-01T17:00:00Z", "2031-04-01T16:00:00Z"])
    func addsUp(user: [String: String], moment: String) async throws {
        try await withSandbox(at: moment) { fixture in
            let rows = try await Self.all(fixture, user)
            let cash = try rows.reduce(Decimal.zero) { try $0 + Self.cash($1) }
            var shares: [String: Decimal] = [:]
            for row in rows {
                guard let symbol = row["symbol"]?.string else { continue }
                shares[symbol] = try (shares[symbol] ?? .zero) + Self.shares(row)
            }
            let account = try await fixture.document("Account", "/v2/account", user)
            let positions = try await fixture.document("PositionList", "/v2/positions", user)
            var held: [String: Decimal] = [:]
            for position in try #require(positions.elements) {
                held[try #require(position["symbol"]?.string)] = try decimal(position["qty"])
            }
            #expect(try decimal(account["cash"]) == cash)
            #expect(held == shares.filter { !$0.value.isZero })
        }
    }

    @Test("the demonstration's last five years have all kinds of activities")
    func kinds() async throws {
        let rows = try await withSandbox { try await Self.all($0, query: "&after=2021-11-01&direction=asc") }
        let schema = try Golden.schema(of: "alpaca").definition("ActivityList")
        #expect(schema.violations(in: .array(rows)) == [])
        let types = Set(rows.compactMap { $0["activity_type"]?.string })
        #expect(
            types == ["FILL", "CSD", "CSW", "DIV", "DIVNRA", "INT", "FEE", "SPLIT", "SPIN"], "\(types)")
        #expect(rows.first?["activity_type"] == "CSD" && rows.first?["net_amount"] == "20000")
        let identifiers = rows.compactMap { $0["id"]?.string }
        #expect(identifiers.count == rows.count && Set(identifiers).count == rows.count)
        #expect(rows.count > 400)
    }

    @Test("pages of any size, in both directions, have each activity once", arguments: [3, 7, 100])
    func pages(size: Int) async throws {
        try await withSandbox { fixture in
            let whole = try await Self.all(fixture, query: "&after=2026-01-01")
            try #require(whole.count > 40)
            let newest = try await Self.all(fixture, query: "&after=2026-01-01", pageSize: size)
            let oldest = try await Self.all(
                fixture, query: "&after=2026-01-01&direction=asc", pageSize: size)
            #expect(newest == whole)
            #expect(oldest == whole.reversed())
        }
    }

    @Test("a filter selects types, a category, a day or a period")
    func filters() async throws {
        try await withSandbox { fixture in
            let rows = try await Self.all(fixture)
            func expect(_ query: String, path: String = "", _ isIncluded: (JSONValue) throws -> Bool)
                async throws
            {
                let answer = try await fixture.document(
                    "ActivityList", "/v2/account/activities\(path)?\(query)")
                let wanted = try rows.filter(isIncluded).prefix(100)
                #expect(answer.elements == Array(wanted), "\(path)?\(query)")
                #expect(!wanted.isEmpty, "\(path)?\(query)")
            }
            func type(_ row: JSONValue) -> String { row["activity_type"]?.string ?? "" }
            func created(_ row: JSONValue) -> String {
                (row["created_at"] ?? row["transaction_time"])?.string ?? ""
            }
            try await expect("activity_types=DIV,DIVNRA") { ["DIV", "DIVNRA"].contains(type($0)) }
            try await expect("activity_types=TRANS") { ["CSD", "CSW"].contains(type($0)) }
            try await expect("", path: "/FEE") { type($0) == "FEE" }
            try await expect("category=trade_activity") { type($0) == "FILL" }
            try await expect("category=non_trade_activity") { type($0) != "FILL" }
            try await expect("date=2024-02-20") { created($0).hasPrefix("2024-02-20") }
            try await expect("after=2024-02-01&until=2024-03-01") {
                created($0) > "2024-02-01" && created($0) < "2024-03-01"
            }
            try await expect("until=2024-02-20T20:59:59Z&after=2024-02-01T00:00:00Z") {
                created($0) > "2024-02-01" && created($0) < "2024-02-20T20:59:59Z"
            }
        }
    }

    @Test(
        "refuses a wrong parameter, and names it",
        arguments: [
            ("?activity_types=FILL,FFFFF", "invalid activity type: FFFFF"),
            ("/REG", "invalid activity type: REG"), ("?activity_types=CORR", "invalid activity type: CORR"),
            ("?category=trades", "invalid category: trades"),
            (
                "?category=trade_activity&activity_types=FILL",
                "only one of category and activity_types is accepted"
            ),
            ("?date=2026-02-30", "invalid date: 2026-02-30"), ("?after=now", "invalid after: now"),
            ("?until=x", "invalid until: x"), ("?direction=up", "invalid direction: up"),
            ("?page_size=0", "page_size must be between 1 and 100"),
            ("?page_size=101", "page_size must be between 1 and 100"),
            ("?page_token=nothing", "invalid page_token: nothing"),
        ])
    func refuses(query: String, message: String) async throws {
        let reply = try await withSandbox { try await $0.trading("/v2/account/activities\(query)") }
        #expect(reply.status == 422)
        #expect(reply.body == #"{"code":40010001,"message":"\#(message)"}"#)
    }

    @Test("the same seed gives the same bytes, another seed other prices")
    func deterministic() async throws {
        func bytes(_ seed: UInt64) async throws -> String {
            try await withSandbox({ $0.seed = seed }) { fixture in
                try await fixture.trading("/v2/account/activities").body
            }
        }
        let first = try await bytes(7)
        #expect(try await bytes(7) == first)
        #expect(try await bytes(8) != first)
    }

    @Test("a trade has the price of the chart's day, as traded before a split")
    func prices() async throws {
        try await withSandbox { fixture in
            let rows = try await Self.all(fixture, query: "&activity_types=FILL")
            for row in rows {
                let (symbol, time) = (row["symbol"]?.string ?? "", row["transaction_time"]?.string ?? "")
                let day = try #require(Instant(time)).inNewYork.date
                let bars = try await fixture.data(
                    "/v2/stocks/bars?symbols=\(symbol)&timeframe=1Day&start=\(day)&limit=1")
                let bar = try JSONValue(parsing: bars.body)["bars"]?[symbol]?[0]
                #expect(try decimal(bar?["c"]) == decimal(row["price"]), "\(symbol) on \(day)")
            }
        }
    }

    @Test("a split has the old and the new shares at the price before and after")
    func split() async throws {
        let rows = try await withSandbox { try await Self.all($0, query: "&activity_types=SPLIT") }
        #expect(rows.count == 2 && rows[0]["group_id"] == rows[1]["group_id"])
        let (added, removed) = (try #require(rows.first), try #require(rows.last))
        #expect(removed["qty"] == "-9.125" && added["qty"] == "36.5")
        #expect(try decimal(removed["price"]) == decimal(added["price"]) * 4)
        #expect(removed["net_amount"] == "0" && removed["activity_sub_type"] == "FSPLIT")
    }

    @Test("a dividend is the shares times the amount of a share, and 15 % are withheld")
    func dividends() async throws {
        let rows = try await withSandbox { try await Self.all($0, query: "&activity_types=DIV,DIVNRA") }
        let taxes = Dictionary(grouping: rows.filter { $0["activity_type"] == "DIVNRA" }) { $0["group_id"] }
        let dividends = rows.filter { $0["activity_type"] == "DIV" }
        #expect(dividends.count > 60)
        for row in dividends {
            let gross = try decimal(row["net_amount"])
            let exact = try decimal(row["qty"]) * decimal(row["per_share_amount"])
            #expect(exact.rounded(to: 2, .halfUp) == gross, "\(row)")
            let tax = try (gross * (try #require(Decimal("0.15")))).rounded(to: 2, .halfUp)
            let withheld = try (taxes[row["group_id"]] ?? []).reduce(Decimal.zero) {
                try $0 + decimal($1["net_amount"])
            }
            #expect(withheld == (try tax.negated), "\(row)")
        }
    }

    @Test("a filled order is an activity at once, and a sale's fees come after midnight UTC")
    func orders() async throws {
        try await withClock { fixture, clock in
            let before = try await Self.all(fixture)
            let order = try await fixture.place(
                #"{"symbol":"AAPL","qty":"5","side":"sell","type":"market","time_in_force":"day"}"#)
            let after = try await Self.all(fixture)
            #expect(Array(after.dropFirst()) == before)
            let fill = try #require(after.first)
            #expect(fill["activity_type"] == "FILL" && fill["side"] == "sell" && fill["qty"] == "5")
            #expect(fill["order_id"] == order["id"] && fill["leaves_qty"] == "0" && fill["cum_qty"] == "5")
            let cash = try await decimal(fixture.document("Account", "/v2/account")["cash"])
            clock.set(try instant("2026-11-20T00:18:00Z"))
            let fees = try await Self.all(fixture, query: "&after=2026-11-20")
            #expect(fees.map { $0["activity_sub_type"] } == ["TAF", "REG"])
            #expect(fees.allSatisfy { $0["date"] == "2026-11-19" && $0["activity_type"] == "FEE" })
            let paid = try fees.reduce(Decimal.zero) { try $0 + decimal($1["net_amount"]) }
            #expect(paid.isNegative)
            let later = try await decimal(fixture.document("Account", "/v2/account")["cash"])
            #expect(later == (try cash + paid))
        }
    }

    @Test("the portfolio history covers all years, and its cash flows are the sums of the activities")
    func cashflow() async throws {
        try await withSandbox { fixture in
            let history = try await fixture.document(
                "PortfolioHistory", "/v2/account/portfolio/history?period=5A&timeframe=1D&cashflow_types=ALL")
            let count = try #require(history["timestamp"]?.elements).count
            #expect(count > 1_240)
            let flows = try #require(history["cashflow"]?.members)
            let rows = try await Self.all(fixture, query: "&after=2021-11-19T21:00:00Z")
            var sums: [String: Decimal] = [:]
            for row in rows where row["activity_type"] != "FILL" {
                let type = try #require(row["activity_type"]?.string)
                sums[type] = try (sums[type] ?? .zero) + decimal(row["net_amount"])
            }
            for (type, column) in flows {
                let values = try #require(column.elements)
                #expect(values.count == count)
                #expect(try values.reduce(Decimal.zero) { try $0 + decimal($1) } == sums[type], "\(type)")
            }
            #expect(Set(flows.keys) == Set(sums.keys))
            let chosen = try await fixture.document(
                "PortfolioHistory", "/v2/account/portfolio/history?cashflow_types=CSD,JNLC")
            #expect(chosen["cashflow"]?.members?.keys.sorted() == ["CSD", "JNLC"])
            let refused = try await fixture.trading("/v2/account/portfolio/history?cashflow_types=DEPOSIT")
            #expect(refused.status == 422)
            #expect(refused.body == #"{"code":42210000,"message":"invalid cashflow_types: DEPOSIT"}"#)
        }
    }

    @Test("without its cash flows, the equity of a day is the cash and the shares at their closes")
    func equity() async throws {
        try await withSandbox { fixture in
            let rows = try await Self.all(fixture, query: "&until=2022-12-30T21:00:01Z")
            var (cash, shares) = (Decimal.zero, [String: Decimal]())
            for row in rows {
                cash = try cash + Self.cash(row)
                guard let symbol = row["symbol"]?.string else { continue }
                shares[symbol] = try (shares[symbol] ?? .zero) + Self.shares(row)
            }
            for (symbol, quantity) in shares where !quantity.isZero {
                let bars = try await fixture.data(
                    "/v2/stocks/bars?symbols=\(symbol)&timeframe=1Day&start=2022-12-30&limit=1")
                let close = try JSONValue(parsing: bars.body)["bars"]?[symbol]?[0]?["c"]
                cash = try cash + quantity * decimal(close)
            }
            let history = try await fixture.document(
                "PortfolioHistory",
                "/v2/account/portfolio/history?start=2022-12-30T00:00:00Z&end=2022-12-30T23:00:00Z&timeframe=1D"
            )
            #expect(try decimal(history["equity"]?[0]) == cash)
        }
    }
}

@Suite("Alpaca's corporate actions")
struct AlpacaCorporateActionTests {
    private func actions(_ fixture: RunningSandbox, _ query: String) async throws -> JSONValue {
        let reply = try await fixture.data("/v1/corporate-actions?\(query)")
        return try RunningSandbox.valid(reply, "CorporateActions")
    }

    @Test("are those of the activities, by type and symbol")
    func agree() async throws {
        try await withSandbox { fixture in
            let found = try await actions(fixture, "start=2021-11-01&end=2026-11-19&limit=1000")
            let split = found["corporate_actions"]?["forward_splits"]?[0]
            #expect(
                split?["symbol"] == "NVDA" && split?["new_rate"] == 4 && split?["ex_date"] == "2025-12-01")
            let spinOff = found["corporate_actions"]?["spin_offs"]?[0]
            #expect(spinOff?["source_symbol"] == "T" && spinOff?["new_symbol"] == "WBD")
            let dividends = try #require(found["corporate_actions"]?["cash_dividends"]?.elements)
            let paid = try await AlpacaActivityTests.all(fixture, query: "&activity_types=DIV")
            #expect(!paid.isEmpty)
            for row in paid {
                let action = dividends.first {
                    $0["symbol"] == row["symbol"] && $0["payable_date"] == row["date"]
                }
                #expect(try decimal(action?["rate"]) == decimal(row["per_share_amount"]), "\(row)")
            }
            let one = try await actions(fixture, "types=spin_off&symbols=WBD&start=2022-01-01&end=2022-12-31")
            #expect(one["corporate_actions"]?.members?.keys.sorted() == ["spin_offs"])
            let none = try await actions(fixture, "symbols=TSLA&start=2022-01-01&end=2022-12-31")
            #expect(none["corporate_actions"]?.members?.isEmpty == true)
        }
    }

    @Test("pages have each action once")
    func pages() async throws {
        try await withSandbox { fixture in
            func ids(_ answer: JSONValue) -> [String] {
                (answer["corporate_actions"]?.members ?? [:]).values.flatMap { $0.elements ?? [] }
                    .compactMap { $0["id"]?.string }
            }
            let period = "start=2026-01-01&end=2026-11-19"
            let whole = ids(try await actions(fixture, "\(period)&limit=1000"))
            var (found, token) = ([String](), "")
            repeat {
                let page = try await actions(fixture, "\(period)&limit=7\(token)")
                found += ids(page)
                token = page["next_page_token"]?.string.map { "&page_token=\($0)" } ?? ""
            } while !token.isEmpty && found.count <= whole.count
            #expect(found.count == whole.count && Set(found) == Set(whole) && Set(whole).count == whole.count)
            let first = try #require(whole.first)
            #expect(ids(try await actions(fixture, "ids=\(first)")) == [first])
        }
    }

    @Test(
        "refuse a wrong parameter, and name it",
        arguments: [
            ("types=dividend", "invalid types: dividend"), ("start=x", "invalid start: x"),
            ("start=2026-02-01&end=2026-01-01", "end should not be before start"),
            ("limit=1001", "invalid limit: must be between 1 and 1000"),
            ("ids=a&symbols=AAPL", "ids excludes all other filters"), ("sort=up", "invalid sort: up"),
            ("page_token=x", "invalid page_token: x"),
        ])
    func refuses(query: String, message: String) async throws {
        let reply = try await withSandbox { try await $0.data("/v1/corporate-actions?\(query)") }
        #expect(reply.status == 400)
        #expect(reply.body == #"{"message":"\#(message)"}"#)
    }
}
