/// A stock exchange, with its names at the providers.
///
/// Portico's symbol of a listing contains the market identifier code of its exchange (`TSCO:XLON`), except for
/// listings in the United States (`AAPL`). Every mapping of symbols reads this table.
package struct Exchange: Hashable, Sendable {
    /// The market identifier code (ISO 10383) of the exchange: `XLON`.
    package let code: String
    /// ISO 3166-1 alpha-2.
    package let country: String
    /// The end of Yahoo's symbols behind a dot: `L`; nil if Yahoo does not have its listings, or writes them without one.
    package let yahooSuffix: String?
    /// Yahoo's codes of an exchange whose symbols have no suffix: `NMS`.
    let yahooCodes: [String]
    /// The end of Alpha Vantage's symbols behind a dot: `LON`; nil if Alpha Vantage does not have its listings.
    package let alphaVantageSuffix: String?
    /// Saxo's codes behind the colon of a symbol, in small letters: first the one that Portico writes.
    ///
    /// Most are the market identifier code.
    package let saxoCodes: [String]
    /// The digits of a ticker that is a number, in Portico's form and in Yahoo's; nil if zeros are not added.
    let tickerDigits: Int?
    /// The same in Saxo's symbols.
    package let saxoTickerDigits: Int?

    /// Every exchange, by the code.
    package static let all = table.split(separator: "\n").compactMap(Exchange.init(line:))

    /// The exchange with a market identifier code, or with a code of Saxo in capitals.
    package init?(code: some StringProtocol) {
        guard let exchange = Self.byCode[String(code)] else { return nil }
        self = exchange
    }

    package init?(yahooSuffix: some StringProtocol) {
        guard let exchange = Self.byYahooSuffix[String(yahooSuffix)] else { return nil }
        self = exchange
    }

    package init?(yahooCode: String) {
        guard let exchange = Self.all.first(where: { $0.yahooCodes.contains(yahooCode) }) else { return nil }
        self = exchange
    }

    package init?(alphaVantageSuffix: some StringProtocol) {
        guard let exchange = Self.byAlphaVantageSuffix[String(alphaVantageSuffix)] else { return nil }
        self = exchange
    }

    /// Whether Portico's symbols of its listings have no market.
    package var isAmerican: Bool { country == "US" }

    /// The form of a listing with this ticker.
    package func listing(_ ticker: String) -> SymbolKind {
        .listing(ticker: padded(ticker), market: isAmerican ? nil : code)
    }

    /// The ticker in Portico's form: `0700` for `700` in Hong Kong.
    package func padded(_ ticker: String) -> String {
        Self.padding(ticker, to: tickerDigits)
    }

    /// A ticker that is a number with a fixed number of digits (`700` is `0700` in Hong Kong); any other ticker unchanged.
    package static func padding(_ ticker: String, to digits: Int?) -> String {
        guard let digits, ticker.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return ticker }
        let number = ticker.drop { $0 == "0" }
        return String(repeating: "0", count: max(digits - number.utf8.count, 0)) + number
    }

    /// Nil for a line without code and country.
    private init?(line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 2 else { return nil }
        var values: [Substring: String] = [:]
        for word in words.dropFirst(2) {
            let halves = word.split(separator: "=", maxSplits: 1)
            if halves.count == 2 { values[halves[0]] = String(halves[1]) }
        }
        func list(_ name: Substring) -> [String]? { values[name]?.split(separator: ",").map(String.init) }
        (code, country) = (String(words[0]), String(words[1]))
        (yahooSuffix, alphaVantageSuffix) = (values["yahoo"], values["alphaVantage"])
        (yahooCodes, saxoCodes) = (list("yahooCodes") ?? [], list("saxo") ?? [code.lowercased()])
        tickerDigits = values["digits"].flatMap { Int($0) }
        saxoTickerDigits = values["saxoDigits"].flatMap { Int($0) }
    }

    private static let byCode = Dictionary(
        all.flatMap { exchange in
            ([exchange.code] + exchange.saxoCodes.map { $0.uppercased() }).map { ($0, exchange) }
        }, uniquingKeysWith: { first, _ in first })
    private static let byYahooSuffix = Dictionary(
        all.compactMap { exchange in exchange.yahooSuffix.map { ($0, exchange) } },
        uniquingKeysWith: { first, _ in first })
    private static let byAlphaVantageSuffix = Dictionary(
        all.compactMap { exchange in exchange.alphaVantageSuffix.map { ($0, exchange) } },
        uniquingKeysWith: { first, _ in first })

    /// Each line has the code, the country, and what is known of the exchange at the providers.
    ///
    /// Saxo's codes that are no market identifier codes are not documented, so that both are read.
    private static let table = """
        ARCX US yahooCodes=PCX
        ASEX GR yahoo=AT
        BATS US yahooCodes=BTS
        BCXE GB yahoo=XC
        BVCA VE yahoo=CR
        BVMF BR yahoo=SA alphaVantage=SAO
        CEUX NL yahoo=XD
        CHIA AU yahoo=XA
        DSMD QA yahoo=QA
        HSTC VN
        MISX RU yahoo=ME
        NEOE CA yahoo=NE
        ROCO TW yahoo=TWO
        XADS AE
        XAMM JO
        XAMS NL yahoo=AS alphaVantage=AMS
        XASE US yahooCodes=ASE
        XASX AU yahoo=AX
        XBAH BH
        XBER DE yahoo=BE
        XBKK TH yahoo=BK
        XBOG CO yahoo=CL
        XBOM IN yahoo=BO alphaVantage=BSE
        XBRU BE yahoo=BR
        XBSE RO yahoo=RO
        XBUD HU yahoo=BD
        XBUE AR yahoo=BA
        XBUL BG
        XCAI EG yahoo=CA
        XCAS MA
        XCNQ CA yahoo=CN
        XCOL LK yahoo=CM
        XCSE DK yahoo=CO
        XDFM AE yahoo=AE
        XDHA BD
        XDUB IE yahoo=IR
        XDUS DE yahoo=DU
        XETR DE yahoo=DE alphaVantage=DEX
        XFRA DE yahoo=F alphaVantage=FRK
        XHAM DE yahoo=HM
        XHAN DE yahoo=HA
        XHEL FI yahoo=HE
        XHKG HK yahoo=HK digits=4 saxoDigits=5
        XICE IS yahoo=IC
        XIDX ID yahoo=JK
        XIST TR yahoo=IS
        XJSE ZA yahoo=JO
        XKAR PK yahoo=KA
        XKAZ KZ
        XKLS MY yahoo=KL
        XKOS KR yahoo=KQ
        XKRX KR yahoo=KS
        XKUW KW yahoo=KW
        XLIM PE
        XLIS PT yahoo=LS
        XLIT LT yahoo=VS
        XLJU SI
        XLOM GB yahoo=IL
        XLON GB yahoo=L alphaVantage=LON
        XLUX LU
        XMAD ES yahoo=MC saxo=xmce,xmad
        XMEX MX yahoo=MX
        XMIL IT yahoo=MI
        XMUN DE yahoo=MU
        XMUS OM
        XNAI KE
        XNAS US yahooCodes=NMS,NGM,NCM
        XNSA NG
        XNSE IN yahoo=NS
        XNYS US yahooCodes=NYQ
        XNZE NZ yahoo=NZ
        XOSL NO yahoo=OL
        XPAR FR yahoo=PA alphaVantage=PAR
        XPHS PH yahoo=PS
        XPRA CZ yahoo=PR
        XRIS LV yahoo=RG
        XSAU SA yahoo=SR
        XSES SG yahoo=SI
        XSGO CL yahoo=SN
        XSHE CN yahoo=SZ alphaVantage=SHZ
        XSHG CN yahoo=SS alphaVantage=SHH
        XSTC VN yahoo=VN
        XSTO SE yahoo=ST saxo=xome,xsto
        XSTU DE yahoo=SG
        XSWX CH yahoo=SW saxo=xvtx,xswx
        XTAE IL yahoo=TA
        XTAI TW yahoo=TW
        XTAL EE yahoo=TL
        XTKS JP yahoo=T
        XTSE CA yahoo=TO alphaVantage=TRT
        XTSX CA yahoo=V alphaVantage=TRV
        XWAR PL yahoo=WA
        XWBO AT yahoo=VI
        XZAG HR
        """
}
