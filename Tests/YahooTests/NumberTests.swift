import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

@Suite("Numbers")
struct NumberTests {
    /// An example with each number in a string.
    private func stringified(_ name: String) throws -> String {
        let body = try example(name)
        let text = body.replacing(#/([:,\[])(-?[0-9]+(?:\.[0-9]+)?)(?=[,\]}])/#) { match in
            "\(match.1)\"\(match.2)\""
        }
        #expect(text != body)
        return text
    }

    @Test("may be strings in quotes")
    func quotes() throws {
        let own = try decode(YahooQuotes.self, from: example("quote"))
        #expect(try decode(YahooQuotes.self, from: stringified("quote")).quotes == own.quotes)
    }

    @Test("may be strings in charts")
    func charts() throws {
        func chart(_ body: String) throws -> YahooChart? {
            try JSONReader.read(Array(body.utf8)) { reader throws(JSONError) in
                try YahooChart.response(json: &reader)
            }
        }
        let own = try #require(try chart(example("chart")))
        let other = try #require(try chart(stringified("chart")))
        #expect(other.meta == own.meta)
        #expect(other.times == own.times)
        #expect(other.columns == own.columns)
    }
}
