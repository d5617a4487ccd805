import Brokerage
import Testing

@Suite("A symbol's form")
struct SymbolKindTests {
    @Test(
        "is told by its spelling, and makes the same spelling again",
        arguments: [
            ("AAPL", SymbolKind.listing(ticker: "AAPL", market: nil)),
            ("BRK.B", .listing(ticker: "BRK.B", market: nil)),
            ("BACpB", .listing(ticker: "BACpB", market: nil)),
            ("TSCO:XLON", .listing(ticker: "TSCO", market: "XLON")),
            ("600104:XSHG", .listing(ticker: "600104", market: "XSHG")),
            ("EUR/DKK", .currencies(base: "EUR", quote: "DKK")),
            ("XAU/USD", .currencies(base: "XAU", quote: "USD")),
            ("BTC/USD", .crypto(base: "BTC", quote: "USD")),
            ("USD/BTC", .crypto(base: "USD", quote: "BTC")),
            ("^SPX", .index("SPX")), ("GC=F", .future("GC")),
            ("M&M:XNSE", .listing(ticker: "M&M", market: "XNSE")),
        ])
    func forms(text: String, form: SymbolKind) throws {
        let symbol = try #require(Symbol(text))
        #expect(SymbolKind(symbol) == form)
        #expect(form.symbol == symbol)
    }

    @Test(
        "is none where the spelling is somebody else's",
        arguments: [
            "BRK-B", "EURUSD=X", "I:SPX", "C:EURUSD", "TSCO:lon", "TSCO:LON", "A:B:XLON", "EUR/USD/DKK",
            "/USD", "eur/usd", "^", "^S.P", ".", "A.", "A..B", "=F", "gc=F", "&", ":XLON",
        ])
    func none(text: String) throws {
        let symbol = try #require(Symbol(text))
        #expect(SymbolKind(symbol) == nil)
    }

    @Test("makes no symbol of parts that would be read as something else")
    func parts() {
        #expect(SymbolKind.listing(ticker: "EUR/USD", market: nil).symbol == nil)
        #expect(SymbolKind.listing(ticker: "", market: "XLON").symbol == nil)
        #expect(SymbolKind.currencies(base: "BTC", quote: "USD").symbol == nil)
        #expect(SymbolKind.index(String(repeating: "A", count: 32)).symbol == nil)
    }
}

@Suite("A unit of prices")
struct PriceUnitTests {
    @Test(
        "is a currency, or a hundredth of one",
        arguments: [
            ("USD", "227.45", "USD", "227.45"), ("GBX", "391.2000", "GBP", "3.912000"),
            ("GBp", "0.5", "GBP", "0.005"), ("ILA", "12345", "ILS", "123.45"), ("ZAc", "1", "ZAR", "0.01"),
            ("GBX", "-1e-36", "GBP", "-0.00000000000000000000000000000000000001"),
            ("GBX", "1.00000000000000000000000000000000000000", "GBP", "0.01"),
        ])
    func units(name: String, price: String, currency: String, amount: String) throws {
        let unit = try #require(PriceUnit(name))
        #expect(unit.currency == currency)
        #expect(try unit.amount(#require(Decimal(price))).description == amount)
    }

    @Test("is not what has no name of a currency", arguments: ["", "usd", "US Dollar", "GB", "E1R", "EURO"])
    func none(name: String) {
        #expect(PriceUnit(name) == nil)
    }

    @Test("loses no digit: what does not fit is refused")
    func overflow() throws {
        let price = try #require(Decimal(coefficient: 1, scale: 38))
        #expect(throws: Decimal.Overflow.self) { try PriceUnit("GBX")?.amount(price) }
    }
}

@Suite("An interval")
struct IntervalTests {
    @Test(
        "begins on a day of its own, and is so long",
        arguments: [
            (Interval.oneMinute, "2026-11-20", "2026-11-20", 60),
            (.oneDay, "2026-11-20", "2026-11-20", 86_400),
            (.oneWeek, "2026-11-20", "2026-11-16", 604_800), (.oneWeek, "2026-11-16", "2026-11-16", 604_800),
            (.oneWeek, "2026-11-15", "2026-11-09", 604_800),
            (.oneMonth, "2026-11-20", "2026-11-01", 2_592_000),
            (.oneMonth, "2024-02-29", "2024-02-01", 2_505_600),
        ])
    func table(interval: Interval, day: String, first: String, seconds: Int64) throws {
        let date = try #require(CalendarDate(day))
        #expect(interval.firstDay(around: date).description == first)
        #expect(interval.length(on: date) == seconds)
    }

    @Test("of a day and more holds a trading day whole")
    func intraday() {
        #expect(Interval.allCases.filter { !$0.isIntraday } == [.oneDay, .oneWeek, .oneMonth])
    }
}

@Suite("A currency")
struct FiatCurrencyTests {
    @Test("is not a text that is canonically equivalent to its code")
    func equivalence() {
        #expect("D\u{212A}K" == "DKK", "Swift's strings are equal")
        #expect(FiatCurrency.isCode("DKK"))
        #expect(!FiatCurrency.isCode("D\u{212A}K"))
    }
}
