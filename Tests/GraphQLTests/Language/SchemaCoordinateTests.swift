import GraphQL
import Testing

@Suite("Schema coordinates")
struct SchemaCoordinateTests {
    @Test(
        "Each kind is read and written back",
        arguments: [
            ("Type", .type("Type")), ("Type.field", .member(type: "Type", name: "field")),
            ("Type.field(arg:)", .argument(type: "Type", field: "field", name: "arg")),
            ("@directive", .directive("directive")),
            ("@directive(arg:)", .directiveArgument(directive: "directive", name: "arg")),
            ("__Type.__typename", .member(type: "__Type", name: "__typename")),
        ] as [(String, SchemaCoordinate)])
    func reads(text: String, coordinate: SchemaCoordinate) throws {
        #expect(try SchemaCoordinate(text) == coordinate)
        #expect(coordinate.description == text)
    }

    @Test(
        "Anything else is refused with its place",
        arguments: [
            ("", "Expected Name, found <EOF>.", 1), ("A.", "Expected Name, found <EOF>.", 3),
            ("A.b.c", #"Expected <EOF>, found "."."#, 4), ("A(b:)", #"Expected <EOF>, found "("."#, 2),
            ("A.b(c)", #"Expected ":", found ")"."#, 6), ("A.b(c:", #"Expected ")", found <EOF>."#, 7),
            ("A .b", #"Invalid character: " "."#, 2), ("@", "Expected Name, found <EOF>.", 2),
            ("@a.b", #"Expected <EOF>, found "."."#, 3), ("A.b(c: d)", #"Invalid character: " "."#, 7),
            (".a", #"Expected Name, found "."."#, 1), ("é", "Invalid character: U+00E9.", 1),
        ])
    func refuses(text: String, message: String, column: Int) {
        let error = #expect(throws: SyntaxError.self) { try SchemaCoordinate(text) }
        #expect(error?.message == "Syntax Error: \(message)")
        #expect(error?.location == SourceLocation(line: 1, column: column))
    }

    @Test("A text longer than the limit is not read")
    func limit() {
        let error = #expect(throws: SyntaxError.self) {
            try SchemaCoordinate(parsing: SourceText("Type"), limits: ParserLimits(bytes: 3))
        }
        #expect(error?.cause == .tooManyBytes(limit: 3))
    }
}
