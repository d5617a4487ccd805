import GraphQL
import GraphQLTools
import Testing

/// A change that the reference implementation does not compare.
struct DefinitionChange: CustomTestStringConvertible, Sendable {
    struct Found: Hashable, Sendable {
        let impact: SchemaChange.Impact
        let kind: SchemaChange.Kind
        let coordinate: String
        let message: String

        init(
            _ impact: SchemaChange.Impact, _ kind: SchemaChange.Kind, _ coordinate: String, _ message: String
        ) {
            (self.impact, self.kind, self.coordinate, self.message) = (impact, kind, coordinate, message)
        }
    }

    let title: String
    /// A part of `DefinitionChangeTests.schema`, and its replacement.
    let change: (old: String, new: String)
    let changes: [Found]

    var testDescription: String { title }
}

@Suite("Changes of @oneOf, @specifiedBy, deprecations, applied directives and root types")
struct DefinitionChangeTests {
    static let schema = """
        directive @tag(name: String!, note: String = "none") repeatable on SCHEMA | SCALAR | OBJECT | INTERFACE | UNION \
        | ENUM | ENUM_VALUE | FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_OBJECT | INPUT_FIELD_DEFINITION
        directive @trace(level: Int) on FIELD
        schema @tag(name: "s") { query: Query }
        type Query {
          account(id: ID, by: By): Account node: Node one: One time: Time
          old: Int @deprecated(reason: "Old.") stamp: Stamp only(by: Only): Int tagged: Int @tag(name: "t", note: "n")
        }
        scalar Stamp @specifiedBy(url: "https://b.example")
        input Only @oneOf { a: Int b: Int }
        interface Node { id: ID }
        type Account { id: ID kind: Kind }
        union One = Account
        enum Kind { CASH MARGIN }
        input By { id: ID name: String }
        type Mutation { act: Int }
        scalar Time
        """

    @Test("are reported and classified", arguments: DefinitionChange.all)
    func reported(_ test: DefinitionChange) throws {
        let text = Self.schema.replacing(test.change.old, with: test.change.new)
        try #require(text != Self.schema)
        let changes = try Schema.build(Self.schema).changes(to: Schema.build(text))
        let found = changes.map {
            DefinitionChange.Found($0.impact, $0.kind, $0.subject.description, $0.description)
        }
        #expect(found == test.changes)
    }

    @Test("are reported when they are undone", arguments: DefinitionChange.all)
    func undone(_ test: DefinitionChange) throws {
        let text = Self.schema.replacing(test.change.old, with: test.change.new)
        let changes = try Schema.build(text).changes(to: Schema.build(Self.schema))
        #expect(changes.count == test.changes.count)
        #expect(Set(changes.map(\.subject)).count == Set(test.changes.map(\.coordinate)).count)
    }

    @Test("of form without a change of meaning are not reported")
    func same() throws {
        let one = "directive @tag(name: String, note: String = \"a\") on OBJECT type Query @tag"
        let texts = ["(name: \"x\", note: \"a\")", "(note: \"a\", name: \"x\")", "(name: \"x\")"]
        let schemas = try texts.map { try Schema.build(one + $0 + " { a: Int }") }
        for schema in schemas { #expect(schemas[0].changes(to: schema).isEmpty) }
    }
}

extension DefinitionChange {
    static let all =
        [
            DefinitionChange(
                title: "an input object becomes @oneOf", change: ("input By {", "input By @oneOf {"),
                changes: [
                    Found(
                        .breaking, .oneOfAdded, "By",
                        "@oneOf was added to By: it takes exactly one of its fields now.")
                ]),
            DefinitionChange(
                title: "a scalar gets @specifiedBy",
                change: ("scalar Time", #"scalar Time @specifiedBy(url: "https://a.example")"#),
                changes: [
                    Found(
                        .safe, .specifiedByAdded, "Time", "@specifiedBy https://a.example was added to Time.")
                ]),
            DefinitionChange(
                title: "a field is deprecated",
                change: ("node: Node", #"node: Node @deprecated(reason: "Use `account`.")"#),
                changes: [
                    Found(.safe, .deprecationAdded, "Query.node", "Query.node was deprecated: Use `account`.")
                ]),
            DefinitionChange(
                title: "an argument is deprecated",
                change: ("account(id: ID,", #"account(id: ID @deprecated(reason: "Use `by`."),"#),
                changes: [
                    Found(
                        .safe, .deprecationAdded, "Query.account(id:)",
                        "Query.account(id:) was deprecated: Use `by`.")
                ]),
            DefinitionChange(
                title: "an input field is deprecated",
                change: (
                    "{ id: ID name: String }", #"{ id: ID @deprecated(reason: "Use it not.") name: String }"#
                ),
                changes: [Found(.safe, .deprecationAdded, "By.id", "By.id was deprecated: Use it not.")]),
            DefinitionChange(
                title: "an enum value is deprecated",
                change: ("MARGIN", #"MARGIN @deprecated(reason: "Gone.")"#),
                changes: [Found(.safe, .deprecationAdded, "Kind.MARGIN", "Kind.MARGIN was deprecated: Gone.")]
            ),
            DefinitionChange(
                title: "an argument of a directive is deprecated",
                change: ("level: Int", #"level: Int @deprecated(reason: "Gone.")"#),
                changes: [
                    Found(.safe, .deprecationAdded, "@trace(level:)", "@trace(level:) was deprecated: Gone.")
                ]),
            DefinitionChange(
                title: "the schema definition gets a directive",
                change: ("schema @tag", #"schema @tag(name: "a") @tag"#),
                changes: [
                    Found(
                        .dangerous, .schemaDirectiveAdded, "Query",
                        #"@tag(name: "a", note: "none") was added to the schema definition."#)
                ]),
            DefinitionChange(
                title: "the schema gets mutations",
                change: ("{ query: Query }", "{ query: Query mutation: Mutation }"),
                changes: [
                    Found(.safe, .rootTypeAdded, "Mutation", "Mutation was added as the mutation type.")
                ]),
            DefinitionChange(
                title: "the query type changes", change: ("{ query: Query }", "{ query: Account }"),
                changes: [
                    Found(
                        .breaking, .rootTypeChanged, "Query", "The query type changed from Query to Account.")
                ]),
        ] + directives + changed

    /// A directive on each kind of definition.
    private static let directives = [
        ("scalar Time", "scalar Time @tag(name: \"a\")", "Time"),
        ("type Account {", "type Account @tag(name: \"a\") {", "Account"),
        ("interface Node {", "interface Node @tag(name: \"a\") {", "Node"),
        ("union One =", "union One @tag(name: \"a\") =", "One"),
        ("enum Kind {", "enum Kind @tag(name: \"a\") {", "Kind"),
        ("input By {", "input By @tag(name: \"a\") {", "By"),
        ("CASH", "CASH @tag(name: \"a\")", "Kind.CASH"),
        ("node: Node", "node: Node @tag(name: \"a\")", "Query.node"),
        ("by: By", "by: By @tag(name: \"a\")", "Query.account(by:)"),
        ("name: String }", "name: String @tag(name: \"a\") }", "By.name"),
        ("level: Int", "level: Int @tag(name: \"a\")", "@trace(level:)"),
    ].map { old, new, coordinate in
        DefinitionChange(
            title: "a directive is added to \(coordinate)", change: (old, new),
            changes: [
                Found(
                    .dangerous, .appliedDirectiveAdded, coordinate,
                    #"@tag(name: "a", note: "none") was added to \#(coordinate)."#)
            ])
    }

    private static let changed = [
        DefinitionChange(
            title: "an input object is no longer @oneOf", change: ("Only @oneOf", "Only"),
            changes: [Found(.safe, .oneOfRemoved, "Only", "@oneOf was removed from Only.")]),
        DefinitionChange(
            title: "a scalar loses @specifiedBy", change: (#" @specifiedBy(url: "https://b.example")"#, ""),
            changes: [
                Found(
                    .dangerous, .specifiedByRemoved, "Stamp",
                    "@specifiedBy https://b.example was removed from Stamp.")
            ]),
        DefinitionChange(
            title: "a scalar has another specification", change: ("https://b.example", "https://c.example"),
            changes: [
                Found(
                    .dangerous, .specifiedByChanged, "Stamp",
                    "@specifiedBy of Stamp changed from https://b.example to https://c.example.")
            ]),
        DefinitionChange(
            title: "a deprecation is withdrawn", change: (#" @deprecated(reason: "Old.")"#, ""),
            changes: [Found(.safe, .deprecationRemoved, "Query.old", "Query.old is no longer deprecated.")]),
        DefinitionChange(
            title: "a deprecation has another reason", change: ("Old.", "Older."),
            changes: [
                Found(
                    .safe, .deprecationReasonChanged, "Query.old",
                    #"The reason for which Query.old is deprecated changed from "Old." to "Older."."#)
            ]),
        DefinitionChange(
            title: "an argument of a directive changes", change: (#"note: "n""#, #"note: "m""#),
            changes: [
                Found(
                    .dangerous, .appliedDirectiveRemoved, "Query.tagged",
                    #"@tag(name: "t", note: "n") was removed from Query.tagged."#),
                Found(
                    .dangerous, .appliedDirectiveAdded, "Query.tagged",
                    #"@tag(name: "t", note: "m") was added to Query.tagged."#),
            ]),
        DefinitionChange(
            title: "the schema definition loses a directive", change: (#" @tag(name: "s")"#, ""),
            changes: [
                Found(
                    .dangerous, .schemaDirectiveRemoved, "Query",
                    #"@tag(name: "s", note: "none") was removed from the schema definition."#)
            ]),
    ]
}
