import Brokerage
import Upstream

/// How Yahoo's prices of one instrument are to be told.
struct YahooPriceScale: Hashable {
    /// Nil for an index, which has points.
    var unit: PriceUnit?
    /// Digits after the point that are meant: Yahoo's numbers went through binary floating point, which added others.
    var digits: Int?

    /// Nil where nobody can tell pence from pounds: a listing abroad without the name of a currency.
    init?(of symbol: Symbol, currency: String?, digits: Int?) {
        unit = currency.flatMap(PriceUnit.init)
        self.digits = digits
        if unit == nil, case .listing(_, market: _?)? = SymbolKind(symbol) { return nil }
    }

    /// A price, rounded as decimal text and in whole currency.
    func amount(_ price: Decimal) throws(Decimal.Overflow) -> Decimal {
        let meant = digits.map { price.rounded(to: $0, .halfEven) } ?? price
        return try unit?.amount(meant) ?? meant
    }

    func amount(_ price: Decimal?) throws(Decimal.Overflow) -> Decimal? {
        guard let price else { return nil }
        return try amount(price) as Decimal
    }
}
