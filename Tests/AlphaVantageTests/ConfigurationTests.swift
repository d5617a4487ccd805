import AlphaVantage
import Brokerage
import PorticoCore
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

    @Test(
        "has the entitlement that is set, which only premium plans have",
        arguments: [
            ([:], .free, nil), (["premium": "true"], .premium(callsPerMinute: 75), nil),
            (["entitlement": "realtime"], .premium(callsPerMinute: 75), .realTime),
            (
                ["premium": "true", "per-minute": "30", "entitlement": "DELAYED"],
                .premium(callsPerMinute: 30), .delayed
            ),
        ] as [([String: String], AlphaVantagePlan, AlphaVantageEntitlement?)])
    func entitlement(
        settings: [String: String], plan: AlphaVantagePlan, entitlement: AlphaVantageEntitlement?
    ) throws {
        var entries = ["alpha-vantage-key": SettingValues.Entry("demo")]
        for (name, value) in settings { entries["alpha-vantage-\(name)"] = SettingValues.Entry(value) }
        let configuration = try AlphaVantageSettings().configuration(SettingValues(entries))
        #expect(configuration?.plan == plan)
        #expect(configuration?.entitlement == entitlement)
    }

    @Test("has Alpha Vantage's own address but in the sandbox")
    func address() {
        #expect(AlphaVantageConfiguration.url(of: .live)?.text == "https://www.alphavantage.co")
        #expect(AlphaVantageConfiguration.url(of: .sandbox) == nil)
    }
}
