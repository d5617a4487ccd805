import Brokerage
import ProviderFile
import Testing

@Suite("A provider file")
struct ReaderTests {
    private func problems(_ text: String) -> [String] {
        do throws(FileProblems) {
            _ = try ProviderFile(text, file: "p.yaml")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    /// A text with an error in one provider, and the errors.
    struct Case: CustomTestStringConvertible {
        let name: String
        let text: String
        let problems: [String]

        init(_ name: String, _ text: String, _ problems: String...) {
            (self.name, self.text, self.problems) = (name, text, problems)
        }

        var testDescription: String { name }
    }

    @Test("of the documentation has no errors")
    func documentation() throws {
        let file = try ProviderFile(repositoryText("docs/examples/polygon.yaml"), file: "polygon.yaml")
        #expect(file.providers.map(\.id.name.text) == ["polygon-file"])
        #expect(file.providers[0].capabilities == [.charts, .instruments, .news])
    }

    @Test(
        "that is no file of this kind has one error",
        arguments: [
            Case("empty", "", #"p.yaml:1:1: The file is empty. It needs "version" and "providers"."#),
            Case(
                "not YAML", "version: 1\nproviders: [",
                "p.yaml:3:1: The text is neither YAML nor JSON: did not find expected node content."),
            Case(
                "a key twice", "version: 1\nversion: 1\n",
                "p.yaml:1:1: The object has a key twice: version. Remove one of them."),
            Case(
                "a list", "[]",
                "p.yaml:1:1: It is a list; it must be an object. A provider file of Portico."),
        ])
    func malformed(_ example: Case) {
        #expect(problems(example.text) == example.problems)
    }

    @Test("that is deep or large is refused before it takes memory")
    func limits() {
        let deep = "version: " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(problems(deep) == ["p.yaml:1:42: Values are nested deeper than 32."])
        var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...8 {
            let references = String(repeating: "*a\(level - 1), ", count: 10).dropLast(2)
            bomb += "a\(level): &a\(level) [\(references)]\n"
        }
        let found = problems(bomb)
        #expect(found.count == 1)
        #expect(
            found.first?.hasSuffix("The file has more than 50000 values, those of aliases included.") == true)
        #expect(
            problems(String(repeating: "# long\n", count: 200_000)) == [
                "p.yaml:1:1: The file has more than 1048576 bytes. Split it."
            ])
    }

    /// A file with every kind of error.
    private static let faulty = """
        version: 2
        colour: red
        providers:
          - name: Polygon
            url: http://api.example.com
            key: { query: q, prefix: x }
            quotas: [{ name: minute, calls: 0, seconds: 60, day: NEW_YORK }]
            symbols:
              - { kind: LISTING, text: "{ticker", currency: usd }
              - { kind: FX, text: "{base}" }
              - { kind: MARKET, text: "{ticker}.L" }
            routes: { news: 1, fundamentals: 2 }
            errors:
              - { cause: BROKEN }
              - { contains: key, status: 200, cause: NOT_FOUND, retryAfterSeconds: 5 }
            quotes:
              path: /quote/{ticker}
              symbolsPerCall: 5
              fields:
                price: { path: "a..b", times: much }
                bid: a[x]
                ask: { path: c, date: SECONDS }
                open: { times: 2 }
                marketState: { path: d, choices: { o: OPENED } }
                high: 5
            charts:
              path: v1/candles
              intervals: { ONE_DAY: 1d, TWO_DAYS: 2d }
              fields: { time: t, open: o, high: h, low: l }
          - name: polygon
            url: not an address
            symbols: []
          - name: same
            url: https://api.example.com/?a=b
            symbols: [{ kind: LISTING, text: "{ticker}" }]
            charts:
              path: /v1/candles/{symbol}
              query: { from: "{from}" }
              pages: 3
              intervals: { ONE_DAY: { step: 1 }, ONE_WEEK: 1w }
              fields: { time: t, open: o, high: h, low: l, close: c }
            search:
              path: /v1//search
          - name: same
            url: https://api.example.com
            symbols: [{ kind: LISTING, text: "{ticker}" }]
            news:
              path: /v1/news?x=1
              nextQuery: { page: 1 }
              fields:
                id: id
                headline: h
                url: u
                publisher: { value: The Example }
                publishedAt: { path: at, date: DATE }
          - name: keys
            url: https://api.example.com
            key: { header: Host }
            quotas: [{ name: a, calls: 20000000, seconds: 1 }, { name: a, calls: 1 }]
            symbols:
              - { kind: LISTING, text: "{ticker}", market: XLON }
              - { kind: LISTING, text: "{ticker}" }
              - { kind: MARKET, text: "" , market: XLON }
              - { kind: INDEX, text: "{name}" }
              - { kind: CRYPTO, text: "{base}{quote}" }
              - { kind: FX, text: "{base}{quote}" }
            routes: {}
            errors: [{ cause: NOT_FOUND, contains: "" }]
            quotes:
              path: /quote/{symbols}
              query: { q: "{symbols",
                a0: 1, a1: 1, a2: 1, a3: 1, a4: 1, a5: 1, a6: 1, a7: 1, a8: 1, a9: 1, b0: 1, b1: 1, b2: 1, b3: 1, b4: 1,
                b5: 1, b6: 1, b7: 1, b8: 1, b9: 1, c0: 1, c1: 1, c2: 1, c3: 1, c4: 1, c5: 1, c6: 1, c7: 1, c8: 1, c9: 1 }
              symbolsPerCall: 5
              keyed: true
              fields:
                symbol: s
                price: "['a"
                bid: a[0]b
                ask: a]
                high: "['']"
                low: { path: l, times: 1e999 }
                marketState: { path: d, otherwise: OPEN }
                open: { path: o, date: DATE }
          - name: prefixes
            url: https://api.example.com
            key: { header: Authorization, prefix: "Zugangsschlüssel: " }
            symbols: [{ kind: LISTING, text: "{ticker}" }]
            quotes:
              path: /quote/{symbol}
              fields:
                price: p
                marketState: { value: OPENED }
            news:
              path: /news
              nextItem: cursor
              fields:
                id: id
                headline: h
                url: u
                publisher: p
                publishedAt: { path: at, date: SECONDS }
          - name: long
            url: https://api.example.com
            key: { header: Authorization, prefix: "A prefix that is too long " }
            symbols: [{ kind: LISTING, text: "{ticker}" }, { kind: LISTING, text: "{ticker}.US" }]
            quotes:
              path: /quote/{symbol}
              fields: { price: p }
        """

    @Test("reports all errors at once, with line and column")
    func everyError() throws {
        let expected = try repositoryText("Tests/Golden/provider-files/faulty.txt")
        #expect(problems(Self.faulty) == expected.split(separator: "\n").map(String.init))
    }

    @Test("reports the errors of members beside a member that has an error")
    func errorsBesideErrors() {
        let text = """
            version: 1
            providers:
              - name: acme
                url: https://api.example.com
                symbols: [{ kind: LISTNG, text: "{ticker" }]
                errors: [{ cause: BROKEN, path: a..b }]
                quotes:
                  path: quotes
                  query: { symbol: "{symbol" }
                  items: data..quotes
                  status: { path: "a[x]" }
                  fields: { price: p }
                charts:
                  path: //candles
                  query: { symbol: "{symbol" }
                  items: data..candles
                  intervals: { ONE_DAY: 1d }
                  fields: { time: t, open: o, high: h, low: l, close: c }
            """
        let places = problems(text).map { problem in
            problem.split(separator: ":", maxSplits: 4).dropFirst(1).prefix(3).joined(separator: ":")
        }
        #expect(
            places == [
                "5:23: providers[0].symbols[0].kind", "5:37: providers[0].symbols[0].text",
                "6:23: providers[0].errors[0].cause", "6:37: providers[0].errors[0].path",
                "8:13: providers[0].quotes.path", "9:24: providers[0].quotes.query.symbol",
                "10:14: providers[0].quotes.items", "11:15: providers[0].quotes.status",
                "11:23: providers[0].quotes.status.path",
                "14:13: providers[0].charts.path", "15:24: providers[0].charts.query.symbol",
                "16:14: providers[0].charts.items",
            ], "\(problems(text))")
    }

    @Test("may be JSON")
    func json() throws {
        let file = try ProviderFile(
            """
            {"version": 1, "providers": [{"name": "acme", "url": "https://api.example.com",
              "symbols": [{"kind": "LISTING", "text": "{ticker}"}],
              "quotes": {"path": "/quote", "query": {"symbol": "{symbol}"}, "fields": {"price": "price"}}}]}
            """, file: "p.json")
        #expect(file.providers.map(\.name.text) == ["acme"])
        #expect(file.providers[0].capabilities == [.quotes])
        #expect(!file.providers[0].needsKey)
    }

    @Test("may have a base address without https on this machine only")
    func loopback() {
        func text(_ url: String) -> String {
            """
            version: 1
            providers:
              - name: acme
                url: \(url)
                symbols: [{ kind: LISTING, text: "{ticker}" }]
                quotes: { path: "/{symbol}", fields: { price: p } }
            """
        }
        for url in [
            "https://api.example.com", "http://127.0.0.1:9000/x", "http://localhost", "http://[::1]:80",
        ] {
            #expect(problems(text(url)).isEmpty, "\(url)")
        }
        #expect(
            problems(text("http://10.0.0.1")) == [
                "p.yaml:4:10: providers[0].url: It would send the key and the requests in clear text. Use https."
            ])
    }
}
