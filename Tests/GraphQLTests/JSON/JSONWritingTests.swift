import GraphQL
import Testing

@Suite("The JSON of an input value")
struct JSONWritingTests {
    @Test("is read as the same value", arguments: GoodJSON.all)
    func comesBack(_ good: GoodJSON) throws {
        #expect(try InputValue(json: good.value.json) == good.value)
    }

    @Test("keeps digits and escapes what must be")
    func text() {
        let value: InputValue = .object([
            "a": .list([.null, .boolean(true), .int(-1), .number("1.50")]), "b\"": .string("\u{1}é"),
            "c": .enum("RED"),
        ])
        #expect(
            String(decoding: value.json, as: UTF8.self)
                == #"{"a":[null,true,-1,1.50],"b\"":"\u0001é","c":"RED"}"#)
    }
}
