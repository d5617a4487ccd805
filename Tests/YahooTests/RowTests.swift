import Brokerage
import ProviderTestSupport
import Synchronization
import TestSupport
import Testing
import Upstream
import Yahoo

@Suite("A list of Yahoo with an unusual row")
struct RowTests {
    @Test("of quotes has the other rows with their values, and an error that names the member and no value")
    func quotes() async throws {
        let row = try #require(JSONValue(parsing: example("quote"))["quoteResponse"]?["result"]?[0])
        func other(_ name: String) -> String {
            #"{"symbol":"\#(name)","quoteType":"EQUITY","currency":"USD","regularMarketPrice":12.5}"#
        }
        let names = ["IBM", "AAPL", "KO"]
        let variants = RowVariant.all(of: row)
        #expect(variants.count > 200)
        let bodies = variants.map {
            #"{"quoteResponse":{"result":[\#(other("IBM")),\#($0.text),\#(other("KO"))],"error":null}}"#
        }
        let calls = Atomic(0)
        let answers = Answers(others: { _ in .text(bodies[calls.add(1, ordering: .relaxed).oldValue]) })
        try await withYahoo(answers) { client, _ in
            for variant in variants {
                let name = "\(variant.member) \(variant.change)"
                let quotes = try await client.quotes(for: names.map(symbol), in: .patient)
                for other in ["IBM", "KO"] {
                    #expect(try quotes[symbol(other)]?.price == Decimal("12.5"), "\(name)")
                }
                let failure = try quotes.failures[symbol("AAPL")]?.description ?? ""
                #expect(
                    !failure.contains("private value") && !failure.contains("UNHEARD_OF"),
                    "\(name): \(failure)")
            }
        }
    }
}
