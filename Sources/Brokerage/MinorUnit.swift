/// The smallest unit of a currency.
package enum MinorUnit {
    /// Digits after the point of an amount in the smallest unit (ISO 4217).
    package static func digits(of currency: String) -> Int {
        if withoutMinorUnit.contains(currency) { return 0 }
        return withThreeDigits.contains(currency) ? 3 : 2
    }

    private static let withoutMinorUnit: Set = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF",
        "XOF", "XPF",
    ]
    private static let withThreeDigits: Set = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
}

extension Decimal {
    /// The digits that a calculated amount has beyond those of the smallest unit of its currency.
    private static let digitsBeyondMinorUnit = 2

    /// The decimals of a calculated percentage.
    package static let digitsOfPercentage = 4

    /// A calculated amount, rounded half to even to two digits more than the smallest unit of its currency has.
    ///
    /// Amounts that a provider sends are not rounded.
    package func rounded(in currency: String) -> Decimal {
        rounded(to: MinorUnit.digits(of: currency) + Self.digitsBeyondMinorUnit, .halfEven)
    }
}
