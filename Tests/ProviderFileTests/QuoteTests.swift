import AlphaVantage
import Brokerage
import ProviderFile
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

@Suite("Quotes of a provider file")
struct QuoteTests {
    /// Alpha Vantage's prices.
    private static let alphaVantage = """
        version: 1
        providers:
          - name: av-file
            url: https://www.alphavantage.co
            key: { query: apikey }
            symbols: [{ kind: LISTING, text: "{ticker}", currency: USD }]
            errors:
              - { path: Note, cause: RATE_LIMITED }
              - { path: Information, cause: QUOTA_EXHAUSTED }
              - { path: Error Message, contains: Invalid API call, cause: NOT_FOUND }
              - { path: Error Message, cause: UNAUTHORIZED }
            quotes:
              path: /query
              query: { function: GLOBAL_QUOTE, symbol: "{symbol}" }
              items: Global Quote
              fields:
                price: "['05. price']"
                open: "['02. open']"
                high: "['03. high']"
                low: "['04. low']"
                previousClose: "['08. previous close']"
                volume: "['06. volume']"
        """

    private static func batch(_ more: String = "", fields: String) -> String {
        """
        version: 1
        providers:
          - name: acme
            url: https://api.example.com
            key: { header: X-Key }
            symbols:
              - { kind: LISTING, text: "{ticker}", currency: USD }
              - { kind: MARKET, market: XLON, text: "{ticker}.L", currency: GBP }
              - { kind: CRYPTO, text: "{base}-{quote}" }
            quotes:
              path: /quotes
              query: { list: "{symbols}" }
              symbolsPerCall: 10
              \(more)
              fields: \(fields)
        """
    }

    @Test("are those of the compiled provider", arguments: ["AAPL", "MSFT", "BRK.B", "NOSUCH"])
    func compiled(name: String) async throws {
        try await withSandbox(at: "2026-11-20T18:30:00Z") {
            $0.alphaVantage.requestsPerDay = nil
            $0.alphaVantage.burstInterval = nil
        } _: { sandbox, channel in
            let base = try ProviderBaseURL(#require(HTTPURL(sandbox.alphaVantage.baseURL)))
            let key = try APIKey(FakeAlphaVantageSettings.demoKey)
            let compiled = AlphaVantageClient(
                AlphaVantageConfiguration(base: base, key: key, windows: []), over: channel(.alphaVantage))
            let provider = try provider(Self.alphaVantage)
            let client = FileProviderClient(provider, base: base, key: key, over: channel(provider.id))
            let symbol = try symbol(name)
            let one = try await compiled.quotes(for: [symbol], in: .patient)
            let other = try await #require(client.market.quotes).quotes(for: [symbol], in: .patient)
            #expect(one.failures.isEmpty && other.failures.isEmpty)
            #expect((one[symbol] == nil) == (name == "NOSUCH"))
            #expect(one[symbol]?.figures == other[symbol]?.figures)
            #expect(other[symbol]?.currency ?? "USD" == "USD")
        }
    }

    @Test("of several symbols are one call, exact to the digit; missing values are nil")
    func batch() async throws {
        let text = Self.batch(
            "items: data.list",
            fields: """
                { symbol: id, price: { path: last.cents, times: 0.01, plus: 1 }, bid: "book[0]", ask: "book[1]",
                      currency: unit, asOf: { path: at, date: SECONDS },
                      marketState: { path: state, choices: { O: OPEN, C: CLOSED }, otherwise: null } }
                """)
        try await withFileClient(text, key: "secret-key") { _, _ in
            .text(
                """
                {"data": {"list": [
                  {"id": "AAPL", "last": {"cents": 12345678901234567890.12}, "book": [1.10, "2.20", 9], "at": 1795262400,
                   "state": "O"},
                  {"id": "TSCO.L", "last": {"cents": 2}, "book": [], "unit": "GBX", "state": "?"},
                  {"id": "BTC-USD", "last": null, "book": [5, null]},
                  {"id": "ELSE", "last": {"cents": 1}},
                  {"id": "MSFT"}]}}
                """)
        } _: { client, server in
            let symbols = try ["AAPL", "TSCO:XLON", "BTC/USD", "MSFT", "^SPX"].map(symbol)
            let quotes = try await #require(client.market.quotes).quotes(for: symbols, in: .patient)
            #expect(quotes.failures.isEmpty)
            #expect(Set(quotes.found.keys) == Set(symbols.prefix(3)))
            let aapl = try #require(quotes[symbols[0]])
            #expect(aapl.price == Decimal("123456789012345679.9012"))
            #expect(aapl.bid == Decimal("1.1") && aapl.ask == Decimal("2.2"))
            #expect(aapl.marketState == .open && aapl.currency == "USD")
            #expect(aapl.provenance.asOf == Instant(secondsSince1970: 1_795_262_400))
            #expect(aapl.provenance.source.name.text == "acme")
            let tesco = try #require(quotes[symbols[1]])
            #expect(tesco.price == Decimal("0.0102"))
            #expect(tesco.currency == "GBP" && tesco.marketState == nil && tesco.bid == nil)
            let bitcoin = try #require(quotes[symbols[2]])
            #expect(
                bitcoin.price == nil && bitcoin.bid == 5 && bitcoin.ask == nil && bitcoin.currency == "USD")
            #expect(server.requests.map(\.target) == ["/api/quotes?list=AAPL%2CTSCO.L%2CBTC-USD%2CMSFT"])
            #expect(server.requests.first?.headers["x-key"] == "secret-key")
        }
    }

    @Test("may be the members of an object")
    func keyed() async throws {
        let text = Self.batch("keyed: true", fields: "{ price: p }")
        try await withFileClient(text, key: "k") { _, _ in
            .text(#"{"AAPL": {"p": "1.50"}, "MSFT": {"p": 2}, "ELSE": {"p": 3}}"#)
        } _: { client, _ in
            let symbols = try ["AAPL", "MSFT", "NOSUCH"].map(symbol)
            let quotes = try await #require(client.market.quotes).quotes(for: symbols, in: .patient)
            #expect(quotes.found.mapValues(\.price) == [symbols[0]: Decimal("1.5"), symbols[1]: 2])
        }
    }

    /// A response, and the failure of the call.
    struct Failure: CustomTestStringConvertible {
        let body: String
        var status = 200
        let cause: String

        var testDescription: String { "\(status) \(body.prefix(60))" }
    }

    @Test(
        "fail with the place in a response of another form",
        arguments: [
            Failure(
                body: #"[{"id": "AAPL", "p": true}]"#,
                cause: "an invalid response: [0].p: expected a decimal, found true (byte 21)"),
            Failure(
                body: #"[{"id": "AAPL", "p": "one"}]"#,
                cause:
                    "an invalid response: [0].p: expected a decimal, found a string that is none (byte 21)"
            ),
            Failure(
                body: "<html>", cause: "an invalid response: unexpected '<' (byte 0)"),
            Failure(body: "", status: 401, cause: "the credential was refused"),
            Failure(body: "", status: 403, cause: "not allowed for this credential"),
            Failure(body: "", status: 500, cause: "unavailable"),
            Failure(body: "", status: 302, cause: "an invalid response"),
            Failure(
                body: "[" + String(repeating: #"{"p":1},"#, count: 5_001) + "{}]",
                cause: "an invalid response: [5000]: more than 5000 elements (byte 40001)"),
        ])
    func failures(_ example: Failure) async throws {
        let text = Self.batch(fields: "{ symbol: id, price: p }")
        try await withFileClient(text, key: "k") { _, _ in
            .text(
                example.body, status: example.status,
                headers: example.status == 302 ? [("Location", "http://127.0.0.1:1/stolen")] : [])
        } _: { client, server in
            let quotes = try #require(client.market.quotes)
            let aapl = try symbol("AAPL")
            var error: ProviderFailure?
            do throws(ProviderFailure) {
                error = try await quotes.quotes(for: [aapl], in: .patient).failures[aapl]
            } catch let failure {
                error = failure
            }
            #expect(error?.cause.description == example.cause)
            #expect(error?.provider.name.text == "acme")
            #expect(server.requests.count == 1)
        }
    }

    @Test("fail as their file says, by status and by body")
    func errorForms() async throws {
        let bodies = [
            (#"{"Note": "too often"}"#, "rate limit exceeded"),
            (#"{"Information": "used up"}"#, "the quota is used up"),
            (#"{"Error Message": "the apikey is invalid"}"#, "the credential was refused"),
        ]
        for (body, cause) in bodies {
            try await withFileClient(Self.alphaVantage, key: "k") { _, _ in
                .text(body)
            } _: { client, _ in
                let quotes = try #require(client.market.quotes)
                let aapl = try symbol("AAPL")
                let error = await #expect(throws: ProviderFailure.self) {
                    try await quotes.quotes(for: [aapl], in: .patient)
                }
                #expect(error?.cause.description == cause)
            }
        }
    }

    @Test("send the key, and show it nowhere")
    func key() async throws {
        try await withFileClient(Self.alphaVantage, key: "secret-key") { _, _ in
            .text("[]")
        } _: {
            client, server in
            let quotes = try #require(client.market.quotes)
            let aapl = try symbol("AAPL")
            let error = await #expect(throws: ProviderFailure.self) {
                try await quotes.quotes(for: [aapl], in: .patient)
            }
            #expect(
                server.requests.map(\.target) == [
                    "/api/query?function=GLOBAL_QUOTE&symbol=AAPL&apikey=secret-key"
                ])
            let url = try #require(HTTPURL("http://127.0.0.1" + (server.requests.first?.target ?? "")))
            #expect(!everythingShown(of: error as Any).contains("secret-key"))
            #expect(!everythingShown(of: url).contains("secret-key"))
            #expect(!everythingShown(of: client).contains("secret-key"))
        }
    }
}

extension Quote {
    fileprivate var figures: [Decimal?] { [price, open, high, low, previousClose, volume] }
}
