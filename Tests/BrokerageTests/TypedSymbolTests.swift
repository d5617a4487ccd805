import Brokerage
import Testing

@Suite("A symbol as people type it")
struct TypedSymbolTests {
    @Test(
        "has Portico's form where it means one instrument only",
        arguments: [
            ("aapl", "AAPL"), ("Aapl", "AAPL"), ("AAPL:XNAS", "AAPL"), ("aapl:xnas", "AAPL"),
            ("AAPL:xnas", "AAPL"), ("brk-b", "BRK.B"), ("BRK-B", "BRK.B"), ("brk.b", "BRK.B"),
            ("BRKb:xnys", "BRK.B"), ("BAC-PK", "BAC.PRK"), ("BACpK", "BAC.PRK"), ("^GSPC", "^SPX"),
            ("^gspc", "^SPX"), ("^ndx", "^NDX"), ("0700.HK", "0700:XHKG"), ("700.HK", "0700:XHKG"),
            ("00700:xhkg", "0700:XHKG"), ("700:XHKG", "0700:XHKG"), ("7203.T", "7203:XTKS"),
            ("SWDA.MI", "SWDA:XMIL"), ("swda.mi", "SWDA:XMIL"), ("swda:xmil", "SWDA:XMIL"),
            ("M&M.NS", "M&M:XNSE"), ("m&m.ns", "M&M:XNSE"), ("NOVO-B.CO", "NOVO.B:XCSE"),
            ("NOVOb:xcse", "NOVO.B:XCSE"), ("BT-A.L", "BT.A:XLON"), ("TSCO.LON", "TSCO:XLON"),
            ("NESN:xvtx", "NESN:XSWX"), ("VOLVb:xome", "VOLV.B:XSTO"), ("EURUSD", "EUR/USD"),
            ("eurusd", "EUR/USD"), ("EURUSD=X", "EUR/USD"), ("JPY=X", "USD/JPY"), ("eur/usd", "EUR/USD"),
            ("EUR-USD", "EUR/USD"), ("BTC-USD", "BTC/USD"), ("BTCUSD", "BTC/USD"), ("ETHUSDT", "ETH/USDT"),
            ("gc=f", "GC=F"),
        ])
    func forms(text: String, expected: String) {
        #expect(Symbol(typed: text)?.text == expected)
    }

    @Test(
        "is unchanged in Portico's form, in that of one provider's other instruments, and where it could mean two",
        arguments: [
            "AAPL", "A", "GOOGL", "BRK.B", "BAC.PRK", "ABC.WS", "TSCO:XLON", "0700:XHKG", "M&M:XNSE",
            "EUR/USD",
            "BTC/USD", "ETH/BTC", "^SPX", "GC=F", "AAPL250620C00100000", "NDX.I:CfdOnIndex", "XYZ:Bond",
            "AAPL:XNAS:CfdOnStock", "UIC=77:ContractFutures", "EURDKK:FxForwards", "VOD.L", "MKC.V", "ABC.PR",
            "C:EURUSD", "US0378331005", "A.B.C", "X.", ".X", "foo_bar",
        ])
    func unchanged(text: String) {
        #expect(Symbol(typed: text)?.text == text)
    }

    @Test(
        "that could mean two instruments has the other one as its alternative",
        arguments: [
            ("VOD.L", "VOD:XLON"), ("vod.l", "VOD:XLON"), ("MKC.V", "MKC:XTSX"), ("CEZ.PR", "CEZ:XPRA"),
            ("BRK.B", nil), ("AAPL", nil), ("TSCO:XLON", nil), ("EUR/USD", nil), ("BTC/USD", nil),
            ("BRK/B", "BRK.B"), ("brk/b", "BRK.B"), ("BAC/PRK", "BAC.PRK"), ("ETH/BTC", nil),
            ("SPX", "^SPX"), ("spx", "^SPX"), ("GSPC", "^SPX"), ("NDX", "^NDX"), ("^SPX", nil),
            ("AAPL.US", "AAPL"), ("aapl.us", "AAPL"), ("BRK.B.US", "BRK.B"), ("BRK-B.US", "BRK.B"),
            ("NASDAQ:AAPL", "AAPL"), ("NYSE:KO", "KO"), ("nyse:brk.b", "BRK.B"), ("XNYS:KO", "KO"),
            ("LSE:TSCO", nil), ("NASDAQ:", nil), ("KO:NYSE", nil), ("US", nil), (".US", nil),
        ] as [(String, String?)])
    func alternatives(text: String, expected: String?) {
        #expect(Symbol(typed: text)?.alternative?.text == expected)
    }

    @Test("is the same when it is read again, whatever it is made of")
    func again() throws {
        let tickers = [
            "A", "aapl", "BRK-B", "BACpK", "700", "M&M", "EUR", "BTC", "XAU", "abc.d", "x-USD", "UIC=7",
        ]
        let ends = [
            "", ".L", ".HK", ".MI", "=X", "=F", "USD", "-USD", "/EUR", ":XLON", ":xome", ":CfdOnStock",
            ".PRK",
        ]
        for ticker in tickers {
            for start in ["", "^", "EUR", "."] {
                for end in ends {
                    let text = start + ticker + end
                    guard let symbol = Symbol(typed: text) else { continue }
                    #expect(Symbol(typed: symbol.text) == symbol, "\(text)")
                }
            }
        }
    }

    @Test(
        "that is no symbol suggests the one without white space and signs",
        arguments: [
            (" msft", "MSFT"), ("$AAPL", "AAPL"), ("0700 .HK", "0700:XHKG"), ("ÄÖÜ", nil), ("", nil),
            ("BRK B", "BRK.B"), (" brk  b ", "BRK.B"), ("BAC PRK", "BAC.PRK"), ("EUR USD", "EUR/USD"),
            ("BRK B C", nil), ("TSCO LN", nil),
        ] as [(String, String?)])
    func suggestions(text: String, expected: String?) {
        #expect(Symbol(typed: text) == nil)
        #expect(Symbol(suggestedBy: text)?.text == expected)
    }

    @Test(
        "is looked up by a search only if no name has its form",
        arguments: [
            ("EUR/DKK", "EUR/DKK"), ("eur/dkk", "EUR/DKK"), ("EURUSD=X", "EUR/USD"), ("BTC/USD", "BTC/USD"),
            ("TSCO:XLON", "TSCO:XLON"), ("tsco:xlon", "TSCO:XLON"), ("^SPX", "^SPX"), ("^GSPC", "^SPX"),
            ("GC=F", "GC=F"), ("NDX.I:CfdOnIndex", "NDX.I:CfdOnIndex"),
            ("AAPL:XNAS:CfdOnStock", "AAPL:XNAS:CfdOnStock"),
            ("UIC=77:ContractFutures", "UIC=77:ContractFutures"), ("AAPL:XNAS", "AAPL"), ("AAPL", nil),
            ("BRK.B", nil),
            ("EURUSD", nil), ("VOD.L", nil), ("A/S", nil), ("AT&T", nil), ("euro", nil), ("^", nil),
            ("EUR / DKK", nil),
        ] as [(String, String?)])
    func denoted(text: String, expected: String?) {
        #expect(Symbol(denotedBy: text)?.text == expected)
    }
}
