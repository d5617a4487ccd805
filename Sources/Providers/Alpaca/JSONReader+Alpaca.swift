import Brokerage
import Upstream

extension JSONReader {
    /// Reads a symbol.
    mutating func symbol() throws(JSONError) -> Symbol {
        try token(oneOf: "the symbols that markets have") { Symbol($0.string) }
    }

    /// Reads a factor, 0.0064 for 0.64 %, as per cent, no digit lost; nil for null.
    mutating func factorAsPercentOrNil() throws(JSONError) -> Decimal? {
        guard let factor = try decimalOrNil() else { return nil }
        return try required(try? factor.asPercent, "factor that can be told in per cent")
    }

    /// Reads a price where 0 stands for none; nil for null too.
    mutating func priceOrNil() throws(JSONError) -> Decimal? {
        guard let price = try decimalOrNil(), !price.isZero else { return nil }
        return price
    }
}

extension Decimal {
    /// A hundred times the factor: the point moves, no digit changes.
    fileprivate var asPercent: Decimal {
        get throws(Overflow) {
            guard scale >= 2, let percent = Decimal(coefficient: coefficient, scale: scale - 2) else {
                return try self * 100
            }
            return percent
        }
    }
}
