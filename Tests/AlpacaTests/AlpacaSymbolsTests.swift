import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@testable import Alpaca

@Suite("Alpaca's symbols")
struct AlpacaSymbolsTests {
    private let symbols: any SymbolMapping = AlpacaSymbols()

    @Test(
        "has shares, their classes, options and coins",
        arguments: [
            "AAPL", "BRK.B", "F", "AAPL250620C00100000", "SPXW261218P04000000", "BTC/USD", "ETH/BTC",
            "SHIB/USDT",
        ])
    func spoken(text: String) throws {
        let symbol = try symbol(text)
        #expect(symbols.providerSymbol(for: symbol) == text)
        #expect(symbols.symbol(for: text) == symbol)
    }

    @Test(
        "has no currencies, indices, other exchanges, or symbols of other providers",
        arguments: [
            "EUR/USD", "USD/DKK", "BTC/EUR", "^GSPC", "I:SPX", "TSCO:XLON", "BRK-B", "aapl", "EURUSD=X",
            "BTC/", "/USD",
            "A.B.C", "AAPL250620X00100000", "XAU/USD",
        ])
    func foreign(text: String) throws {
        #expect(try symbols.providerSymbol(for: symbol(text)) == nil)
        #expect(symbols.symbol(for: text) == nil)
    }

    @Test(
        "puts the slash into a pair that has none",
        arguments: [
            ("BTCUSD", "BTC/USD"), ("ETHUSDT", "ETH/USDT"), ("SHIBUSDC", "SHIB/USDC"), ("ETHBTC", "ETH/BTC"),
            ("USDTUSD", "USDT/USD"),
        ])
    func joined(text: String, expected: String) {
        #expect(symbols.symbol(for: text)?.text == expected)
    }

    @Test("takes what is said to be a share for one, whatever its name looks like")
    func byClass() throws {
        let text = try symbol("BTCUSD")
        #expect(AlpacaSymbols.symbol(text, ofClass: "us_equity").text == "BTCUSD")
        #expect(AlpacaSymbols.symbol(text, ofClass: "crypto").text == "BTC/USD")
        #expect(AlpacaSymbols.symbol(text, ofClass: nil).text == "BTC/USD")
        #expect(AlpacaSymbols.symbol(try symbol("FI111225"), ofClass: nil).text == "FI111225")
    }

    @Test("is spoken by positions in coins")
    func position() throws {
        let body = try example("position")
            .replacing(#""symbol":"AAPL""#, with: #""symbol":"BTCUSD""#)
            .replacing(#""asset_class":"us_equity""#, with: #""asset_class":"crypto""#)
        #expect(try AlpacaPosition(json: body).symbol.text == "BTC/USD")
    }
}
