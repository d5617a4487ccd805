import Testing
import Upstream

@Suite("The filter of members of a long list")
struct JSONMemberFilterTests {
    /// What is kept of a text that arrives in parts of a length.
    private func kept(_ text: String, _ names: Set<String> = ["a", "b"], parts: Int) -> String {
        var filter = JSONMemberFilter(keeping: names, maximumBytes: 1 << 20)
        var body: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: parts) {
            let part = bytes[start..<min(start + parts, bytes.count)]
            #expect(filter.append(part, count: part.count, to: &body))
        }
        return String(decoding: body, as: UTF8.self)
    }

    @Test(
        "keeps the named members of each object, wherever the text is divided",
        arguments: [
            (#"[{"a":1,"x":2,"b":"3"},{"x":1},{"b":null}]"#, #"[{"a":1,"b":"3"},{},{"b":null}]"#),
            (#" [ { "a" : [ 1 , { "x" : 2 } ] , "x" : [ { "a" : 1 } ] } ] "#, #"[{"a":[1,{"x":2}]}] "#),
            (#"[{"x":"} ] , \" { [ : \\","a":"} ] , \" \\ : é"}]"#, #"[{"a":"} ] , \" \\ : é"}]"#),
            (#"[1,"a",null,[{"x":1}],{"x":1,"b":true}]"#, #"[1,"a",null,[{"x":1}],{"b":true}]"#),
            ("[]", "[]"), ("[{}]", "[{}]"),
            // Names are compared as they are written.
            (#"[{"aa":1,"A":1,"\u0061":1,"":1}]"#, "[{}]"),
            // Other documents stay as they are.
            (#"{"code":40310000, "message":"no"}"#, #"{"code":40310000, "message":"no"}"#),
            ("<html>[{}]</html>", "<html>[{}]</html>"), ("", ""),
        ])
    func members(text: String, expected: String) {
        for parts in [1, 2, 3, 7, 1_000] { #expect(kept(text, parts: parts) == expected, "\(parts)") }
    }

    @Test("leaves a text that ends too early invalid", arguments: [#"[{"a":1"#, #"[{"x":"1"#, #"[{"a":1},"#])
    func truncated(text: String) {
        let rest = kept(text, parts: 1)
        #expect(throws: JSONError.self) {
            try JSONReader.read(Array(rest.utf8)) { reader throws(JSONError) in try reader.skip() }
        }
    }

    @Test("takes at most its number of bytes, and keeps no long name")
    func bounds() {
        var filter = JSONMemberFilter(keeping: ["a"], maximumBytes: 100_000)
        var body: [UInt8] = []
        let name = String(repeating: "n", count: 90_000)
        let text = Array(#"[{"\#(name)":1,"a":2}]"#.utf8)
        #expect(filter.append(text, count: text.count, to: &body))
        #expect(String(decoding: body, as: UTF8.self) == #"[{"a":2}]"#)
        #expect(!filter.append(text, count: text.count, to: &body))
    }
}
