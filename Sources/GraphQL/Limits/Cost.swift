/// A cost or a weight, possibly negative: a decimal with six fractional digits.
///
/// Sums and products are exact, so that an operation costs the same however its parts are grouped. Above
/// about nine trillion they saturate at `highest` or `lowest`.
public struct Cost: Hashable, Sendable {
    private let millionths: Int

    private init(millionths: Int) {
        self.millionths = millionths
    }

    /// Zero cost.
    public static let zero = Cost(millionths: 0)
    /// The maximum: 9,223,372,036,854.775807.
    public static let highest = Cost(millionths: .max)
    /// The minimum.
    public static let lowest = Cost(millionths: .min)

    /// Creates a cost from an integer.
    public init(_ whole: Int) {
        let (product, overflows) = whole.multipliedReportingOverflow(by: Cost.scale)
        millionths = overflows ? (whole < 0 ? .min : .max) : product
    }

    /// Parses a weight of `@cost`, a serialized Float (IBM cost specification, 7.1), and rounds it to a
    /// millionth.
    ///
    /// Returns nil if the text is no decimal number, or if its magnitude exceeds a billion.
    package init?(weight text: String) {
        let isDecimal = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        // A Double represents every number of this range to a millionth.
        guard isDecimal, let number = Double(text), abs(number) <= 1e9 else { return nil }
        millionths = Int((number * Double(Cost.scale)).rounded())
    }

    private static let scale = 1_000_000
}

extension Cost {
    static func + (one: Cost, other: Cost) -> Cost {
        let (sum, overflows) = one.millionths.addingReportingOverflow(other.millionths)
        return overflows ? (other.millionths < 0 ? .lowest : .highest) : Cost(millionths: sum)
    }

    static func += (one: inout Cost, other: Cost) {
        one = one + other
    }

    static func * (count: Int, cost: Cost) -> Cost {
        let (product, overflows) = cost.millionths.multipliedReportingOverflow(by: count)
        return overflows
            ? ((cost.millionths < 0) == (count < 0) ? .highest : .lowest) : Cost(millionths: product)
    }
}

extension Cost: Comparable {
    /// Returns true if the first cost is less than the second.
    public static func < (one: Cost, other: Cost) -> Bool { one.millionths < other.millionths }
}

extension Cost: CustomStringConvertible {
    /// The decimal digits without an exponent: `12`, `0.5`.
    public var description: String {
        let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: UInt(Cost.scale))
        let sign = millionths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        var digits = String(UInt(Cost.scale) + rest).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }

    /// The cost as a response value.
    public var inputValue: InputValue {
        millionths % Cost.scale == 0 ? .int(millionths / Cost.scale) : .number(description)
    }
}

/// The cost of a selection for one object.
struct SelectionCost: Sendable, Equatable {
    /// The cost per object.
    var fixed = OperationCost.zero
    /// The cost per item of the lists whose length the parent field determines (`sizedFields`).
    var perItem = OperationCost.zero

    /// Returns the total cost for lists of a length.
    func total(length: Int) -> OperationCost { fixed + length * perItem }

    static func + (one: SelectionCost, other: SelectionCost) -> SelectionCost {
        SelectionCost(fixed: one.fixed + other.fixed, perItem: one.perItem + other.perItem)
    }

    /// Returns the maximum of each component, for mutually exclusive alternatives.
    func maximum(with other: SelectionCost) -> SelectionCost {
        SelectionCost(fixed: fixed.maximum(with: other.fixed), perItem: perItem.maximum(with: other.perItem))
    }
}

extension OperationCost {
    static let zero = OperationCost(field: .zero, type: .zero)

    static func + (one: OperationCost, other: OperationCost) -> OperationCost {
        OperationCost(field: one.field + other.field, type: one.type + other.type)
    }

    static func * (count: Int, cost: OperationCost) -> OperationCost {
        OperationCost(field: count * cost.field, type: count * cost.type)
    }

    fileprivate func maximum(with other: OperationCost) -> OperationCost {
        OperationCost(field: max(field, other.field), type: max(type, other.type))
    }
}
