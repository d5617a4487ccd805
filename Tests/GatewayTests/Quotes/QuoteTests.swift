import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Quotes")
struct QuoteTests {
    private func ask(
        _ symbols: [String], _ gateway: TestGateway, selecting fields: String = "symbol price"
    ) async throws -> JSONValue {
        let list = symbols.map { "\"\($0)\"" }.joined(separator: ", ")
        return try await gateway.ask(
            "{ quotes(symbols: [\(list)]) { \(fields) } }", as: nil, gateway.backends([]))
    }

    /// Symbols such as a share could have, and none has.
    private func unknownSymbols(_ count: Int) -> [String] {
        (0..<count).map { number in
            "QQ"
                + [number / 26, number % 26].map { String(UnicodeScalar(UInt8(ascii: "A") + UInt8($0))) }
                .joined()
        }
    }

    @Test(
        "are in the order of the request, with duplicates; an unknown symbol is null with its path; in one call"
    )
    func order() async throws {
        try await withGateway { gateway in
            let answer = try await ask(["MSFT", "NOSUCH", "AAPL", "MSFT", "NOSUCH", "BRK.B"], gateway)
            let quotes = try #require(answer["data"]?["quotes"]?.elements)
            #expect(quotes.map { $0["symbol"]?.string } == ["MSFT", nil, "AAPL", "MSFT", nil, "BRK.B"])
            #expect(quotes[0] == quotes[3])
            #expect(
                answer.failures == [
                    FieldFailure("quotes.1", "NOT_FOUND"), FieldFailure("quotes.4", "NOT_FOUND"),
                ])
            #expect(answer["errors"]?[0]?["message"] == "alpaca knows no symbol \"NOSUCH\".")
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
        }
    }

    @Test("symbols that cannot exist cost no call, and do not affect others")
    func malformed() async throws {
        try await withGateway { gateway in
            let answer = try await ask(["X1", "X2", "AAPL", "A.B.C", "a_b", "X.", ".X"], gateway)
            #expect(answer["data"]?["quotes"]?[2]?["symbol"] == "AAPL")
            #expect(
                answer.failures == [0, 1, 3, 4, 5, 6].map { FieldFailure("quotes.\($0)", "NOT_FOUND") })
            #expect(answer["errors"]?[0]?["message"] == "alpaca cannot have any symbol \"X1\".")
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
        }
    }

    @Test("200 symbols take one call; 201 are rejected without a call")
    func most() async throws {
        try await withGateway { gateway in
            let answer = try await ask(unknownSymbols(200), gateway)
            #expect(answer["data"]?["quotes"]?.elements?.count == 200)
            #expect(answer.failures == (0..<200).map { FieldFailure("quotes.\($0)", "NOT_FOUND") })
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
            let tooMany = try await ask(unknownSymbols(201), gateway)
            #expect(tooMany.failures == [FieldFailure("quotes", "BAD_USER_INPUT", nil)])
            #expect(
                tooMany["errors"]?[0]?["message"]
                    == "Argument \"symbols\": It has 201 entries; at most 200 are allowed.")
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
        }
    }

    @Test(
        "a text that is not a symbol is rejected with the name of the argument",
        arguments: ["", "A B", "A,B", "A?feed=sip", "ÄÖÜ", String(repeating: "A", count: 33), "../account"])
    func badSymbol(text: String) async throws {
        try await withGateway { gateway in
            let answer = try await ask(["AAPL", text], gateway)
            // A slash may stand in a symbol; that Alpaca has none with it is another matter.
            guard text != "../account" else {
                #expect(answer.failures == [FieldFailure("quotes.1", "NOT_FOUND")])
                return
            }
            #expect(answer.failures == [FieldFailure("quotes.1", "BAD_USER_INPUT", nil)])
            #expect(answer["data"]?["quotes"]?[0]?["symbol"] == "AAPL")
            let message = try #require(answer["errors"]?[0]?["message"]?.string)
            #expect(
                message.hasPrefix("Argument \"symbols[1]\": \"\(text.prefix(40))\" is not a symbol"),
                "\(message)")
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "symbols[1]")
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
        }
    }

    @Test("from a provider without quotes are UNSUPPORTED")
    func unsupported() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                "{ quotes(symbols: [\"AAPL\", \"KO\"], provider: \"yahoo\") { price } }", as: nil,
                gateway.backends([]))
            #expect(
                answer.failures == [
                    FieldFailure("quotes.0", "UNSUPPORTED", "yahoo"),
                    FieldFailure("quotes.1", "UNSUPPORTED", "yahoo"),
                ])
            #expect(gateway.calls.isEmpty)
        }
    }

    @Test("in several fields of one operation take one call")
    func shared() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                """
                { positions { quote { price } again: quote { bid } }
                  account { positions { symbol quote { price } } } }
                """, as: alice, backends)
            #expect(answer.failures.isEmpty)
            #expect(gateway.calls["GET /v2/stocks/snapshots"] == 1)
            #expect(gateway.calls["GET /v2/positions"] == 1)
        }
    }

    @Test("may have null sides without an error")
    func noOffer() async throws {
        try await withGateway { gateway in
            gateway.sandbox.script = MarketScript(unpriced: ["AAPL"])
            let answer = try await ask(["AAPL", "KO"], gateway, selecting: "symbol bid ask change")
            #expect(answer.failures.isEmpty)
            #expect(answer["data"]?["quotes"]?[1]?["bid"]?.string != nil)
            let unpriced = answer["data"]?["quotes"]?[0]
            #expect(unpriced == .null || unpriced?["bid"] == .null, "\(answer)")
        }
    }
}
