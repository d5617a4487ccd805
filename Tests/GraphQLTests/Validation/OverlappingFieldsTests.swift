import GraphQL
import Testing

@Suite("Overlapping fields can be merged")
struct OverlappingFieldsTests {
    @Test("fields that cannot are told, with the reason and all places", arguments: BadDocument.conflicts)
    func conflicts(_ bad: BadDocument) throws {
        let hint = ". Use different aliases on the fields to fetch both if this was intentional."
        try expectErrors(bad.document, [ExpectedError(bad.message + hint, at: bad.places)])
    }

    @Test("ten thousand repeated fields are one field, in fragments too")
    func repeated() throws {
        let fields = String(repeating: "account { id ...F } ", count: 10_000)
        try expectValid(
            "{ \(fields) ...G } fragment F on Account { id name } fragment G on Query { \(fields) }")
    }

    @Test("one field that differs among ten thousand is found")
    func differing() throws {
        let fields = String(repeating: "side ", count: 10_000)
        let options = ValidationOptions(maximumErrors: 10)
        let errors = try validationErrors(of: "{ \(fields) side: __typename }", options: options)
        #expect(errors.count == 11)
        #expect(
            errors.first
                == ExpectedError(
                    "Fields \"side\" conflict because \"side\" and \"__typename\" are different fields. "
                        + "Use different aliases on the fields to fetch both if this was intentional.",
                    at: "1:3 1:50004"))
    }

    @Test("a conflict far down a chain of fragments is found")
    func deep() throws {
        let chain = (0..<2000).map { "fragment F\($0) on Account { ...F\($0 + 1) }" }.joined(separator: "\n")
        let errors = try validationErrors(
            of: "{ account { name ...F0 } }\n\(chain)\nfragment F2000 on Account { name: id }")
        #expect(errors.map(\.places) == ["1:13 2002:29"])
        #expect(
            errors[0].message.hasPrefix("Fields \"name\" conflict because \"name\" and \"id\" are different"))
    }

    @Test("what would take too long to compare is refused")
    func tooComplex() throws {
        // At each level the fields on two object types form two groups, each with one separate field, which
        // the next level splits again.
        func own(_ type: String, _ depth: Int) -> String {
            let nested = (0..<depth).reduce("id") { inner, _ in "related { \(inner) }" }
            return "... on \(type) { related { \(nested) } }"
        }
        let levels = 24
        let fragments = (0..<levels).map { level in
            "fragment F\(level) on Instrument { \(own("Stock", levels - level)) \(own("Bond", levels - level)) "
                + "related { ...F\(level + 1) } }"
        }
        let text = "{ instrument { ...F0 } } \(fragments.joined()) fragment F\(levels) on Instrument { id }"
        let errors = try validationErrors(of: text)
        #expect(errors.map(\.places) == ["1:1"])
        #expect(errors.first?.message.hasPrefix("Too many combinations of fragments") == true)
    }
}

extension BadDocument {
    static let conflicts: [BadDocument] = [
        .init(
            "other field", "{ account { id: name id } }",
            "Fields \"id\" conflict because \"name\" and \"id\" are different fields", at: "1:13 1:22"),
        .init(
            "other arguments", "{ number(int: 1) number }",
            "Fields \"number\" conflict because they have differing arguments", at: "1:3 1:18"),
        .init(
            "block string", "{ number(string: \"a\") number(string: \"\"\"a\"\"\") }",
            "Fields \"number\" conflict because they have differing arguments", at: "1:3 1:23"),
        .init(
            "other type on exclusive objects", "{ search { ... on Stock { price } ... on Bond { price } } }",
            "Fields \"price\" conflict because they return conflicting types \"Float!\" and \"Float\"",
            at: "1:27 1:49"),
        .init(
            "through fragments", "{ account { ...A id } } fragment A on Account { id: name }",
            "Fields \"id\" conflict because \"id\" and \"name\" are different fields", at: "1:18 1:49"),
        .init(
            "nested", "{ account { orders { x: id y: id } } account { orders { x: side y: side } } }",
            "Fields \"account\" conflict because subfields \"orders\" conflict because subfields \"x\" conflict "
                + "because \"id\" and \"side\" are different fields and subfields \"y\" conflict because \"id\" and "
                + "\"side\" are different fields",
            at: "1:3 1:13 1:22 1:28 1:38 1:48 1:57 1:65"),
        .init(
            "below exclusive objects",
            "{ search { ... on Stock { related { x: id } } ... on Bond { related { x: related { id } } } } }",
            "Fields \"related\" conflict because subfields \"x\" conflict because they return conflicting types "
                + "\"ID!\" and \"[Instrument!]!\"",
            at: "1:27 1:37 1:61 1:71"),
        .init(
            "with an abstract type",
            "{ instrument { ... on Stock { x: price } x: id ... on Bond { y: price } } }",
            "Fields \"x\" conflict because \"price\" and \"id\" are different fields", at: "1:31 1:42"),
    ]
}
