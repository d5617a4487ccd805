import AlphaVantage
import Brokerage
import Testing
import Upstream

@Suite("A configuration")
struct ConfigurationTests {
    @Test("keeps to the limits of its plan, unless told others")
    func windows() throws {
        let base = try ProviderBaseURL(#require(AlphaVantageConfiguration.url(of: .live)))
        let key = try APIKey("demo")
        #expect(
            AlphaVantageConfiguration(base: base, key: key).windows == [
                QuotaWindow("second", limit: 1, per: .rolling(seconds: 1)),
                QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60)),
                QuotaWindow("day", limit: 25, per: .newYorkDay),
            ])
        #expect(
            AlphaVantageConfiguration(base: base, key: key, plan: .premium(callsPerMinute: 75)).windows == [
                QuotaWindow("minute", limit: 75, per: .rolling(seconds: 60))
            ])
        let own = [QuotaWindow("day", limit: 500, per: .newYorkDay)]
        #expect(AlphaVantageConfiguration(base: base, key: key, windows: own).windows == own)
    }

    @Test("has Alpha Vantage's own address but in the sandbox")
    func address() {
        #expect(AlphaVantageConfiguration.url(of: .live)?.text == "https://www.alphavantage.co")
        #expect(AlphaVantageConfiguration.url(of: .sandbox) == nil)
    }
}
