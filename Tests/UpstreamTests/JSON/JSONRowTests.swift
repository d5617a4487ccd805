import Brokerage
import Testing
import Upstream

@Suite("A list with a row that cannot be read")
struct JSONRowTests {
    private struct Row: JSONObjectDecodable, Hashable {
        var id = ""
        var price: Decimal?
        var parts: [Part] = []

        static let json = JSONFields(Self()) {
            $0.required("id", \.id)
            $0.optional("price", \.price)
            $0.optional("parts", \.parts)
        }
    }

    private struct Part: JSONObjectDecodable, Hashable {
        var size = Decimal.zero

        static let json = JSONFields(Self()) { $0.required("size", \.size) }
    }

    private func rows(_ text: String) throws(JSONError) -> JSONRows<Row> {
        try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in try reader.rows(of: Row.self) }
    }

    private static let first = #"{"id":"first","price":1.5,"parts":[{"size":1},{"size":2}]}"#
    private static let last = #"{"id":"last","price":"2","parts":[{"size":3}]}"#

    @Test(
        "has the other rows, and the place and the reason of the failure",
        arguments: [
            ("7", "[1]: expected an object, found a number"), ("null", "[1]: expected an object, found null"),
            (#""text""#, "[1]: expected an object, found a string"),
            ("[]", "[1]: expected an object, found an array"),
            ("{}", #"[1]: no "id""#), (#"{"price":1}"#, #"[1]: no "id""#),
            (
                #"{"id":"x","price":{"a":{"b":[1,{"c":2}]}}}"#,
                "[1].price: expected a decimal, found an object"
            ),
            (
                #"{"id":"x","price":"\#(String(repeating: "9", count: 10_000))"}"#,
                "[1].price: a decimal out of range"
            ),
            (#"{"id":"x","price":1e99}"#, "[1].price: a decimal out of range"),
            (
                #"{"id":"x","parts":[{"size":1},{"size":2,"more":{"deep":[[]]}},{"sizes":2}],"price":3}"#,
                #"[1].parts[2]: no "size""#
            ),
        ])
    func unreadable(row: String, reason: String) throws {
        let rows = try rows("[\(Self.first), \(row) ,\(Self.last)]")
        #expect(rows.elements.map(\.id) == ["first", "last"])
        #expect(rows.elements.map(\.price) == [Decimal("1.5"), 2])
        #expect(rows.elements.map(\.parts.count) == [2, 1])
        #expect(rows.failures.count == 1)
        #expect(rows.failures.first?.description.hasPrefix(reason + " (byte ") == true, "\(rows.failures)")
    }

    @Test("has every failure")
    func several() throws {
        let rows = try rows("[1,\(Self.first),{},\(Self.last),true]")
        #expect(rows.failures.map(\.pathDescription) == ["[0]", "[2]", "[4]"])
        #expect(rows.elements.count == 2)
    }

    @Test(
        "is a fault if the text is not JSON",
        arguments: [
            ("[{\"id\":1},{\"id\":", "the text ends too early"), ("[{\"id\":1}", "the text ends too early"),
            (#"[{"id":1,},{"id":"x"}]"#, "unexpected"),
        ])
    func malformed(text: String, reason: String) {
        let error = #expect(throws: JSONError.self) { try rows(text) }
        #expect(error?.description.contains(reason) == true, "\(error as Any)")
    }

    @Test(
        "has the other rows if a row has a key twice",
        arguments: [
            #"{"price":1,"price":2}"#, #"{"id":"x","price":1,"price":2}"#, #"{"id":"y","id":"z"}"#,
            #"{"id":"x","parts":[{"size":1,"size":2}]}"#,
        ])
    func duplicateKey(row: String) throws {
        // A row that was left before has changed the known keys: the next one must be compared completely.
        for before in [#"{"price":true,"a":1}"#, #"{"id":"x","parts":[{"a":1,"size":true}]}"#] {
            let rows = try rows("[\(Self.first),\(before),\(row),\(Self.last)]")
            #expect(rows.elements.map(\.id) == ["first", "last"])
            #expect(rows.failures.map(\.path.first) == [.index(1), .index(2)])
            #expect(rows.failures.last?.reason == .duplicateKey)
        }
    }

    @Test("is a fault as a whole if more rows cannot be read than the limit allows")
    func limit() throws {
        func text(_ count: Int) -> String {
            "[" + (0..<count).map(String.init).joined(separator: ",") + "]"
        }
        let limit = JSONRows<Row>.maximumFailures
        #expect(try rows(text(limit)).failures.count == limit)
        let error = #expect(throws: JSONError.self) { try rows(text(limit + 1)) }
        #expect(error?.pathDescription == "[\(limit)]")
    }

    @Test("has errors with the place of the list")
    func places() throws {
        let rows = try rows("[1,\(Self.first),{\"id\":\"x\",\"price\":[]}]")
        #expect(
            rows.unreadable(in: "results") == [
                "results[0]: expected an object, found a number (byte 1)",
                "results[2].price: expected a decimal, found an array (byte 80)",
            ])
    }

    @Test("has the rows after one with many keys, which was left in the middle")
    func manyKeys() throws {
        let keys = (0..<100).map { "\"k\($0)\":{\"k\($0)\":\($0)}" }.joined(separator: ",")
        let rows = try rows(
            "[{\(keys),\"id\":7},\(Self.first),{\(keys),\"price\":[],\"id\":\"x\"},\(Self.last)]")
        #expect(rows.elements.map(\.id) == ["first", "last"])
        #expect(rows.failures.map(\.pathDescription) == ["[0].id", "[2].price"])
        let twice = try self.rows("[{\"id\":7},{\(keys),\"k3\":1}]")
        #expect(twice.failures.map(\.reason).last == .duplicateKey)
    }
}
