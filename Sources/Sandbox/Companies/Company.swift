import Brokerage

/// What the stand-ins tell of the company behind a share; funds have none.
///
/// Names and registry numbers are those of the public record. Figures are of the right order and otherwise
/// the sandbox's own, and so are the descriptions.
struct Company: Sendable {
    /// The symbols of its shares, as the market lists them.
    let symbols: [String]
    let name: String
    /// The number under which the SEC files it.
    let cik: Int
    let sector: String
    let industry: String
    /// Where it has its seat.
    var country: String { "United States" }
    let employees: Int
    /// All shares, of every class, counted in this one.
    let thousandsOfShares: Int
    /// Earned per share in the last four quarters, in cents; below zero for a loss.
    let earningsPerShare: Int
    /// Paid per share and year, in cents; nil for a company that pays none.
    let dividendPerShare: Int?
    /// What it does, to follow its name.
    let business: String

    var description: String { "\(name) \(business)." }

    /// The value of all its shares at a price in cents, in whole dollars.
    func marketCapitalization(at price: Int) -> Int {
        thousandsOfShares * 10 * price
    }

    /// The company's site: a name that can never be registered (RFC 2606).
    var website: String {
        "https://\((symbols.first ?? "company").lowercased().filter(\.isLetter)).example/"
    }

    /// The company whose share it is; nil for a fund.
    static func issuer(of symbol: String) -> Company? {
        bySymbol[symbol]
    }

    private static let bySymbol = Dictionary(
        listing.flatMap { company in company.symbols.map { ($0, company) } },
        uniquingKeysWith: { first, _ in first })
}
