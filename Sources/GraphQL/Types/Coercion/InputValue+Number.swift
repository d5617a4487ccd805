extension InputValue {
    /// A finite binary number: as an integer where it is one that a double holds exactly, else with the fewest
    /// digits that tell it from its neighbours.
    init(float number: Double) {
        if let integer = Int(exactly: number), integer.magnitude <= 1 << 53 {
            self = .int(integer)
        } else {
            // Swift writes numbers as JSON does: `1.5`, `1e-07`, `1.2e+20`.
            self = .number(number.description)
        }
    }

    /// A finite number as JavaScript writes it, in messages.
    static func digits(of number: Double) -> String {
        let (digits, exponent) = shortestDigits(of: number.magnitude)
        let sign = number < 0 ? "-" : ""
        // `point` digits stand before the decimal point.
        let point = exponent + 1
        if point > 21 || point < -5 {
            let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
            return sign + digits.prefix(1) + fraction + "e" + (exponent < 0 ? "-" : "+")
                + String(exponent.magnitude)
        }
        if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        if digits.count <= point {
            return sign + digits + String(repeating: "0", count: point - digits.count)
        }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }

    /// The significant digits, and the power of ten of the first of them.
    private static func shortestDigits(of number: Double) -> (digits: String, exponent: Int) {
        // Swift's description has the fewest digits that read back as the same number, as `1.5e-07` or `150.0`.
        let parts = number.description.split(separator: "e", maxSplits: 1)
        let mantissa = (parts.first ?? "0").split(separator: ".", maxSplits: 1)
        let whole = mantissa.first ?? "0"
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        let written = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let all = whole + fraction
        let leadingZeros = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(leadingZeros)
        while digits.last == "0" { digits.removeLast() }
        if digits.isEmpty { return ("0", 0) }
        return (String(digits), written + whole.count - 1 - leadingZeros)
    }
}
