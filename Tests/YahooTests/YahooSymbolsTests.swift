import Brokerage
import Testing
import Upstream
import Yahoo

@Suite("Yahoo's spelling")
struct YahooSymbolsTests {
    private let symbols = YahooSymbols()

    @Test(
        "goes both ways",
        arguments: [
            ("AAPL", "AAPL"), ("BRK.B", "BRK-B"), ("TSCO:XLON", "TSCO.L"), ("BT.A:XLON", "BT-A.L"),
            ("SAP:XETR", "SAP.DE"), ("SHOP:XTSE", "SHOP.TO"), ("BHP:XASX", "BHP.AX"),
            ("0700:XHKG", "0700.HK"),
            ("NOVO.B:XCSE", "NOVO-B.CO"), ("7203:XTKS", "7203.T"), ("NPN:XJSE", "NPN.JO"),
            ("TEVA:XTAE", "TEVA.TA"), ("EUR/USD", "EURUSD=X"), ("USD/JPY", "USDJPY=X"),
            ("BTC/USD", "BTC-USD"),
            ("BAC.PRK", "BAC-PK"), ("M&M:XNSE", "M&M.NS"), ("GC=F", "GC=F"), ("ES=F", "ES=F"),
            ("247540:XKOS", "247540.KQ"), ("PKO:XWAR", "PKO.WA"), ("2222:XSAU", "2222.SR"), ("^SPX", "^GSPC"),
            ("^COMP", "^IXIC"), ("^NDX", "^NDX"), ("^N225", "^N225"),
        ])
    func both(symbol: String, spelling: String) throws {
        let symbol = try #require(Symbol(symbol))
        #expect(symbols.providerSymbol(for: symbol) == spelling)
        #expect(symbols.symbol(for: spelling) == symbol)
    }

    @Test(
        "is none for what it does not have, or would take for something else",
        arguments: ["AAPL:XNAS", "ETH/BTC", "ABC.USD", "^GSPC", "BRK-B", "ABC:XLIM"])
    func none(symbol: String) throws {
        #expect(symbols.providerSymbol(for: try #require(Symbol(symbol))) == nil)
    }

    @Test("of what a dollar costs may be short")
    func short() {
        #expect(symbols.symbol(for: "JPY=X")?.text == "USD/JPY")
    }

    @Test(
        "that is none of its own stands for nothing",
        arguments: [
            "", "^", "^SPX", "=X", "EURUSDT=X", "BTCUSD=X", "gc=F", "TSCO.XYZ", "A.B.L", ".L", "A B",
            "EUR/USD",
        ])
    func foreign(spelling: String) {
        #expect(symbols.symbol(for: spelling) == nil)
    }
}
