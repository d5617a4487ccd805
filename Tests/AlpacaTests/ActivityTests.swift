import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("Activities")
struct ActivityTests {
    /// The fields of an activity in one line; a value that is missing is `-`.
    private static func line(_ activity: Activity) -> String {
        let fields: [String?] = [
            activity.kind.rawValue, activity.providerKind, activity.date.description,
            activity.settlementDate?.description, activity.symbol?.text, activity.side?.rawValue,
            activity.quantity?.description, activity.price?.description, activity.amount?.description,
            activity.currency,
        ]
        return fields.map { $0 ?? "-" }.joined(separator: " ")
    }

    @Test(
        "of the examples are mapped: an execution has its cash, a split its two rows, a dividend no units")
    func example() throws {
        let activities = try decodeList(of: AlpacaActivity.self, from: AlpacaTests.example("activities")).map(
            \.activity)
        #expect(
            activities.map(Self.line) == [
                "FEE FEE/TAF 2026-11-19 2026-11-19 - - - - -0.02 USD",
                "TRADE FILL 2026-11-18 - AAPL SELL -1.5 225.08 337.62 USD",
                "DEPOSIT CSD 2026-11-17 2026-11-17 - - - - 2000 USD",
                "DIVIDEND DIV/CDIV 2026-11-12 2026-11-12 AAPL - - 0.26 3.12 USD",
                "TAX DIVNRA 2026-11-12 2026-11-12 AAPL - - - -0.47 USD",
                "SPLIT SPLIT/FSPLIT 2026-11-02 2026-11-02 EXMP - -20 118 0 USD",
                "SPLIT SPLIT/FSPLIT 2026-11-02 2026-11-02 EXMP - 40 59 0 USD",
                "INTEREST INT/MGN 2026-10-30 2026-10-30 - - - - -3.01 USD",
            ])
        #expect(activities[0].about == "TAF fee for proceed of 90 shares (2 trades) on 2026-11-19")
        #expect(activities[0].recordedAt == (try instant("2026-11-20T00:17:05.448916Z")))
        #expect(activities[1].orderID == "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51")
        #expect(activities[1].time == (try instant("2026-11-18T15:04:11.991284Z")))
        #expect(activities[3].groupID == activities[4].groupID)
        #expect(Set(activities.map(\.id)).count == activities.count)
    }

    /// A row, and its line.
    struct Row: CustomTestStringConvertible {
        let members: String
        let line: String

        var testDescription: String { members }
    }

    private static let rows: [Row] = [
        // The cash of an execution is rounded to the cent: 0.04 × 480.338 = 19.21352.
        Row(
            members:
                #""activity_type":"FILL","transaction_time":"2026-11-18T15:00:00Z","side":"buy","qty":"0.04","price":"480.338","symbol":"MSFT""#,
            line: "TRADE FILL 2026-11-18 - MSFT BUY 0.04 480.338 -19.21 USD"),
        // After 19:00 in New York it is the next day in UTC.
        Row(
            members:
                #""activity_type":"FILL","transaction_time":"2026-11-19T00:30:00Z","side":"sell_short","qty":"1","price":"10","symbol":"MSFT""#,
            line: "TRADE FILL 2026-11-18 - MSFT SELL -1 10 10 USD"),
        // The number of units of a contract is unknown, and so is the amount.
        Row(
            members:
                #""activity_type":"FILL","transaction_time":"2026-11-18T15:00:00Z","side":"buy","qty":"1","price":"2.5","symbol":"AAPL261218C00230000""#,
            line: "TRADE FILL 2026-11-18 - AAPL261218C00230000 BUY 1 2.5 - USD"),
        Row(
            members:
                #""activity_type":"FILL","transaction_time":"2026-11-18T15:00:00Z","side":"buy","qty":"1","price":"0.05","symbol":"ETH/BTC""#,
            line: "TRADE FILL 2026-11-18 - ETH/BTC BUY 1 0.05 - -"),
        Row(
            members:
                #""activity_type":"FILL","transaction_time":"2026-11-18T15:00:00Z","side":"","qty":"1","price":"10","symbol":"MSFT""#,
            line: "TRADE FILL 2026-11-18 - MSFT - - 10 - USD"),
        Row(
            members:
                #""activity_type":"DIV","activity_sub_type":"SDIV","date":"2026-11-12","qty":"3","net_amount":"0","currency":"USD","symbol":"MSFT""#,
            line: "DIVIDEND DIV/SDIV 2026-11-12 2026-11-12 MSFT - 3 - 0 USD"),
        Row(
            members:
                #""activity_type":"JNLC","date":"2026-11-12","net_amount":"12.5","currency":"USD","description":"Juneteenth Margin Reimbursement""#,
            line: "FEE JNLC 2026-11-12 2026-11-12 - - - - 12.5 USD"),
        Row(
            members: #""activity_type":"JNLC","date":"2026-11-12","net_amount":"100000","currency":"USD""#,
            line: "TRANSFER JNLC 2026-11-12 2026-11-12 - - - - 100000 USD"),
        Row(
            members:
                #""activity_type":"CFEE","date":"2026-11-12","qty":"-0.0001","price":"95000","net_amount":"0","currency":"USD","symbol":"BTCUSD""#,
            line: "FEE CFEE 2026-11-12 2026-11-12 BTC/USD - -0.0001 95000 0 USD"),
        // An unknown type keeps the broker's term; a missing amount is not zero, and no currency is that of the account.
        Row(
            members: #""activity_type":"QUANTUM","activity_sub_type":"LEAP","date":"2026-11-12""#,
            line: "OTHER QUANTUM/LEAP 2026-11-12 2026-11-12 - - - - - USD"),
        Row(
            members: #""activity_type":"FEE","date":"2026-11-12","net_amount":"-1""#,
            line: "FEE FEE 2026-11-12 2026-11-12 - - - - -1 USD"),
        // The documented samples of a dividend and of a deposit.
        Row(
            members:
                #""activity_type":"DIV","date":"2026-11-12","net_amount":"3.12","symbol":"AAPL","qty":"12","per_share_amount":"0.26""#,
            line: "DIVIDEND DIV 2026-11-12 2026-11-12 AAPL - - 0.26 3.12 USD"),
        Row(
            members: #""activity_type":"CSD","date":"2026-11-12","net_amount":"2000""#,
            line: "DEPOSIT CSD 2026-11-12 2026-11-12 - - - - 2000 USD"),
        // The specification has a time, the responses have none.
        Row(
            members: #""activity_type":"CSD","date":"2026-11-17T00:00:00Z","net_amount":"2000""#,
            line: "DEPOSIT CSD 2026-11-17 2026-11-17 - - - - 2000 USD"),
        Row(
            members: #""activity_type":"CSR","date":"2026-11-12","net_amount":"-2000""#,
            line: "WITHDRAWAL CSR 2026-11-12 2026-11-12 - - - - -2000 USD"),
        Row(
            members:
                #""activity_type":"OPEXP","date":"2026-11-12","net_amount":"0","symbol":"AAPL261218C00230000","qty":"-1""#,
            line: "TRADE OPEXP 2026-11-12 2026-11-12 AAPL261218C00230000 - -1 - 0 USD"),
        Row(
            members:
                #""activity_type":"CIL","date":"2026-11-12","net_amount":"7.5","symbol":"AAPL","qty":"-0.5","price":"15""#,
            line: "TRADE CIL 2026-11-12 2026-11-12 AAPL - -0.5 15 7.5 USD"),
        Row(
            members: #""activity_type":"MEM","date":"2026-11-12","symbol":"not a symbol""#,
            line: "OTHER MEM 2026-11-12 2026-11-12 - - - - - USD"),
    ]

    @Test("of unusual forms are mapped without a guess", arguments: rows)
    func unusual(row: Row) throws {
        let body = Array(#"{"id":"20261118000000000::1",\#(row.members)}"#.utf8)
        #expect(Self.line(try AlpacaActivity(json: body).activity) == row.line)
    }

    @Test(
        "have the kind of their type",
        arguments: [
            (ActivityKind.trade, "FILL OPTRD OPCSH OPEXC OPASN OPEXP CIL EXTRD FXTRD"), (.deposit, "CSD CSR"),
            (.withdrawal, "CSW"), (.transfer, "JNL JNLC ACATC JNLS ACATS FOPT"),
            (.dividend, "DIV DIVCGL DIVCGS DIVROC DIVTXEX CGD"),
            (.interest, "INT"), (.tax, "DIVNRA DIVFT DIVTW DIVWH INTNRA INTTW WH"),
            (.fee, "FEE CFEE DIVFEE PTC PTR"), (.split, "SPLIT SSP"), (.spinOff, "SPIN SSO"),
            (.merger, "MA REORG REO VOF OPCA"),
            (.symbolChange, "NC SC"),
            (.other, "MEM FIMAT OPXRC ALLOC CORR TRANS MISC OCT INTPNL SWP"),
        ])
    func kinds(kind: ActivityKind, types: String) throws {
        for type in types.split(separator: " ") {
            let body = Array(#"{"id":"1","activity_type":"\#(type)","date":"2026-11-12"}"#.utf8)
            #expect(try AlpacaActivity(json: body).activity.kind == kind, "\(type)")
        }
    }

    @Test("of one time have the order of what their order had filled, and bookings that of their creation")
    func sequence() throws {
        func sequence(_ members: String) throws -> BrokerSequence? {
            try AlpacaActivity(json: Array(#"{"id":"1",\#(members)}"#.utf8)).activity.sequence
        }
        func fill(_ quantity: String) throws -> BrokerSequence? {
            try sequence(
                #""activity_type":"FILL","transaction_time":"2026-11-18T15:00:00Z","cum_qty":"\#(quantity)""#)
        }
        func booking(_ time: String) throws -> BrokerSequence? {
            try sequence(#""activity_type":"DIV","date":"2026-11-18","created_at":"\#(time)""#)
        }
        let fills = try ["0", "0.000000001", "0.5", "2", "2.50", "10", "123456789012345"].map {
            try #require(try fill($0))
        }
        #expect(fills == fills.sorted() && Set(fills).count == fills.count)
        #expect(try fill("2.5") == fill("2.500"))
        #expect(try fill("-1") == nil)
        let bookings = try [
            "2026-11-19T00:17:05Z", "2026-11-19T00:17:05.448916Z", "2026-11-19T00:17:05.4490Z",
        ].map {
            try #require(try booking($0))
        }
        #expect(bookings == bookings.sorted() && Set(bookings).count == bookings.count)
        #expect(try sequence(#""activity_type":"DIV","date":"2026-11-18""#) == nil)
    }

    @Test("without a date are a fault with its place")
    func fault() throws {
        let body = Array(#"[{"id":"1","activity_type":"FEE"}]"#.utf8)
        let error = #expect(throws: JSONError.self) { try decodeList(of: AlpacaActivity.self, from: body) }
        #expect(
            error?.description.hasPrefix(#"[0]: no "date or transaction_time""#) == true, "\(error as Any)")
    }

    @Test(
        "that cannot be read completely are activities without figures, and do not remove the others",
        arguments: [
            (#""activity_type":"DIV","date":"2026-11-12","net_amount":true"#, "DIVIDEND DIV 2026-11-12"),
            (#""activity_type":"DIV","date":"tomorrow","net_amount":"1""#, "DIVIDEND DIV 2026-11-18"),
            (#""activity_type":["DIV"],"date":"2026-11-12""#, "OTHER  2026-11-12"),
            (
                #""activity_type":"FILL","transaction_time":"2026-11-19T00:30:00Z","qty":{"a":1}"#,
                "TRADE FILL 2026-11-18"
            ),
            (#""activity_type":"DIV""#, "DIVIDEND DIV 2026-11-18"),
        ])
    func unreadable(members: String, expected: String) throws {
        let body = #"[{"id":"20261118000000000::1",\#(members)},"# + Self.page(0..<1).dropFirst()
        let activities = try JSONReader.read(Array(body.utf8)) { reader throws(JSONError) in
            try reader.activities().elements.map(\.activity)
        }
        #expect(activities.map(\.amount) == [nil, 1])
        #expect(activities.map(\.quantity) == [nil, nil])
        let (first, words) = (activities[0], expected.split(separator: " ", omittingEmptySubsequences: false))
        #expect(first.id == "20261118000000000::1" && first.providerKind == words[1])
        #expect(first.kind.rawValue == words[0])
        #expect(first.date.description == words[2])
    }

    private static func page(_ ids: Range<Int>, status: String = "executed") -> String {
        let rows = ids.map {
            #"{"id":"20261112000000000::\#($0)","activity_type":"INT","date":"2026-11-12","net_amount":"1","currency":"USD","status":"\#(status)"}"#
        }
        return "[\(rows.joined(separator: ","))]"
    }

    @Test("are read oldest first, a hundred at once, until a page that is not full")
    func pages() async throws {
        try await withAlpaca(answering: { request, _ in
            request.target.contains("page_token") ? .text(Self.page(100..<103)) : .text(Self.page(0..<100))
        }) { alpaca, server in
            let first = try await alpaca.activities(of: "any", ActivityQuery(), in: .patient)
            #expect(first.activities.count == 100)
            #expect(first.next == "20261112000000000::99")
            #expect(first.isCompleteFrom == nil)
            let last = try await alpaca.activities(of: "any", ActivityQuery(page: first.next), in: .patient)
            #expect(last.activities.count == 3)
            #expect(last.next == nil)
            #expect(
                server.requests.map(\.target) == [
                    "/trading/v2/account/activities?direction=asc&page_size=100",
                    "/trading/v2/account/activities?direction=asc&page_size=100&page_token=20261112000000000%3A%3A99",
                ])
        }
    }

    @Test("are read again for four days, of which two show which ones were deleted; cancelled ones are named")
    func again() async throws {
        try await withAlpaca(answering: { _, _ in .text(Self.page(0..<2, status: "canceled")) }) {
            alpaca, server in
            let since = try #require(CalendarDate(year: 2026, month: 11, day: 20))
            let page = try await alpaca.activities(of: "any", ActivityQuery(since: since), in: .patient)
            #expect(page.activities.isEmpty)
            #expect(page.canceledIDs == ["20261112000000000::0", "20261112000000000::1"])
            #expect(page.isCompleteFrom == (try instant("2026-11-18T00:00:00Z")))
            #expect(
                server.requests.map(\.target) == [
                    "/trading/v2/account/activities?after=2026-11-16&direction=asc&page_size=100"
                ])
        }
    }
}
