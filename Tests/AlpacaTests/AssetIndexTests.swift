import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

/// Alpaca lists 12,000 assets, and up to 33,000 with those over the counter; a row has some 600 bytes.
@Suite("The list of all assets of Alpaca")
struct AssetIndexTests {
    /// A list of this size, with all members of Alpaca's example.
    private static func list(_ count: Int) -> [UInt8] {
        let words = ["Global", "Industries", "Holdings", "Therapeutics", "Capital", "Resources", "Trust"]
        var text = "["
        for number in 0..<count {
            if number > 0 { text += "," }
            let name =
                "\(words[number % 7]) \(words[number / 7 % 7]) Number \(number) Common Stock, $0.001 par value"
            text += #"""
                {"id":"b0b6dd9d-8b9b-48a9-ba46-b9d549\#(100_000 + number)","class":"us_equity","exchange":"\#(number % 3 == 0 ? "OTC" : "NASDAQ")", "symbol":"\#(ticker(number))","name":"\#(name)","status":"active","tradable":\#(number % 3 != 0),"marginable":true,"maintenance_margin_requirement":30,"margin_requirement_long":"30","margin_requirement_short":"30","shortable":true,"easy_to_borrow":true,"borrow_status":"easy_to_borrow","fractionable":true,"cusip":"037833100","attributes":["fractional_eh_enabled","has_options","ptp_no_exception"],"padding":{"a":[1,{"b":"} ] , \" \\"}]}}
                """#
        }
        return Array((text + "]").utf8)
    }

    /// Four letters: `AAAA`, `AAAB` and so on.
    private static func ticker(_ number: Int) -> String {
        var (letters, rest) = ([Character](), number)
        for _ in 0..<4 {
            letters.insert(Character(UnicodeScalar(UInt8(65 + rest % 26))), at: 0)
            rest /= 26
        }
        return String(letters)
    }

    @Test("is read, searched and kept at its real size, within its bounds", arguments: [12_000, 33_000])
    func size(count: Int) async throws {
        let body = Self.list(count)
        try await withAlpaca(answering: { _, _ in .body(body) }) { alpaca, server in
            let first = try await alpaca.search(Self.ticker(7), limit: 3, in: .patient)
            #expect(first.first?.instrument.symbol.text == Self.ticker(7))
            let last = try await alpaca.search("number \(count - 1)", limit: 3, in: .patient)
            #expect(last.map(\.instrument.symbol.text) == [Self.ticker(count - 1)])
            #expect(last.first?.instrument.name?.hasSuffix("Common Stock, $0.001 par value") == true)
            // The list is kept: there is one call, and an instrument costs none.
            let known = try await alpaca.instrument(symbol(Self.ticker(count - 2)), in: .patient)
            #expect(known.listing?.isFractionable == true && known.currency == "USD")
            #expect(server.requests.count == 1)
        }
        let index = try JSONReader.read(body) { reader throws(JSONError) in
            try AlpacaAssetIndex(json: &reader, fetchedAt: wallTime)
        }
        #expect(index.count == count)
        #expect(index.weight < AlpacaAssetCache.weightLimit, "\(index.weight) bytes")
        // Measured with 33,000 assets: a response of 21 MB takes some 7 MB while it is read, and then 7 MB.
        #expect(index.weight / count < 260, "\(index.weight / count) bytes of each")
    }

    @Test("that is longer than its limit is refused")
    func tooLong() async throws {
        // Each row is kept as a whole.
        let row = #"{"symbol":"AAPL","name":"\#(String(repeating: "x", count: 60_000))"}"#
        let body = Array("[\(Array(repeating: row, count: 200).joined(separator: ","))]".utf8)
        #expect(body.count > AlpacaAssetCache.responseLimit)
        try await withAlpaca(answering: { _, _ in .body(body) }) { alpaca, _ in
            await #expect(throws: ProviderFailure(.alpaca, .invalidResponse(nil))) {
                try await alpaca.search("x", limit: 1, in: .patient)
            }
        }
    }
}
