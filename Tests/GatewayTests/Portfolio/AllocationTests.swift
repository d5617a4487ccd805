import Brokerage
import Testing

@testable import Gateway

@Suite("The slices of an allocation")
struct AllocationTests {
    @Test(
        "have percentages of a positive total only",
        arguments: [
            (["75", "25"], ["75.0000", "25.0000"]), (["150", "-50"], ["150.0000", "-50.0000"]),
            // A negative total turns the signs around, and zero has no parts.
            (["100", "-150"], [nil, nil]), (["50", "-50"], [nil, nil]), (["0"], [nil]),
        ] as [([String], [String?])])
    func percentages(values: [String], percentages: [String?]) throws {
        let held = try values.enumerated().map { index, value in
            ValuedHolding(value: try #require(Decimal(value)), keys: [.instrument: "\(index)"])
        }
        let slices = try Allocation.slices(of: held, in: Currency("USD"), by: .instrument)
        #expect(slices.map(\.percent?.description) == percentages)
        #expect(slices.map(\.key) == values.indices.map(String.init))
    }
}
