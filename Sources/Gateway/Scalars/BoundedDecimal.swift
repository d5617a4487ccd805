import Brokerage
import GraphQL

/// A number of a user's above zero, of so many digits that it can be reckoned with.
protocol BoundedDecimal: GraphQLInput {
    /// The largest.
    static var maximum: Decimal { get }
    /// Digits after the point.
    static var maximumFractionDigits: Int { get }
    init(bounded value: Decimal)
}

extension BoundedDecimal {
    static func bindInput(to binder: inout SchemaBinder) -> BoundType { Decimal.bindInput(to: &binder) }

    static var sample: Self { Self(bounded: 1) }

    init(input: InputValue?) throws(InputError) {
        let value = try Decimal(input: input)
        guard value > .zero else { throw InputError("It is \(value); it must be above 0.") }
        guard value <= Self.maximum else {
            throw InputError("It is \(value); it may be \(Self.maximum) at most.")
        }
        guard value.withoutTrailingZeros.scale <= Self.maximumFractionDigits else {
            throw InputError(
                "It is \(value); it may have \(Self.maximumFractionDigits) digits after the point at most.")
        }
        self.init(bounded: value)
    }
}
