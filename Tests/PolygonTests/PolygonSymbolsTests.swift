import Brokerage
import Polygon
import Testing
import Upstream

@Suite("Polygon's spelling")
struct PolygonSymbolsTests {
    private let symbols = PolygonSymbols()

    @Test(
        "goes both ways",
        arguments: [
            ("AAPL", "AAPL"), ("BRK.B", "BRK.B"), ("BAC.PRB", "BACpB"), ("EUR/USD", "C:EURUSD"),
            ("XAU/USD", "C:XAUUSD"), ("BTC/USD", "X:BTCUSD"), ("DOGE/EUR", "X:DOGEEUR"), ("^SPX", "I:SPX"),
        ])
    func both(symbol: String, spelling: String) throws {
        let symbol = try #require(Symbol(symbol))
        #expect(symbols.providerSymbol(for: symbol) == spelling)
        #expect(symbols.symbol(for: spelling) == symbol)
    }

    @Test("is none for what it does not have", arguments: ["TSCO:XLON", "ETH/BTC", "BRK-B", "EURUSD=X"])
    func none(symbol: String) throws {
        #expect(symbols.providerSymbol(for: try #require(Symbol(symbol))) == nil)
    }

    @Test(
        "that is none of its own stands for nothing",
        arguments: [
            "", ":", "C:", "C:EUR", "C:EURUSDT", "C:BTCUSD", "X:USD", "X:ETHBTC", "X:EURUSD", "I:", "I:S P",
            "O:AAPL261218C00200000", "BRK-B", "A B", "c:EURUSD",
        ])
    func foreign(spelling: String) {
        #expect(symbols.symbol(for: spelling) == nil)
    }
}
