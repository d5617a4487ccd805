import TestSupport
import Testing

@Suite("The YAML reader")
struct YAMLReaderTests {
    @Test("reads mappings, sequences, anchors and comments")
    func reads() throws {
        let value = try YAMLReader.value(
            of: """
                # A comment
                base: &base
                  a: "1 # no comment"   # a comment
                  list: [x, "y"]
                items:
                  - name: one
                    deep:
                    - 1
                    - 2
                  - two
                merged:
                  <<: *base
                  a: 'own'
                address: http://x:80/#y
                empty:
                """)
        let base: JSONValue = .object(["a": "1 # no comment", "list": .array(["x", "y"])])
        #expect(value["base"] == base)
        #expect(value["items"]?[0] == .object(["name": "one", "deep": .array(["1", "2"])]))
        #expect(value["items"]?[1] == "two")
        #expect(value["merged"] == .object(["a": "own", "list": .array(["x", "y"])]))
        #expect(value["address"] == "http://x:80/#y")
        #expect(value["empty"] == "")
    }

    @Test(
        "rejects other syntax with its line",
        arguments: [
            ("a: {b: 1}", "line 1: {b: 1} is not understood"),
            ("a: |\n  text", "line 1: | is not understood"),
            ("a: 1\na: 2", "line 2: a comes twice"), ("a: *b", "line 1: nothing is called *b"),
            ("a: [1", "line 1: an open list"), ("a: 1\n  b: 2", "line 2: not understood"),
            ("a", "line 1: no key"),
            ("a:\t1", "line 1: a tab"),
        ])
    func refuses(text: String, message: String) {
        let error = #expect(throws: YAMLReader.Malformed.self) { try YAMLReader.value(of: text) }
        #expect(error?.description == message)
    }
}
