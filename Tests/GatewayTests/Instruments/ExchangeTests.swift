import Alpaca
import AlphaVantage
import Brokerage
import Polygon
import Saxo
import Testing
import Upstream
import Yahoo

@Suite("The table of exchanges")
struct ExchangeTests {
    /// A listing of each of the 60 largest exchanges, with Yahoo's symbol if Yahoo has it.
    static let listings: [(symbol: String, exchange: String, yahoo: String?)] = [
        ("AAPL", "XNAS", "AAPL"), ("BRK.B", "XNYS", "BRK-B"), ("SPY", "ARCX", "SPY"), ("IMO", "XASE", "IMO"),
        ("CBOE", "BATS", "CBOE"), ("600519:XSHG", "XSHG", "600519.SS"), ("7203:XTKS", "XTKS", "7203.T"),
        ("000858:XSHE", "XSHE", "000858.SZ"), ("0700:XHKG", "XHKG", "0700.HK"),
        ("M&M:XNSE", "XNSE", "M&M.NS"),
        ("RELIANCE:XBOM", "XBOM", "RELIANCE.BO"), ("MC:XPAR", "XPAR", "MC.PA"),
        ("ASML:XAMS", "XAMS", "ASML.AS"),
        ("ABI:XBRU", "XBRU", "ABI.BR"), ("EDP:XLIS", "XLIS", "EDP.LS"), ("RYA:XDUB", "XDUB", "RYA.IR"),
        ("EQNR:XOSL", "XOSL", "EQNR.OL"), ("SWDA:XMIL", "XMIL", "SWDA.MI"), ("SHOP:XTSE", "XTSE", "SHOP.TO"),
        ("ABC:XTSX", "XTSX", "ABC.V"), ("2222:XSAU", "XSAU", "2222.SR"), ("SAP:XETR", "XETR", "SAP.DE"),
        ("SAP:XFRA", "XFRA", "SAP.F"), ("SAP:XSTU", "XSTU", "SAP.SG"), ("TSCO:XLON", "XLON", "TSCO.L"),
        ("005930:XKRX", "XKRX", "005930.KS"), ("247540:XKOS", "XKOS", "247540.KQ"),
        ("2330:XTAI", "XTAI", "2330.TW"), ("5483:ROCO", "ROCO", "5483.TWO"), ("NESN:XSWX", "XSWX", "NESN.SW"),
        ("VOLV.B:XSTO", "XSTO", "VOLV-B.ST"), ("NOVO.B:XCSE", "XCSE", "NOVO-B.CO"),
        ("NOKIA:XHEL", "XHEL", "NOKIA.HE"), ("MAREL:XICE", "XICE", "MAREL.IC"),
        ("BHP:XASX", "XASX", "BHP.AX"),
        ("NPN:XJSE", "XJSE", "NPN.JO"), ("PETR4:BVMF", "BVMF", "PETR4.SA"), ("SAN:XMAD", "XMAD", "SAN.MC"),
        ("D05:XSES", "XSES", "D05.SI"), ("PTT:XBKK", "XBKK", "PTT.BK"), ("BBCA:XIDX", "XIDX", "BBCA.JK"),
        ("1155:XKLS", "XKLS", "1155.KL"), ("WALMEX:XMEX", "XMEX", "WALMEX.MX"), ("SM:XPHS", "XPHS", "SM.PS"),
        ("TEVA:XTAE", "XTAE", "TEVA.TA"), ("IHC:XADS", "XADS", nil), ("EMAAR:XDFM", "XDFM", "EMAAR.AE"),
        ("QNBK:DSMD", "DSMD", "QNBK.QA"), ("KFH:XKUW", "XKUW", "KFH.KW"), ("THYAO:XIST", "XIST", "THYAO.IS"),
        ("PKO:XWAR", "XWAR", "PKO.WA"), ("VOE:XWBO", "XWBO", "VOE.VI"), ("CEZ:XPRA", "XPRA", "CEZ.PR"),
        ("OTP:XBUD", "XBUD", "OTP.BD"), ("OPAP:ASEX", "ASEX", "OPAP.AT"), ("SBER:MISX", "MISX", "SBER.ME"),
        ("FALABELLA:XSGO", "XSGO", "FALABELLA.SN"), ("YPFD:XBUE", "XBUE", "YPFD.BA"),
        ("ECOPETROL:XBOG", "XBOG", "ECOPETROL.CL"), ("FPH:XNZE", "XNZE", "FPH.NZ"),
        ("VNM:XSTC", "XSTC", "VNM.VN"),
        ("COMI:XCAI", "XCAI", "COMI.CA"),
    ]

    private static let mappings: [(name: String, mapping: any SymbolMapping)] = [
        ("alpaca", AlpacaSymbols()), ("saxo", SaxoSymbols()), ("alpha-vantage", AlphaVantageSymbols()),
        ("yahoo", YahooSymbols()), ("polygon", PolygonSymbols()),
    ]

    @Test("has 60 exchanges or more in this test, each once")
    func count() {
        #expect(Self.listings.count >= 60)
        #expect(Set(Self.listings.map(\.exchange)).count == Self.listings.count)
    }

    @Test(
        "converts a listing of each large exchange to each provider that has it, and back",
        arguments: listings)
    func roundTrip(_ listing: (symbol: String, exchange: String, yahoo: String?)) throws {
        let symbol = try #require(Symbol(typed: listing.symbol))
        let exchange = try #require(Exchange(code: listing.exchange))
        #expect(symbol.text == listing.symbol)
        var count = 0
        for (name, mapping) in Self.mappings {
            guard let spelling = mapping.providerSymbol(for: symbol) else { continue }
            #expect(mapping.symbol(for: spelling) == symbol, "\(name): \(spelling)")
            count += 1
        }
        #expect(YahooSymbols().providerSymbol(for: symbol) == listing.yahoo)
        // Saxo has every exchange; the United States have no market in symbols, so that all providers have them.
        #expect(SaxoSymbols().providerSymbol(for: symbol) != nil)
        #expect(exchange.isAmerican ? count == Self.mappings.count : count >= (listing.yahoo == nil ? 1 : 2))
        #expect(symbol.text.hasSuffix(":\(exchange.code)") != exchange.isAmerican)
    }

    @Test("has each code and suffix of a provider once, and codes of four characters in order")
    func table() {
        let all = Exchange.all
        #expect(all.map(\.code) == all.map(\.code).sorted())
        #expect(all.allSatisfy { $0.code.utf8.count == 4 && Country($0.country)?.code == $0.country })
        for names in [
            all.map(\.code), all.compactMap(\.yahooSuffix), all.compactMap(\.alphaVantageSuffix),
            all.flatMap(\.saxoCodes),
        ] {
            #expect(Set(names).count == names.count)
        }
    }
}
