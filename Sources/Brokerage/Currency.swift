/// The unit of prices of a source: a currency, or the hundredth of one.
///
/// London quotes pence, Tel Aviv agorot, Johannesburg cents; Portico returns pounds, shekels and rand.
package struct PriceUnit: Hashable, Sendable {
    /// ISO 4217.
    package let currency: String
    /// Whether prices are in hundredths of the currency.
    package let isHundredth: Bool

    /// The unit with this name at a source; nil if it is not the name of a currency.
    ///
    /// Case matters, because it distinguishes pence (`GBp`) from pounds.
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

    /// The hundredth of a currency; nil if no exchange quotes hundredths of it.
    package static func hundredth(of currency: String) -> PriceUnit? {
        hundredths.values.contains(currency) ? PriceUnit(currency: currency, isHundredth: true) : nil
    }

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

/// The currencies of states and the metals in ISO 4217.
///
/// If a provider writes currencies and cryptocurrencies in the same way (`BTC-USD`, `EUR/USD`), only this
/// list distinguishes them.
package enum FiatCurrency {
    /// The code of ISO 4217 for no currency, for a field that requires a code if none is known.
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
