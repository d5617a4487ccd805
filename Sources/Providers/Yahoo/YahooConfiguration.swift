package import Brokerage
package import Upstream

/// Where Yahoo's undocumented endpoints are reached.
///
/// Yahoo offers no such service and does not allow its data to be passed on: this is for personal use, and only where a
/// house says so. Requests carry Portico's own name; where Yahoo wants a browser instead, it is left at that.
package struct YahooConfiguration: Sendable {
    /// Stands before `/v7/finance/quote` and the like.
    package let base: ProviderBaseURL
    /// Sets the cookie that goes with a crumb.
    package let cookiePage: ProviderBaseURL
    /// What may be asked; Yahoo does not tell its limits.
    package let windows: [QuotaWindow]

    /// - Parameters:
    ///   - base: Where Yahoo is, without the version of its paths.
    ///   - cookiePage: A page that sets Yahoo's cookie, whatever else it answers.
    ///   - windows: What may be asked; trouble was seen after some 950 calls, and after dozens in a row.
    package init(base: ProviderBaseURL, cookiePage: ProviderBaseURL, windows: [QuotaWindow] = Self.restraint)
    {
        self.base = base
        self.cookiePage = cookiePage
        self.windows = windows
    }

    /// Yahoo's own address; nil for the sandbox, which stands elsewhere each time.
    package static func url(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://query1.finance.yahoo.com")
        case .sandbox: nil
        }
    }

    /// Yahoo's own page that sets a cookie, likewise.
    package static func cookieURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://fc.yahoo.com")
        case .sandbox: nil
        }
    }

    /// What nobody has reported trouble with.
    package static let restraint = [
        QuotaWindow("minute", limit: 30, per: .rolling(seconds: 60)),
        QuotaWindow("day", limit: 900, per: .rolling(seconds: 86_400)),
    ]
}

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
