import Brokerage
import Performance
import Testing

@Suite("Exchange rates of dates")
struct ExchangeRateHistoryTests {
    private func history() throws -> ExchangeRateHistory {
        var rates = ExchangeRateHistory()
        rates.set([DatedValue(try date("2026-06-12"), try decimal("1.25"))], of: "EUR", in: "USD")
        rates.set([DatedValue(try date("2026-06-12"), 160)], of: "USD", in: "JPY")
        rates.set([DatedValue(try date("2026-06-12"), try decimal("1.50"))], of: "GBP", in: "USD")
        return rates
    }

    @Test(
        "convert directly, inversely and through the dollar, without rounding an inverse",
        arguments: [
            ("EUR", "USD", "1.250000000000"), ("USD", "EUR", "0.800000000000"),
            ("EUR", "JPY", "200.000000000000"),
            ("JPY", "EUR", "0.005000000000"), ("EUR", "GBP", "0.833333333333"), ("EUR", "EUR", "1"),
        ])
    func convert(from: String, to: String, rate: String) throws {
        let conversion = try history().conversion(from: from, to: to, on: date("2026-06-12"))
        #expect(try conversion.apply(to: 1).description == rate)
        #expect(try history().convert(CurrencyAmount(600, "USD"), to: "GBP", on: date("2026-06-12")) == 400)
    }

    @Test("of a weekend are those of the days before it, at most four")
    func weekend() throws {
        let rates = try history()
        let carried = try rates.conversion(from: "EUR", to: "USD", on: date("2026-06-16"))
        #expect(carried.isCarried)
        for day in ["2026-06-17", "2026-06-11"] {
            let error = try #require(throws: Undetermined.self) {
                try rates.conversion(from: "USD", to: "EUR", on: date(day))
            }
            #expect(error == Undetermined(.missingExchangeRate, date: try date(day), currency: "EUR"))
        }
    }

    @Test("are replaced by the broker's own conversion")
    func booked() throws {
        let amount = CurrencyAmount(600, "USD", converted: .init(470, "EUR"))
        #expect(try history().convert(amount, to: "EUR", on: date("2020-01-01")) == 470)
        #expect(try history().convert(amount, to: "USD", on: date("2020-01-01")) == 600)
        #expect(try history().convert(amount, to: "JPY", on: date("2026-06-12")) == 94_000)
    }
}
