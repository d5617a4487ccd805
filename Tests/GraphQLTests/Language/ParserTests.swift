import GraphQL
import Testing

@Suite("Parser")
struct ParserTests {
    @Test("Equal names share a number, in the order in which they are first met")
    func names() throws {
        let document = try parse("query b($a: b) { a b: c(a: $a) ...d } fragment d on b { c }")
        #expect(document.names == ["b", "a", "c", "d"])
    }

    @Test("Many names keep their numbers while the table grows")
    func manyNames() throws {
        let names = (0..<5000).map { "name\($0 % 2500)WithAnEndingBeyondEightBytes\($0 % 2500)" }
        let document = try parse("{ \(names.joined(separator: " ")) }")
        #expect(document.names == Array(names.prefix(2500)))
        let ids = document.selections.map { selection in
            if case .field(let field) = selection { field.name.id } else { UInt32.max }
        }
        #expect(ids == (0..<5000).map { UInt32($0 % 2500) })
    }

    @Test("Selections of one set stand side by side, behind those within them")
    func runs() throws {
        let document = try parse("{ a { b { c } d } e ... { f } }")
        #expect(
            document.selections.map(document.print).map { $0.prefix(1) } == [
                "c", "b", "d", "f", "a", "e", ".",
            ])
        let operation = try #require(document.operations.first)
        #expect(operation.selectionSet.selections == NodeRange(start: 4, count: 3))
        #expect(operation.isShorthand)
    }

    @Test("Items and fields of one value stand side by side")
    func valueRuns() throws {
        let parsed = try parseValue(SourceText("[1, { a: [2], b: { c: 3 } }, [4]]"))
        guard case .list(let items, _) = parsed.node else { throw Unexpected() }
        #expect(
            parsed.document.values[items.indices].map(parsed.document.print) == [
                "1", "{ a: [2], b: { c: 3 } }", "[4]",
            ])
        guard case .object(let fields, _) = parsed.document.values[items.indices][Int(items.start) + 1] else {
            throw Unexpected()
        }
        let names = parsed.document.objectFields[fields.indices].map { parsed.document.text($0.name) }
        #expect(names == ["a", "b"])
    }

    @Test("Spans reach from a node's first token to its last")
    func spans() throws {
        let text =
            #"query Q ( "d" $v : [ Int ! ] = [ 1 ] @x ) @y ( z : $v ) { a : b { c } , ... on T { d } ...F @g } # end"#
        let document = try parse(text)
        let operation = try #require(document.operations.first)
        func source(_ span: SourceSpan) -> String { document.source.text(span) }
        #expect(source(operation.span) == String(text.dropLast(" # end".count)))
        #expect(source(operation.selectionSet.span) == "{ a : b { c } , ... on T { d } ...F @g }")
        let variable = try #require(document.variableDefinitions.first)
        #expect(source(variable.span) == #""d" $v : [ Int ! ] = [ 1 ] @x"#)
        #expect(source(variable.variableSpan) == "$v")
        #expect(source(variable.name.span) == "v")
        #expect(source(variable.type.span) == "[ Int ! ]")
        #expect(variable.defaultValue.map { source($0.span) } == "[ 1 ]")
        #expect(document.directives.map { source($0.span) } == ["@x", "@y ( z : $v )", "@g"])
        #expect(document.arguments.map { source($0.span) } == ["z : $v"])
        let spans = document.selections.map { selection in
            switch selection {
            case .field(let field): source(field.span)
            case .fragmentSpread(let spread): source(spread.span)
            case .inlineFragment(let fragment): source(fragment.span)
            }
        }
        #expect(spans == ["c", "d", "a : b { c }", "... on T { d }", "...F @g"])
    }

    @Test("A definition's span begins with its description")
    func descriptions() throws {
        let document = try parse(##""one" type A { "two" b("three" c: D): E } """four""" query Q { a }"##)
        #expect(
            document.definitions.map { document.source.text($0.span) } == [
                ##""one" type A { "two" b("three" c: D): E }"##, ##""""four""" query Q { a }"##,
            ])
        let field = try #require(document.fieldDefinitions.first)
        #expect(field.description.map(document.string) == "two")
        #expect(document.inputValueDefinitions.first?.description.map(document.string) == "three")
        #expect(document.operations.first?.description?.isBlock == true)
    }

    @Test("Keywords are names wherever a name may stand")
    func keywords() throws {
        let text = """
            query query($fragment: on = true) @on(on: on) {
              on: query(mutation: $fragment, true: null)
              ...type
              ... on on { true false null }
            }
            fragment type on type { subscription }
            type type implements interface & implements { type(input: enum): scalar extend: extend repeatable: on }
            extend enum enum { query on schema }
            directive @directive(on: on) repeatable on QUERY
            """
        #expect(try parse(parse(text).print()).print() == parse(text).print())
    }

    @Test("Kinds of values are told apart")
    func values() throws {
        let texts = ["$a", "-0", "1.5e3", #""s""#, #""""b""""#, "true", "false", "null", "truE", "[]", "{}"]
        let kinds = try texts.map { text in
            switch try parseValue(SourceText(text), isConstant: false).node {
            case .variable: "variable"
            case .int: "int"
            case .float: "float"
            case .string(let string): string.isBlock ? "block" : "string"
            case .boolean(let value, _): "\(value)"
            case .null: "null"
            case .enum: "enum"
            case .list: "list"
            case .object: "object"
            }
        }
        #expect(
            kinds == [
                "variable", "int", "float", "string", "block", "true", "false", "null", "enum", "list",
                "object",
            ])
    }

    @Test("A value or a type alone is read to its end", arguments: ["1 2", "[1] }", "A!!", "[A]]"])
    func trailing(text: String) {
        #expect(throws: SyntaxError.self) { try parseValue(SourceText(text)) }
        #expect(throws: SyntaxError.self) { try parseType(SourceText(text)) }
    }

    @Test("A constant value has no variables, another may")
    func constants() throws {
        let error = #expect(throws: SyntaxError.self) { try parseValue(SourceText("[{ a: $b }]")) }
        #expect(error?.message == #"Syntax Error: Unexpected variable "$b" in constant value."#)
        #expect(error?.location == SourceLocation(line: 1, column: 7))
        #expect(try parseValue(SourceText("[{ a: $b }]"), isConstant: false).print() == "[{ a: $b }]")
    }

    @Test(
        "Types are read with their lists and exclamation marks",
        arguments: ["A", "A!", "[A]", "[A!]", "[A]!", "[A!]!", "[[A!]]!"])
    func types(text: String) throws {
        #expect(try parseType(SourceText(text)).print() == text)
    }

    private struct Unexpected: Error {}
}

extension Document {
    /// The operations in the order of the text.
    fileprivate var operations: [OperationDefinition] {
        definitions.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
    }
}
