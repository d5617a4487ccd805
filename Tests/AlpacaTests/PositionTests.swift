import Alpaca
import Brokerage
import Testing
import Upstream

@Suite("A position")
struct PositionTests {
    private let fetchedAt = Instant(nanosecondsSince1970: 1_795_000_000_000_000_000)

    private func positions(_ body: [UInt8]) throws -> [Position] {
        try decodeList(of: AlpacaPosition.self, from: body).map { try $0.position(fetchedAt: fetchedAt) }
    }

    @Test("that is long has the figures of the answer, factors as per cent")
    func long() throws {
        let position = try AlpacaPosition(json: example("position")).position(
            fetchedAt: fetchedAt)
        #expect(position.symbol == Symbol("AAPL"))
        #expect(position.side == .long)
        #expect(position.quantity.description == "12.5")
        #expect(position.availableQuantity?.description == "10.5")
        #expect(position.averageEntryPrice?.description == "187.4132")
        #expect(position.costBasis?.description == "2342.665")
        #expect(position.currentPrice?.description == "227.45")
        #expect(position.marketValue?.description == "2843.125")
        #expect(position.currency == "USD")
        #expect(position.unrealizedProfitLoss?.description == "500.46")
        #expect(position.unrealizedProfitLossPercent?.description == "21.36285")
        #expect(position.dayProfitLoss?.description == "18.125")
        #expect(position.dayProfitLossPercent?.description == "0.64159")
        #expect(position.provenance == Provenance(source: .alpaca, fetchedAt: fetchedAt))
    }

    @Test("that is short is the same whichever sign its figures came with")
    func short() throws {
        let negative = try example("positions")
        let positive =
            try negative
            .replacing(#""qty":"-3""#, with: #""qty":"3""#)
            .replacing(#""qty_available":"-3""#, with: #""qty_available":"3""#)
            .replacing(#""-1467.36""#, with: #""1467.36""#)
            .replacing(#""-1468.5""#, with: #""1468.5""#)
        let short = try positions(negative)[1]
        #expect(short == (try positions(positive)[1]))
        #expect(short.symbol == Symbol("BRK.B"))
        #expect(short.side == .short)
        #expect(short.quantity == 3)
        #expect(short.availableQuantity == 3)
        #expect(short.marketValue?.description == "-1467.36")
        #expect(short.costBasis?.description == "-1468.5")
        #expect(short.unrealizedProfitLoss?.description == "1.14")
        #expect(short.unrealizedProfitLossPercent?.description == "0.0776302349336")
        #expect(short.dayProfitLossPercent?.description == "-0.040907")
    }

    @Test("without a price has no figure that needs one, and keeps nine digits of its quantity")
    func unpriced() throws {
        let unpriced = try positions(example("positions"))[2]
        #expect(unpriced.quantity.description == "0.123456789")
        #expect(unpriced.costBasis?.description == "0.9999999909")
        #expect(unpriced.marketValue == nil)
        #expect(unpriced.currentPrice == nil)
        #expect(unpriced.unrealizedProfitLoss == nil)
        #expect(unpriced.unrealizedProfitLossPercent == nil)
        #expect(unpriced.dayProfitLoss == nil)
        #expect(unpriced.dayProfitLossPercent == nil)
    }

    @Test(
        "tells a factor in per cent without losing or adding a digit",
        arguments: [
            ("\"0.2136285\"", "21.36285"), ("0.0064", "0.64"), ("1", "100"), ("\"0.5\"", "50.0"),
            ("-0.1", "-10.0"),
            ("1e-3", "0.1"), ("0", "0"),
        ])
    func percents(factor: String, percent: String) throws {
        let body = try example("position").replacing(#""0.2136285""#, with: factor)
        let position = try AlpacaPosition(json: body).position(fetchedAt: fetchedAt)
        #expect(position.unrealizedProfitLossPercent?.description == percent)
    }

    @Test(
        "that cannot be read is named with its place",
        arguments: [
            (#""qty":"-3""#, #""qty":true"#, "[1].qty: expected a decimal, found true (byte 612)"),
            (
                #""qty":"-3""#, #""qty":"three""#,
                "[1].qty: expected a decimal, found a string that is none (byte 612)"
            ),
            (#""qty":"-3","#, "", #"[1]: no "qty" (byte 929)"#),
            (
                #""side":"short""#, #""side":"flat""#,
                "[1].side: expected one of long, short, found a string that is none (byte 671)"
            ),
            (
                #""symbol":"BRK.B""#, #""symbol":"BRK B""#,
                "[1].symbol: expected one of the symbols that markets have, found a string that is none (byte 530)"
            ),
            (
                #""0.000776302349336""#, #""1e37""#,
                #"[1].unrealized_plpc: no "factor that can be told in per cent" (byte 775)"#
            ),
        ])
    func refusals(old: String, new: String, message: String) throws {
        let body = try example("positions").replacing(old, with: new)
        let error = #expect(throws: JSONError.self) { try decodeList(of: AlpacaPosition.self, from: body) }
        #expect(error?.description == message)
    }
}
