package import Brokerage
package import Upstream

/// The module `assetProfile` of `GET /v10/finance/quoteSummary/{symbol}`.
struct YahooProfile: JSONObjectDecodable, Hashable {
    var about: String?
    var sector: String?
    var industry: String?
    var country: String?
    var website: String?

    static let json = JSONFields(Self()) {
        $0.optional("longBusinessSummary", \.about)
        $0.optional("sector", \.sector)
        $0.optional("industry", \.industry)
        $0.optional("country", \.country)
        $0.optional("website", \.website)
    }

    /// Reads the whole response.
    static func response(json reader: inout JSONReader) throws(JSONError) -> YahooProfile {
        var profile: YahooProfile?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quoteSummary":
                try reader.result { reader throws(JSONError) in
                    try reader.array { reader throws(JSONError) in
                        try reader.object { key, reader throws(JSONError) in
                            switch key {
                            case "assetProfile": profile = try YahooProfile(json: &reader)
                            default: try reader.skip()
                            }
                        }
                    }
                }
            default: try reader.skip()
            }
        }
        return try reader.required(profile, "quoteSummary.result[0].assetProfile")
    }
}

extension YahooProfile {
    /// The profile as `Fundamentals` of Portico; an empty text is nil.
    func fundamentals(of symbol: Symbol, fetchedAt: Instant) -> Fundamentals {
        var fundamentals = Fundamentals(
            symbol: symbol, provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        fundamentals.about = about.flatMap { $0.isEmpty ? nil : $0 }
        fundamentals.sector = sector.flatMap { $0.isEmpty ? nil : $0 }
        fundamentals.industry = industry.flatMap { $0.isEmpty ? nil : $0 }
        fundamentals.country = country.flatMap { $0.isEmpty ? nil : $0 }
        fundamentals.website = website.flatMap { $0.isEmpty ? nil : $0 }
        return fundamentals
    }
}

extension YahooClient: FundamentalsSource {
    /// `GET /v10/finance/quoteSummary/{symbol}`, with a crumb: the company's business and location, without
    /// figures.
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        let spelling = try providerSymbol(for: symbol)
        let items = [("modules", Optional("assetProfile")), ("formatted", "false")]
        let profile = try await getWithCrumb(
            "fundamentals",
            { $0.appending(path: "v10", "finance", "quoteSummary", spelling)?.appending(query: items) },
            in: context
        ) { reader throws(JSONError) in try YahooProfile.response(json: &reader) }
        return profile.fundamentals(of: symbol, fetchedAt: clock.wallTime())
    }
}
