import Brokerage
import Testing
import Upstream

@Suite("JSON fields")
struct JSONFieldsTests {
    /// One property for each way to add a field, and keys that are alike in length and first bytes.
    struct Sample: JSONObjectDecodable, Hashable {
        var number = Decimal.zero
        var name: String?
        var isActive = true
        var count: Int?
        var price: Decimal?
        var date = CalendarDate.earliest
        var inner: Inner?
        var list: [Inner] = []
        var merged = Inner()
        var deep = Inner()

        struct Inner: JSONObjectDecodable, Hashable {
            var first: Int?
            var second: Int?

            static let json = JSONFields(Self()) {
                $0.optional("value_of_one", \.first)
                $0.optional("value_of_two", \.second)
            }
        }

        static let json = JSONFields(Self()) {
            $0.required("number", \.number)
            $0.optional("name", \.name)
            $0.optional("active", \.isActive)
            $0.optional("count", \.count)
            $0.optional("price", \.price, Self.nonzero)
            $0.required("a key with 32 bytes, the maximum", \.date)
            $0.optional("inner", \.inner)
            $0.optional("list", \.list)
            $0.optional("deep", \.deep.second)
            $0.update("merged", \.merged) { reader, inner throws(JSONError) in
                try Inner.json.read(from: &reader, into: &inner)
            }
        }

        @Sendable
        private static func nonzero(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
            let value = try reader.decimal()
            return value.isZero ? nil : value
        }
    }

    static let required = #""number":"1.5","a key with 32 bytes, the maximum":"2026-11-20""#

    static func read(_ members: String) throws(JSONError) -> Sample {
        try Sample(json: Array("{\(members)}".utf8))
    }

    @Test("reads each kind of field, in any order")
    func fields() throws {
        var expected = Sample()
        expected.number = try #require(Decimal("1.5"))
        expected.date = try #require(CalendarDate("2026-11-20"))
        #expect(try Self.read(Self.required) == expected)
        expected.name = "n"
        expected.isActive = false
        expected.count = 7
        expected.price = 3
        expected.inner = Sample.Inner(first: 1, second: 2)
        expected.list = [Sample.Inner(first: 3), Sample.Inner()]
        expected.merged = Sample.Inner(second: 4)
        expected.deep.second = 5
        let members = [
            Self.required, #""name":"n""#, #""active":false"#, #""other":{"name":[1]}"#, #""count":7"#,
            #""price":3"#, #""inner":{"value_of_two":2,"value_of_one":1,"value_of_six":6}"#,
            #""list":[{"value_of_one":3},{}]"#, #""merged":{"value_of_two":4}"#, #""deep":5"#,
        ]
        #expect(try Self.read(members.joined(separator: ",")) == expected)
        #expect(try Self.read(members.reversed().joined(separator: ",")) == expected)
    }

    @Test("null is nil, or leaves the initial value; a required field refuses it")
    func nulls() throws {
        let nulls = #","name":null,"active":null,"count":null,"price":null,"inner":null,"list":null"#
        #expect(try Self.read(Self.required + nulls) == Self.read(Self.required))
        #expect(try Self.read(Self.required + #","price":0"#) == Self.read(Self.required))
        #expect(throws: JSONError.self) { try Self.read(#""number":null"#) }
    }

    @Test("reads into an object: null removes a value, other fields stay")
    func merging() throws {
        var inner = Sample.Inner(first: 1, second: 2)
        try JSONReader.read(Array(#"{"value_of_one":null}"#.utf8)) { reader throws(JSONError) in
            try Sample.Inner.json.read(from: &reader, into: &inner)
        }
        #expect(inner == Sample.Inner(second: 2))
    }

    @Test(
        "says which field is missing or wrong",
        arguments: [
            (#""name":"n""#, "no \"number\" (byte 12)"),
            (#""number":1"#, "no \"a key with 32 bytes, the maximum\" (byte 12)"),
            (
                #""inner":{"value_of_one":true}"#,
                "inner.value_of_one: expected an integer, found true (byte 25)"
            ),
            (#""list":[{},{"value_of_two":"x"}]"#, "list[1].value_of_two: expected an integer"),
            (#""name":"n","name":"m""#, "name: the key occurs twice"),
        ])
    func errors(_ members: String, _ text: String) {
        let error = #expect(throws: JSONError.self) { try Self.read(members) }
        #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "")")
    }
}
