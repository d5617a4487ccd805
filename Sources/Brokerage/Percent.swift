extension Decimal {
    /// How many per cent of a base this is, to four digits after the point; nil where the base is zero.
    package func percent(of base: Decimal) -> Decimal? {
        try? (self * 100).divided(by: base, to: 4, .halfEven)
    }
}
