package import Brokerage
package import Upstream

/// The address of Yahoo's undocumented endpoints.
///
/// Yahoo offers no such service and does not permit redistribution of its data: it is for personal use, and
/// off by default. Requests contain Portico's own name; endpoints that require a browser's name are not
/// used.
package struct YahooConfiguration: Sendable {
    /// The address before `/v7/finance/quote` and others.
    package let base: ProviderBaseURL
    /// Sets the cookie that goes with a crumb.
    package let cookiePage: ProviderBaseURL
    /// The limits of the calls; Yahoo does not document its own.
    package let windows: [QuotaWindow]

    /// - Parameters:
    ///   - base: Yahoo's address, without the version of its paths.
    ///   - cookiePage: A page that sets Yahoo's cookie, with any response.
    ///   - windows: The limits of the calls; throttling was reported after about 950 calls, and after dozens
    ///     without a pause.
    package init(base: ProviderBaseURL, cookiePage: ProviderBaseURL, windows: [QuotaWindow] = Self.restraint)
    {
        self.base = base
        self.cookiePage = cookiePage
        self.windows = windows
    }

    /// Yahoo's address; nil for the sandbox, which has no fixed address.
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

    /// Rates for which no throttling is reported.
    package static let restraint = [
        QuotaWindow("minute", limit: 30, per: .rolling(seconds: 60)),
        QuotaWindow("day", limit: 900, per: .rolling(seconds: 86_400)),
    ]
}

/// The unit and the precision of Yahoo's prices of one instrument.
struct YahooPriceScale: Hashable {
    /// Nil for an index, which has points.
    var unit: PriceUnit?
    /// The digits after the point that a price has at least, if Yahoo sends them: those that it displays.
    var digits: Int

    /// Nil if pence cannot be distinguished from pounds: a foreign listing without a currency.
    init?(of symbol: Symbol, currency: String?, digits: Int?) {
        unit = currency.flatMap(PriceUnit.init)
        self.digits = digits ?? 2
        if unit == nil, case .listing(_, market: _?)? = SymbolKind(symbol) { return nil }
    }

    /// A price in whole currency, without the digits of its way through binary32 numbers, in which Yahoo computes.
    func amount(_ price: Decimal) throws(Decimal.Overflow) -> Decimal {
        let meant = price.narrowedToSinglePrecision(keeping: digits)
        return try unit?.amount(meant) ?? meant
    }

    func amount(_ price: Decimal?) throws(Decimal.Overflow) -> Decimal? {
        guard let price else { return nil }
        return try amount(price) as Decimal
    }
}
