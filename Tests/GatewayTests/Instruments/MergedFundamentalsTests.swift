import Brokerage
import Gateway
import Testing

@Suite("Reports of figures of a company")
struct MergedFundamentalsTests {
    private static func report(
        _ source: ProviderID, currency: String? = nil, sector: String? = nil, marketCap: Decimal? = nil,
        yearHigh: Decimal? = nil, isStale: Bool = false
    ) -> Fundamentals {
        var report = Fundamentals(
            symbol: .example, provenance: Provenance(source: source, fetchedAt: .earliest, isStale: isStale))
        report.currency = currency
        report.sector = sector
        report.marketCap = marketCap
        report.yearHigh = yearHigh
        return report
    }

    private static func parts(_ merged: MergedFundamentals?) -> [String] {
        merged?.parts.map { "\($0.provenance.source.name.text): \($0.fields.joined(separator: " "))" } ?? []
    }

    @Test("are nil if there are no reports")
    func none() {
        #expect(MergedFundamentals([]) == nil)
    }

    @Test("take each field from the first report that has it")
    func order() {
        let merged = MergedFundamentals([
            Self.report(.polygon, currency: "USD", marketCap: 1),
            Self.report(.alphaVantage, currency: "USD", sector: "Tech", marketCap: 2),
            Self.report(.yahoo, currency: "USD", sector: "IT", yearHigh: 3),
        ])
        #expect(merged?.figures.marketCap == 1 && merged?.figures.yearHigh == 3)
        #expect(merged?.figures.sector == "Tech")
        #expect(
            Self.parts(merged) == ["polygon: currency marketCap", "alpha-vantage: sector", "yahoo: yearHigh"])
    }

    @Test("in another currency, or without a currency, add no amounts")
    func currencies() {
        let merged = MergedFundamentals([
            Self.report(.polygon, currency: "USD", marketCap: 1),
            Self.report(.alphaVantage, currency: "EUR", sector: "Tech", yearHigh: 2),
            Self.report(.yahoo, yearHigh: 3),
        ])
        #expect(merged?.figures.yearHigh == nil && merged?.figures.sector == "Tech")
        let unnamed = MergedFundamentals([
            Self.report(.polygon, marketCap: 1), Self.report(.alphaVantage, currency: "EUR", yearHigh: 2),
        ])
        #expect(unnamed?.figures.currency == nil && unnamed?.figures.yearHigh == nil)
        let plain = MergedFundamentals([
            Self.report(.polygon, sector: "Tech"), Self.report(.alphaVantage, currency: "EUR", yearHigh: 2),
        ])
        #expect(plain?.figures.currency == "EUR" && plain?.figures.yearHigh == 2)
    }

    @Test("that are stale come after the others")
    func stale() {
        let merged = MergedFundamentals([
            Self.report(.polygon, sector: "Old", isStale: true), Self.report(.yahoo, sector: "New"),
        ])
        #expect(merged?.figures.sector == "New")
        #expect(Self.parts(merged) == ["yahoo: sector"])
    }
}
