import AlphaVantage
import Brokerage
import Testing
import Upstream

@Suite("Alpha Vantage's spelling")
struct AlphaVantageSymbolsTests {
    private let symbols = AlphaVantageSymbols()

    @Test(
        "goes both ways",
        arguments: [
            ("IBM", "IBM"), ("BRK.B", "BRK-B"), ("BAC.PRK", "BAC-P-K"), ("ABR.PRD", "ABR-P-D"),
            ("AAC.WS", "AAC-WS"), ("AAC.U", "AAC-U"), ("TSCO:XLON", "TSCO.LON"), ("BT.A:XLON", "BT-A.LON"),
            ("SHOP:XTSE", "SHOP.TRT"), ("GPV:XTSX", "GPV.TRV"), ("MBG:XETR", "MBG.DEX"),
            ("RELIANCE:XBOM", "RELIANCE.BSE"), ("600104:XSHG", "600104.SHH"), ("000002:XSHE", "000002.SHZ"),
            ("PETR4:BVMF", "PETR4.SAO"), ("AIR:XPAR", "AIR.PAR"), ("ASML:XAMS", "ASML.AMS"),
            ("TL0:XFRA", "TL0.FRK"),
        ])
    func both(symbol: String, spelling: String) throws {
        let symbol = try #require(Symbol(symbol))
        #expect(symbols.providerSymbol(for: symbol) == spelling)
        #expect(symbols.symbol(for: spelling) == symbol)
    }

    @Test(
        "is none for what it has no listing of",
        arguments: ["EUR/DKK", "BTC/USD", "^SPX", "VOD:XJSE", "BRK-B"])
    func none(symbol: String) throws {
        #expect(symbols.providerSymbol(for: try #require(Symbol(symbol))) == nil)
    }

    @Test("with a dot for a class is understood", arguments: [("BRK.B", "BRK.B"), ("BRK-B", "BRK.B")])
    func lenient(spelling: String, symbol: String) {
        #expect(symbols.symbol(for: spelling)?.text == symbol)
    }

    @Test(
        "that is none of its own stands for nothing",
        arguments: ["", ".", "TSCO.", "TSCO.XYZ", "A.B.LON", ".LON", "EUR/USD", "^GSPC", "A B", "IBM\n"])
    func foreign(spelling: String) {
        #expect(symbols.symbol(for: spelling) == nil)
    }

    @Test(
        "tells the unit of prices where the exchange has one only",
        arguments: [
            ("IBM", "USD"), ("MBG:XETR", "EUR"), ("600104:XSHG", "CNY"), ("TSCO:XLON", nil),
            ("SHOP:XTSE", nil),
        ] as [(String, String?)])
    func units(symbol: String, currency: String?) throws {
        #expect(symbols.unit(of: try #require(Symbol(symbol)))?.currency == currency)
    }
}
