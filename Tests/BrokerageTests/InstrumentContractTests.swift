import Brokerage
import Testing

@Suite("An option by its symbol")
struct InstrumentContractTests {
    private static func option(_ text: String) throws -> OptionContract? {
        OptionContract(occ: try #require(Symbol(text)))
    }

    @Test(
        "has the terms of the OCC's symbology",
        arguments: [
            ("AAPL261218C00250000", "AAPL", "2026-12-18", "250", OptionContract.Right.call),
            ("F270115P00012500", "F", "2027-01-15", "12.5", .put),
            ("BRKB261120C00480005", "BRKB", "2026-11-20", "480.005", .call),
        ])
    func terms(
        _ text: String, underlying: String, expiresOn: String, strike: String, right: OptionContract.Right
    ) throws {
        let option = try #require(try Self.option(text))
        #expect(option.underlying.text == underlying && option.expiresOn.description == expiresOn)
        #expect(option.strike.description == strike && option.right == right)
        #expect(
            option.multiplier == nil && option.settlement == nil, "an adjusted contract has the same form")
    }

    @Test(
        "is none if the symbol has another form",
        arguments: [
            "AAPL", "AAPL261318C00250000", "AAPL261218X00250000", "AAPL261218C0025000", "AAPL261218C+0250000",
            "261218C00250000",
        ])
    func none(_ text: String) throws {
        #expect(try Self.option(text) == nil)
    }

    @Test(
        "has the multiplier with which the broker values the position",
        arguments: [
            (AssetClass.equity, "2", "3.5", "7", "1"), (.fx, "2", "3.5", "0.1", nil),
            (.option, "2", "3.5", "700", "100"),
            (.option, "-2", "3.5", "-700", "100"),
            (.option, "2", "3.5", "701", nil), (.option, "2", "0", "0", nil), (.bond, "2", "3.5", "700", nil),
        ] as [(AssetClass, String, String, String, String?)])
    func multiplier(
        _ assetClass: AssetClass, quantity: String, price: String, value: String, multiplier: String?
    ) throws {
        let symbol = try #require(Symbol("AAPL261218C00250000"))
        let held = try #require(Decimal(quantity))
        var position = Position(
            symbol: symbol, side: held.isNegative ? .short : .long, quantity: try held.magnitude,
            currency: "USD",
            provenance: Provenance(source: .alpaca, fetchedAt: .earliest))
        position.assetClass = assetClass
        position.currentPrice = Decimal(price)
        position.marketValue = Decimal(value)
        #expect(position.multiplier?.description == multiplier)
    }

    @Test(
        "has the multiplier by which its units were paid, also for bonds and currencies",
        arguments: [
            (AssetClass?.some(.bond), "10000", "99.8", "9980", "0.01"),
            // With accrued interest.
            (.bond, "10000", "99.8", "10105.5", "0.01"), (.bond, "10000", "99.8", nil, "0.01"),
            // The price is not in per cent.
            (.bond, "10", "99.8", "998", nil),
            // The value of a pair is its profit.
            (.fx, "100000", "1.17", "250", "1"), (.equity, "3", "240", "720", "1"),
            (.option, "1", "2.8", "280", "100"), (.option, "1", "2.8", nil, nil),
            (.future, "1", "50", nil, nil),
            // An unknown class: only the value of the broker shows it.
            (nil, "3", "240", "720", "1"), (nil, "1", "2.8", "280", nil), (nil, "3", "240", nil, nil),
        ])
    func priceMultiplier(
        _ assetClass: AssetClass?, quantity: String, price: String, value: String?, multiplier: String?
    ) throws {
        var position = Position(
            symbol: .example, side: .long, quantity: try #require(Decimal(quantity)), currency: "USD",
            provenance: Provenance(source: .saxo, fetchedAt: .now))
        position.assetClass = assetClass
        position.currentPrice = Decimal(price)
        position.marketValue = value.flatMap { Decimal($0) }
        #expect(position.priceMultiplier?.description == multiplier)
    }
}
