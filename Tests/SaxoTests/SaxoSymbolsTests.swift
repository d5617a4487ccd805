import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's symbols")
struct SaxoSymbolsTests {
    @Test(
        "names an instrument by its spelling and AssetType",
        arguments: [
            ("AAPL:xnas", "Stock", "AAPL"), ("BRKb:xnys", "Stock", "BRK.B"), ("SPY:arcx", "Etf", "SPY"),
            ("TSCO:xlon", "Stock", "TSCO:XLON"), ("NOVOb:xcse", "Stock", "NOVO.B:XCSE"),
            ("EURDKK", "FxSpot", "EUR/DKK"), ("AAPL:xnas", "CfdOnStock", "AAPL:XNAS:CfdOnStock"),
            ("EURDKK", "FxForwards", "EURDKK:FxForwards"),
            ("ES Dec26", "ContractFutures", "UIC=77:ContractFutures"),
            ("EURDKK1M", "FxSpot", "UIC=77:FxSpot"), ("SPX.I", "StockIndex", "^SPX"),
            ("NESN:xvtx", "Stock", "NESN:XSWX"), ("NESN:xswx", "Stock", "NESN:XSWX"),
            ("VOLVb:xome", "Stock", "VOLV.B:XSTO"), ("SAN:xmce", "Stock", "SAN:XMAD"),
            ("00700:xhkg", "Stock", "0700:XHKG"), ("BACpK:xnys", "Stock", "BAC.PRK"),
            ("NDX.I", "CfdOnIndex", "NDX.I:CfdOnIndex"),
        ])
    func names(spelling: String, assetType: String, expected: String) {
        let key = SaxoInstrumentKey(uic: 77, assetType: assetType)
        #expect(SaxoSymbols().symbol(of: key, providerSymbol: spelling)?.text == expected)
    }

    @Test("names what has no spelling by its Uic, however long the AssetType is")
    func unnamed() {
        let key = SaxoInstrumentKey(uic: 2_147_483_647, assetType: "CertificateUncappedCapitalProtection")
        #expect(
            SaxoSymbols().symbol(of: key, providerSymbol: nil)?.text == "UIC=2147483647:CertificateUncapp")
    }

    @Test(
        "spells what it has by rule",
        arguments: [
            ("AAPL", "AAPL"), ("BRK.B", "BRKb"), ("TSCO:XLON", "TSCO:xlon"), ("EUR/DKK", "EURDKK"),
            ("AAPL:XNAS:CfdOnStock", "AAPL:xnas"), ("UIC=77:ContractFutures", "77"), ("^SPX", "SPX.I"),
            ("NESN:XSWX", "NESN:xvtx"), ("0700:XHKG", "00700:xhkg"), ("BAC.PRK", "BACpK"),
            ("EURUSD=X", nil), ("GC=F", nil), ("C:EURUSD:", nil), ("EURO/DKK", nil),
        ] as [(String, String?)])
    func spells(text: String, expected: String?) throws {
        #expect(SaxoSymbols().providerSymbol(for: try symbol(text)) == expected)
    }

    @Test(
        "reads back what it spells, for shares and pairs",
        arguments: [
            "AAPL", "BRK.B", "TSCO:XLON", "NOVO.B:XCSE", "EUR/DKK", "A", "BT.A:XLON", "7203:XTKS",
            "NESN:XSWX", "VOLV.B:XSTO", "0700:XHKG", "BAC.PRK",
        ])
    func roundTrip(text: String) throws {
        let symbols = SaxoSymbols()
        let spelling = try #require(symbols.providerSymbol(for: symbol(text)))
        #expect(symbols.symbol(for: spelling)?.text == text)
    }

    @Test(
        "reads a symbol of Portico with an AssetType as it is, and one of its own with one",
        arguments: [
            ("NDX.I:CfdOnIndex", "NDX.I:CfdOnIndex"), ("UIC=23:FxForwards", "UIC=23:FxForwards"),
            ("EURDKK:FxForwards", "EURDKK:FxForwards"), ("AAPL:XNAS:CfdOnStock", "AAPL:XNAS:CfdOnStock"),
            ("AAPL:xnas:CfdOnStock", "AAPL:XNAS:CfdOnStock"), ("AAPL:xnas:Stock", "AAPL"),
            ("EURDKK:FxSpot", "EUR/DKK"), ("SPX.I", "^SPX"), ("SPX.I:StockIndex", "^SPX"),
        ])
    func withAssetType(spelling: String, expected: String) {
        #expect(SaxoSymbols().symbol(for: spelling)?.text == expected)
    }

    @Test("leaves the exchange out for the home exchanges only, in whichever case")
    func home() throws {
        var symbols = SaxoSymbols()
        symbols.homeExchanges = ["xcse"]
        #expect(symbols.symbol(for: "MAERSKb:xcse")?.text == "MAERSK.B")
        #expect(symbols.symbol(for: "AAPL:xnas")?.text == "AAPL:XNAS")
        #expect(
            SaxoSymbolQuery(try symbol("AAPL:XNAS"), in: SaxoSymbols())
                == .share(ticker: "AAPL", market: nil))
    }

    @Test(
        "takes no half of an identity",
        arguments: [
            "UIC=0:Stock", "UIC=x:Stock", "UIC=77", "UIC=77:", "A::B", ":AAPL", "A/B:XLON", "A:B:C:Stock",
        ])
    func refusals(text: String) throws {
        #expect(SaxoSymbolQuery(try symbol(text), in: SaxoSymbols()) == nil)
    }
}
