import Contract
import Gateway
import GraphQL
import Testing

@Suite("The public schema")
struct SchemaBindingTests {
    @Test("has bindings for all fields")
    func isBound() throws {
        _ = try ExecutableSchema(contract: Contract.schemaText)
    }

    @Test("that differs from the bindings is rejected with every difference and its location")
    func differs() throws {
        var text = Contract.schemaText
        for (old, new) in [
            ("  canTrade: Boolean\n", "  mayTrade: Boolean\n"),
            ("  buyingPower: Decimal\n", "  buyingPower: Float\n"),
            ("    interval: Interval\n", "    every: Interval\n"),
        ] {
            #expect(text.contains(old))
            text = text.replacing(old, with: new)
        }
        let broken = text
        let error = #expect(throws: BindingError.self) {
            try ExecutableSchema<RequestScope>(contract: broken)
        }
        let places = Set(error?.differences.map(\.coordinate) ?? [])
        #expect(
            places.isSuperset(of: [
                "Account.canTrade", "Account.mayTrade", "Account.buyingPower", "Account.history(interval:)",
                "Account.history(every:)",
            ]), "\(places)")
    }
}
