import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("Corporate actions of Alpaca")
struct CorporateActionTests {
    private static let page = #"""
        {"corporate_actions":{
        "cash_dividends":[
        {"id":"a7932b15-f816-4f83-921e-998b524487b4","symbol":"AAPL","cusip":"037833100","isin":"US0378331005",
        "rate":0.26,"special":false,"foreign":false,"process_date":"2026-11-12","ex_date":"2026-11-09",
        "record_date":"2026-11-10","payable_date":"2026-11-12","currency":"USD"},
        {"id":"a7932b15-f816-4f83-921e-998b524487b6","symbol":"AAPL","cusip":"037833100","isin":"",
        "rate":1.5,"special":true,"foreign":false,"process_date":"2026-12-12","ex_date":"2026-12-09","currency":""}],
        "stock_dividends":[
        {"id":"a7932b15-f816-4f83-921e-998b524487b7","symbol":"KO","cusip":"","rate":0.05,
        "process_date":"2026-02-02","ex_date":"2026-02-02"}],
        "forward_splits":[
        {"id":"a7932b15-f816-4f83-921e-998b524487b1","symbol":"KO","cusip":"30199X107","new_rate":2,"old_rate":1,
        "process_date":"2026-11-02","ex_date":"2026-11-02","record_date":"2026-10-20","payable_date":"2026-10-30"}],
        "reverse_splits":[
        {"id":"a7932b15-f816-4f83-921e-998b524487b2","symbol":"KO","old_cusip":"","new_cusip":"",
        "new_isin":"US1912161007","new_rate":1,"old_rate":20,"process_date":"2026-03-02","ex_date":"2026-03-02"}],
        "spin_offs":[
        {"id":"a7932b15-f816-4f83-921e-998b524487b5","source_symbol":"KO","source_cusip":"","source_rate":1,
        "new_symbol":"NEWC","new_cusip":"","new_rate":0.25,"process_date":"2026-11-04","ex_date":"2026-11-04"}]},
        "next_page_token":null}
        """#

    private static func read(_ pages: String...) throws -> AlpacaCorporateActions {
        var actions = AlpacaCorporateActions(of: [try symbol("AAPL"), try symbol("KO")])
        for page in pages { try actions.append(Array(page.utf8)) }
        return actions
    }

    @Test("have dividends with amount, currency, dates and ISIN; an empty text is none")
    func dividends() throws {
        let apple = try #require(try Self.read(Self.page).actions(of: symbol("AAPL")))
        #expect(apple.isin == "US0378331005")
        #expect(apple.splits.isEmpty)
        let regular = try #require(apple.dividends.first)
        #expect(regular.amount == Decimal("0.26") && regular.currency == "USD" && regular.isSpecial == false)
        #expect(
            [regular.exDate, regular.recordDate, regular.payDate, regular.declaredOn].map { $0?.description }
                == ["2026-11-09", "2026-11-10", "2026-11-12", nil])
        let special = try #require(apple.dividends.last)
        #expect(special.amount == Decimal("1.5") && special.currency == nil && special.isSpecial == true)
        #expect(special.payDate == nil)
    }

    @Test("have splits, reverse splits, and dividends in shares as splits; spin-offs are none")
    func splits() throws {
        let actions = try #require(try Self.read(Self.page).actions(of: symbol("KO")))
        #expect(actions.dividends.isEmpty)
        #expect(actions.isin == "US1912161007")
        let splits = actions.splits.map { "\($0.exDate) \($0.newShares):\($0.oldShares)" }
        #expect(splits.sorted() == ["2026-02-02 1.05:1", "2026-03-02 1:20", "2026-11-02 2:1"])
        let forward = try #require(actions.splits.first { $0.newShares == 2 })
        #expect(
            forward.recordDate?.description == "2026-10-20" && forward.payDate?.description == "2026-10-30")
    }

    @Test("of other symbols are ignored, and pages add up")
    func pages() throws {
        let other = Self.page.replacing("AAPL", with: "MSFT")
        let actions = try Self.read(Self.page, other, Self.page)
        #expect(try actions.actions(of: symbol("AAPL"))?.dividends.count == 4)
        #expect(try actions.actions(of: symbol("MSFT")) == nil)
    }

    @Test(
        "are unreadable without what makes them one, and leave the others",
        arguments: [
            (#"{"corporate_actions":{"cash_dividends":[{"symbol":"KO","ex_date":"2026-11-02"}]}}"#, "rate"),
            (
                #"{"corporate_actions":{"forward_splits":[{"symbol":"KO","ex_date":"2026-11-02","new_rate":0,"#
                    + #""old_rate":1}]}}"#, "rates above zero"
            ),
            (#"{"corporate_actions":{"cash_dividends":[{"symbol":"KO","rate":1}]}}"#, "ex_date"),
        ])
    func refused(body: String, missing: String) throws {
        let actions = try Self.read(Self.page, body)
        #expect(try actions.actions(of: symbol("KO"))?.splits.count == 3)
        let failures = actions.failures(of: try symbol("KO"))
        #expect(failures.count == 1 && failures[0].description.contains(missing), "\(failures)")
        #expect(actions.failures(of: try symbol("AAPL")).isEmpty)
    }

    @Test("without a readable symbol may be of each share")
    func withoutSymbol() throws {
        let actions = try Self.read(
            #"{"corporate_actions":{"cash_dividends":[{"symbol":7,"ex_date":"2026-11-02","rate":1}]}}"#)
        for name in ["AAPL", "KO"] {
            let failures = actions.failures(of: try symbol(name))
            #expect(
                failures.map(\.pathDescription) == ["corporate_actions.cash_dividends[0].symbol"],
                "\(failures)")
        }
    }

    @Test("of several shares cost one call for dividends and splits, and one that shows which shares exist")
    func calls() async throws {
        try await withAlpaca(answering: { request, _ in
            if request.target.contains("/assets/MSFT") {
                return .body(
                    Array(#"{"id":"1","symbol":"MSFT","class":"us_equity","status":"active"}"#.utf8))
            }
            if request.target.contains("/assets/") { return .body([], status: 404) }
            return .body(Array(Self.page.utf8))
        }) { client, server in
            let symbols = try ["AAPL", "KO", "MSFT", "NOSUCH", "EUR/USD"].map { try symbol($0) }
            let dividends = try await client.dividends(of: symbols, in: .patient)
            #expect(Set(dividends.found.keys.map(\.text)) == ["AAPL", "KO", "MSFT"])
            #expect(dividends.failures.isEmpty)
            #expect(
                dividends[symbols[0]]?.dividends.map(\.exDate.description) == ["2026-12-09", "2026-11-09"])
            // MSFT is an asset without actions; NOSUCH is none.
            #expect(dividends[symbols[2]]?.dividends == [])
            let splits = try await client.splits(of: Array(symbols.prefix(3)), in: .patient)
            #expect(splits[symbols[1]]?.splits.count == 3)
            let targets = server.requests.map(\.target)
            #expect(
                targets.filter { $0.contains("corporate-actions") } == [
                    "/data/v1/corporate-actions?symbols=AAPL%2CKO%2CMSFT%2CNOSUCH"
                        + "&types=cash_dividend%2Cstock_dividend%2Cforward_split%2Creverse_split"
                        + "&start=1900-01-01&end=2027-11-19&limit=1000&sort=asc"
                ])
            #expect(targets.count == 3, "\(targets)")
        }
    }

    @Test("have spin-offs by the parent and by the new company, by one call without a read of assets")
    func spinOffs() async throws {
        try await withAlpaca(answering: { _, _ in .body(Array(Self.page.utf8)) }) { client, server in
            let symbols = try ["KO", "NEWC", "MSFT", "EUR/USD"].map { try symbol($0) }
            let histories = try await client.spinOffs(of: symbols, in: .patient)
            #expect(histories.failures.isEmpty && histories.found.count == symbols.count)
            let expected = SpinOff(
                parent: symbols[0], child: symbols[1], exDate: try #require(CalendarDate("2026-11-04")))
            for symbol in symbols.prefix(2) { #expect(histories[symbol]?.spinOffs == [expected]) }
            for symbol in symbols.suffix(2) { #expect(histories[symbol]?.spinOffs == []) }
            #expect(
                server.requests.map(\.target) == [
                    "/data/v1/corporate-actions?symbols=KO%2CNEWC%2CMSFT&types=spin_off"
                        + "&start=1900-01-01&end=2027-11-19&limit=1000&sort=asc"
                ])
        }
    }

    @Test("of more pages than are read at most fail: the shares behind them have no actions")
    func endless() async throws {
        try await withAlpaca(answering: { _, number in
            .text(#"{"corporate_actions":{},"next_page_token":"\#(number)"}"#)
        }) { client, server in
            let symbols = [try symbol("KO")]
            await #expect(
                throws: ProviderFailure(.alpaca, .tooMany(.pagesOfCorporateActions, limit: 30))
            ) {
                try await client.corporateActions(of: symbols, in: .patient)
            }
            #expect(server.requests.count == 30)
        }
    }

    @Test(
        "are unreadable as spin-offs without a company or a date: the shares of the others are known",
        arguments: ["source_symbol", "new_symbol", "ex_date"])
    func incompleteSpinOff(missing: String) throws {
        let body =
            #"{"corporate_actions":{"spin_offs":[{"source_symbol":"KO","new_symbol":"NEWC","ex_date":"2026-11-04"}]}}"#
        let actions = try Self.read(body.replacing("\"\(missing)\":", with: "\"other\":"))
        let known = missing == "source_symbol" ? "NEWC" : "KO"
        let failures = actions.failures(of: try symbol(known))
        #expect(failures.count == 1 && failures[0].description.contains(missing), "\(failures)")
        #expect(actions.failures(of: try symbol("AAPL")).isEmpty)
    }
}
