import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

@Suite("Dividends and splits in Yahoo's charts")
struct CorporateActionTests {
    /// Amounts of the present shares: before the split, a quarter of what was paid.
    ///
    /// The last has the error of a binary number.
    private static func chart(currency: String = "USD", zone: String = "America/New_York") -> String {
        #"""
        {"chart":{"result":[{"meta":{"currency":"\#(currency)","symbol":"AAPL","exchangeTimezoneName":"\#(zone)",
        "gmtoffset":-18000},"timestamp":[1598880600],"events":{
        "dividends":{"1596807000":{"amount":0.205,"date":1596807000},"1604673000":{"amount":0.205,"date":1604673000},
        "1588944600":{"amount":0.19249999523162842,"date":1588944600}},
        "splits":{"1598880600":{"date":1598880600,"numerator":4,"denominator":1,"splitRatio":"4:1"}}},
        "indicators":{"quote":[{"open":[1],"high":[1],"low":[1],"close":[1],"volume":[1]}]}}],"error":null}}
        """#
    }

    @Test("are those of the shares at the time, by one call for both")
    func actions() async throws {
        let body = Self.chart()
        try await withYahoo(Answers { _ in .text(body) }) { client, server in
            let dividends = try await client.dividends(of: [symbol("AAPL")], in: .patient)
            let history = try #require(try dividends[symbol("AAPL")])
            #expect(
                history.dividends.map { "\($0.exDate) \($0.amount) \($0.currency ?? "")" } == [
                    "2020-11-06 0.205 USD", "2020-08-07 0.82 USD", "2020-05-08 0.77 USD",
                ])
            let splits = try await client.splits(of: [symbol("AAPL")], in: .patient)
            #expect(
                try splits[symbol("AAPL")]?.splits.map { "\($0.exDate) \($0.newShares):\($0.oldShares)" } == [
                    "2020-08-31 4:1"
                ])
            #expect(
                server.requests.map(\.target) == [
                    "/q/v8/finance/chart/AAPL?interval=1mo&range=max&events=div%2Csplit"
                ])
        }
    }

    @Test("have the day of another exchange by its difference from UTC")
    func zone() async throws {
        // 00:00 in UTC is 10:00 in Sydney, on the same day.
        let body = Self.chart(currency: "AUD", zone: "Australia/Sydney").replacing("-18000", with: "36000")
            .replacing("1604673000", with: "1604620800")
        try await withYahoo(Answers { _ in .text(body) }) { client, _ in
            let dividends = try await client.dividends(of: [symbol("BHP:XASX")], in: .patient)
            let latest = try #require(try dividends[symbol("BHP:XASX")]?.dividends.first)
            #expect(latest.exDate.description == "2020-11-06" && latest.currency == "AUD")
        }
    }

    @Test(
        "are in the currency of the event if it has one, else of the chart, and never in pence",
        arguments: [
            ("GBp", "", "0.00205 GBP"), ("GBp", #","currency":"GBp""#, "0.00205 GBP"),
            ("GBp", #","currency":"GBP""#, "0.205 GBP"), ("GBp", #","currency":"""#, "0.00205 GBP"),
            ("EUR", #","currency":"USD""#, "0.205 USD"), ("EUR", #","currency":null"#, "0.205 EUR"),
        ])
    func currencies(chart: String, member: String, expected: String) async throws {
        let body = Self.chart(currency: chart, zone: "Europe/London")
            .replacing(#""date":1604673000"#, with: #""date":1604673000\#(member)"#)
        try await withYahoo(Answers { _ in .text(body) }) { client, _ in
            let dividends = try await client.dividends(of: [symbol("TSCO:XLON")], in: .patient)
            let latest = try #require(try dividends[symbol("TSCO:XLON")]?.dividends.first)
            #expect("\(latest.amount) \(latest.currency ?? "")" == expected)
        }
    }

    @Test(
        "that cannot be read do not remove the others",
        arguments: [
            #"{"date":1500000000,"numerator":0,"denominator":0}"#, #"{"date":1500000000,"numerator":null}"#,
            #"{"date":"soon","numerator":2,"denominator":1}"#, "[]", "null",
            #"{"date":1500000000,"numerator":{"a":[1]}}"#,
        ])
    func malformed(split: String) async throws {
        let body = Self.chart().replacing(#""splits":{"#, with: #""splits":{"1500000000":\#(split),"#)
        try await withYahoo(Answers { _ in .text(body) }) { client, _ in
            let aapl = try symbol("AAPL")
            let dividends = try #require(try await client.dividends(of: [aapl], in: .patient)[aapl])
            // Those before the split, whose time is its key, are by an unknown number of shares.
            let before = dividends.unreadable.count { $0.hasSuffix("a later split cannot be read") }
            #expect(dividends.dividends.count + before == 3 && before == dividends.unreadable.count)
            #expect(dividends.dividends.allSatisfy { $0.exDate.description > "2017-07-14" })
            let splits = try #require(try await client.splits(of: [aapl], in: .patient)[aapl])
            #expect(splits.splits.map(\.exDate.description) == ["2020-08-31"])
            #expect(splits.unreadable.count == 1)
            #expect(splits.unreadable.first?.hasPrefix("splits.1500000000") == true)
        }
    }

    @Test("none of which can be read are errors that name the member")
    func allMalformed() async throws {
        let body = Self.chart().replacing(#""amount":"#, with: #""amounts":"#)
        try await withYahoo(Answers { _ in .text(body) }) { client, _ in
            let aapl = try symbol("AAPL")
            let history = try #require(try await client.dividends(of: [aapl], in: .patient)[aapl])
            #expect(history.dividends.isEmpty && history.unreadable.count == 3)
            #expect(history.unreadable.allSatisfy { $0.contains(#": no "amount" (byte "#) }, "\(history)")
        }
    }

    @Test("are empty without events, and unknown without a chart")
    func others() async throws {
        let plain = try example("chart")
        let missing = try example("chart-error")
        try await withYahoo(
            Answers { request in
                request.target.contains("NOSUCH") ? .text(missing, status: 404) : .text(plain)
            }
        ) { client, _ in
            let symbols = try ["AAPL", "NOSUCH"].map { try symbol($0) }
            let splits = try await client.splits(of: symbols, in: .patient)
            #expect(splits[symbols[0]]?.splits == [])
            #expect(splits[symbols[1]] == nil && splits.failures[symbols[1]] == nil)
        }
    }
}
