import Brokerage
import Testing
import Upstream

@Suite("A table of paths")
struct JSONPathFieldsTests {
    private struct Item: Sendable, Hashable {
        var price = Decimal.zero
        var name: String?
        var other: String?
        var first: Decimal?
        var second: Decimal?
    }

    private static let fields = JSONPathFields(Item()) {
        $0.required(JSONPath([.key("last"), .key("price")]), \.price) { reader throws(JSONError) in
            try reader.decimal()
        }
        $0.optional(JSONPath([.key("name")]), \.name) { reader throws(JSONError) in try reader.string() }
        $0.optional(JSONPath([.key("name")]), \.other) { reader throws(JSONError) in try reader.string() }
        $0.optional(JSONPath([.key("book"), .index(0), .key("p")]), \.first) { reader throws(JSONError) in
            try reader.decimal()
        }
        $0.optional(JSONPath([.key("book"), .index(2)]), \.second) { reader throws(JSONError) in
            try reader.decimal()
        }
    }

    private func read(_ text: String) throws(JSONError) -> Item {
        try JSONReader.read(Array(text.utf8)) { reader throws(JSONError) in
            try Self.fields.read(from: &reader)
        }
    }

    @Test("reads nested values, elements, and one value for several properties, in any order")
    func values() throws {
        let item = try read(
            #"{"x": {"last": 1}, "book": [{"q": 1, "p": "2.50"}, [], 3, 4], "name": "N", "last": {"price": 1.10}}"#
        )
        #expect(
            item
                == Item(
                    price: Decimal("1.10") ?? .zero, name: "N", other: "N", first: Decimal("2.5"), second: 3))
    }

    @Test(
        "leaves properties whose values are missing or null",
        arguments: [
            #"{"last": {"price": 1}}"#, #"{"last": {"price": 1}, "book": null, "name": null}"#,
            #"{"last": {"price": 1}, "book": []}"#, #"{"last": {"price": 1}, "book": [null, 1, null]}"#,
        ])
    func missing(text: String) throws {
        #expect(try read(text) == Item(price: 1))
    }

    @Test(
        "reports a required value that is missing, and a value of another form, with its path",
        arguments: [
            (#"{}"#, #"no "last" (byte 2)"#), (#"{"last": null}"#, #"no "last" (byte 14)"#),
            (#"{"last": {}}"#, #"last: no "price" (byte 11)"#),
            (#"{"last": {"price": null}}"#, "last.price: expected a decimal, found null (byte 19)"),
            (#"{"last": 1}"#, "last: expected an object, found a number (byte 9)"),
            (#"{"book": [{"p": true}]}"#, "book[0].p: expected a decimal, found true (byte 16)"),
            (#"{"book": {}}"#, "book: expected an array, found an object (byte 9)"),
            (#"{"name": 5}"#, "name: expected a string, found a number (byte 9)"),
            (#"[]"#, "expected an object, found an array (byte 0)"),
        ])
    func errors(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try read(text) }
        #expect(error?.description == message)
    }
}
