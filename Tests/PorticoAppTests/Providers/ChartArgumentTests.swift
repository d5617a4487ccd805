import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("The arguments of a chart")
struct ChartArgumentTests {
    /// Arguments that a provider does not support, the argument that the error names, and its message.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let provider: String
        let arguments: String
        let argument: String
        let message: String

        init(_ provider: String, _ arguments: String, _ argument: String, _ message: String) {
            (self.provider, self.arguments) = (provider, arguments)
            (self.argument, self.message) = (argument, message)
        }

        var testDescription: String { "\(provider) \(arguments)" }
    }

    private static let partsOfDay = "ONE_MINUTE, FIVE_MINUTES, FIFTEEN_MINUTES, THIRTY_MINUTES"

    static let refusals = [
        Refusal(
            "alpaca", "interval: ONE_HOUR, extendedHours: false", "extendedHours",
            "alpaca has no charts of ONE_HOUR without extended hours. Omit it, or set `interval` to one of "
                + "\(partsOfDay), ONE_DAY, ONE_WEEK, ONE_MONTH."),
        Refusal(
            "saxo", "interval: ONE_HOUR, extendedHours: true", "extendedHours",
            "saxo has no charts of ONE_HOUR with extended hours. Omit it, or select another provider."),
        Refusal(
            "polygon", "interval: ONE_DAY, extendedHours: true", "extendedHours",
            "polygon has no charts of ONE_DAY with extended hours. Omit it, or set `interval` to one of "
                + "\(partsOfDay), ONE_HOUR."),
        Refusal(
            "polygon", "range: FIVE_DAYS, extendedHours: false", "extendedHours",
            "polygon has no charts of THIRTY_MINUTES without extended hours. Omit it, or set `interval` to one of "
                + "ONE_DAY, ONE_WEEK, ONE_MONTH."),
        Refusal(
            "yahoo", "range: ONE_MONTH, extendedHours: true", "extendedHours",
            "yahoo has no charts of ONE_DAY with extended hours. Omit it, or set `interval` to one of "
                + "\(partsOfDay), ONE_HOUR."),
        Refusal(
            "alpha-vantage", "interval: ONE_WEEK, extendedHours: true", "extendedHours",
            "alpha-vantage has no charts of ONE_WEEK with extended hours. Omit it, or set `interval` to one of "
                + "\(partsOfDay), ONE_HOUR."),
        Refusal(
            "saxo", "interval: ONE_DAY, adjustment: RAW", "adjustment",
            "saxo has no charts of ONE_DAY with the adjustment RAW. Omit it, or select another provider."),
        Refusal(
            "polygon", "interval: ONE_HOUR, adjustment: SPLITS_AND_DIVIDENDS", "adjustment",
            "polygon has no charts of ONE_HOUR with the adjustment SPLITS_AND_DIVIDENDS. Omit it, or set "
                + "`adjustment` to one of RAW, SPLITS."),
        Refusal(
            "yahoo", "interval: ONE_DAY, adjustment: RAW", "adjustment",
            "yahoo has no charts of ONE_DAY with the adjustment RAW. Omit it, or set `adjustment` to one of "
                + "SPLITS, SPLITS_AND_DIVIDENDS."),
        Refusal(
            "alpha-vantage", "range: FIVE_YEARS, adjustment: SPLITS_AND_DIVIDENDS", "adjustment",
            "alpha-vantage has no charts of ONE_WEEK with the adjustment SPLITS_AND_DIVIDENDS. Omit it, or set "
                + "`adjustment` to one of RAW, SPLITS."),
    ]

    @Test(
        "that a provider does not have are UNSUPPORTED without a call; the error has the argument and the remedy",
        arguments: refusals)
    func refused(_ refusal: Refusal) async throws {
        try await withTestGateway { gateway in
            let arguments = "\(refusal.arguments), provider: \"\(refusal.provider)\""
            let answer = try await gateway.ask(
                "{ chart(symbol: \"AAPL\", \(arguments)) { id } charts(symbols: [\"AAPL\"], \(arguments)) { id } }"
            )
            #expect(
                Set(answer.failures)
                    == Set(["chart", "charts.0"].map { FieldFailure($0, "UNSUPPORTED", refusal.provider) }),
                "\(answer)")
            for error in answer["errors"]?.elements ?? [] {
                #expect(error["extensions"]?["argument"]?.string == refusal.argument)
                #expect(error["message"]?.string == "Argument \"\(refusal.argument)\": \(refusal.message)")
            }
            #expect(gateway.sandbox.calls.total == 0)
        }
    }

    /// Arguments with a symbol that only providers without such charts can have: Alpaca has extended hours with each interval,
    /// and only shares of the United States and cryptocurrencies.
    static let exclusions: [(symbol: String, arguments: String, provider: String?, message: String)] = [
        (
            "AAPL:XNAS:CfdOnStock", "interval: FIVE_MINUTES, extendedHours: true", "saxo",
            "saxo has no charts of FIVE_MINUTES with extended hours. Omit it, or select another provider."
        ),
        (
            "TSCO:XLON", "interval: ONE_DAY, extendedHours: true", nil,
            "None of saxo, yahoo, alpha-vantage has charts of ONE_DAY with extended hours. Omit it, or set `interval` to "
                + "one of \(partsOfDay), ONE_HOUR."
        ),
    ]

    @Test(
        "that no provider of the symbol has are UNSUPPORTED, although others have them", arguments: exclusions
    )
    func excluded(symbol: String, arguments: String, provider: String?, message: String) async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask("{ chart(symbol: \"\(symbol)\", \(arguments)) { id } }")
            #expect(answer.failures == [FieldFailure("chart", "UNSUPPORTED", provider)], "\(answer)")
            let error = answer["errors"]?[0]
            #expect(error?["extensions"]?["argument"] == "extendedHours")
            #expect(error?["message"]?.string == "Argument \"extendedHours\": \(message)")
            #expect(gateway.sandbox.calls.total == 0)
        }
    }

    // The clock is stopped, so a call that does not end would wait for ever.
    @Test(
        "are answered with each interval and hours, or refused with the argument",
        .timeLimit(.minutes(20)),
        arguments: ["alpaca", "saxo", "polygon", "yahoo", "alpha-vantage"])
    func hours(provider: String) async throws {
        try await withTestGatewayWithoutLimits { gateway in
            for interval in Interval.allCases.map(\.rawValue) {
                for hours in ["", "extendedHours: true", "extendedHours: false"] {
                    let answer = try await gateway.ask(
                        """
                        { chart(symbol: "AAPL", last: 1, provider: "\(provider)", interval: \(interval) \(hours)) {
                            interval source } }
                        """)
                    guard let error = answer["errors"]?[0] else {
                        #expect(answer["data"]?["chart"]?["interval"]?.string == interval, "\(answer)")
                        #expect(answer["data"]?["chart"]?["source"]?.string == provider, "\(answer)")
                        continue
                    }
                    #expect(!hours.isEmpty, "\(answer)")
                    #expect(answer.failures == [FieldFailure("chart", "UNSUPPORTED", provider)])
                    #expect(error["extensions"]?["argument"] == "extendedHours", "\(answer)")
                }
            }
        }
    }
}
