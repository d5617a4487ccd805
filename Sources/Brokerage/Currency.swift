/// What a source gives prices in: a currency, or the hundredth of one that some exchanges trade in.
///
/// London quotes pence, Tel Aviv agorot, Johannesburg cents; Portico tells pounds, shekels and rand.
package struct PriceUnit: Hashable, Sendable {
    /// ISO 4217.
    package let currency: String
    /// A price is so many hundredths of the currency.
    package let isHundredth: Bool

    /// The unit that a source calls so; nil for what is no name of a currency.
    ///
    /// Case tells pence (`GBp`) from pounds, so it matters.
    package init?(_ name: String) {
        if let currency = Self.hundredths[name] {
            self.init(currency: currency, isHundredth: true)
        } else if name.utf8.count == 3, name.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
            self.init(currency: name, isHundredth: false)
        } else {
            return nil
        }
    }

    private init(currency: String, isHundredth: Bool) {
        self.currency = currency
        self.isHundredth = isHundredth
    }

    package static let usDollar = PriceUnit(currency: "USD", isHundredth: false)

    private static let hundredths = [
        "GBX": "GBP", "GBp": "GBP", "GBx": "GBP", "ILA": "ILS", "ILa": "ILS", "ZAC": "ZAR", "ZAc": "ZAR",
    ]

    /// A price in the currency: the point moves by two places, no digit is lost.
    package func amount(_ price: Decimal) throws(Decimal.Overflow) -> Decimal {
        guard isHundredth else { return price }
        if let amount = Decimal(coefficient: price.coefficient, scale: price.scale + 2) { return amount }
        let short = price.withoutTrailingZeros
        guard let amount = Decimal(coefficient: short.coefficient, scale: short.scale + 2) else {
            throw Decimal.Overflow()
        }
        return amount
    }
}

/// The currencies of ISO 4217 that states issue, and the metals among its codes.
///
/// Where a provider writes currencies and coins alike (`BTC-USD`, `EUR/USD`), only this list tells them apart.
package enum FiatCurrency {
    /// ISO 4217's code for what is of no currency: it stands where a code must, and none is known.
    package static let none = "XXX"

    package static func isCode(_ text: some StringProtocol) -> Bool {
        // Check the length in bytes too: strings are equal also if their bytes differ, as the letter K and
        // the kelvin sign do.
        text.utf8.count == 3 && codes.contains(String(text))
    }

    private static let codes = Set(
        """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF \
        CLP CNH CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD \
        HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD \
        MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN \
        PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY \
        TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XAG XAU XCD XOF XPD XPF XPT YER ZAR ZMW ZWG
        """.split(separator: " ").map(String.init))
}
