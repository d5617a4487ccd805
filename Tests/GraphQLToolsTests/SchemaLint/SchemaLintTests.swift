import GraphQL
import GraphQLTools
import Testing

/// A schema, and what is found in it: `line:column rule coordinate: message`.
struct LintCase: CustomTestStringConvertible, Sendable {
    let title: String
    let schema: String
    var rules: Set<LintFinding.Rule> = LintFinding.Rule.standard
    let findings: [String]

    var testDescription: String { title }
}

@Suite("The linter of schemas")
struct SchemaLintTests {
    @Test("names what is wrong, where, and what would be right", arguments: LintCase.all)
    func finds(_ test: LintCase) throws {
        let found = try Schema.build(test.schema).lint(test.rules).map { finding in
            "\(finding.location.line):\(finding.location.column) \(finding.rule.rawValue) "
                + "\(finding.subject): \(finding.message)"
        }
        #expect(found == test.findings)
    }
}

extension LintCase {
    static let all = names + descriptions + deprecations + items + strict

    private static let strict = [
        LintCase(
            title: "definitions that the strict rules reject",
            schema: #"""
                type Query { quote(provider: Provider, providerName: String): Quote }
                enum Provider { OTHER }
                enum ChartRange { ONE_DAY ONE_MONTH ONE_YEAR }
                enum HistoryRange { ONE_MONTH ONE_YEAR MAX }
                enum Interval { ONE_DAY ONE_MONTH }
                type Quote { price: Float "Null if unknown." changePercent: Int source: Int! sourceName: String! "Null." old: Int @deprecated(reason: "Use `price`.") }
                """#,
            rules: [.noDeprecations, .noFloats, .percentageNames, .oneRange, .twinNames, .nullDescriptions],
            findings: [
                #"1:40 twin-names Query.quote(providerName:): Argument "Query.quote(providerName:)" names the same thing "#
                    + #"as "Query.quote(provider:)": keep one of them."#,
                #"4:6 one-range HistoryRange: Type "HistoryRange" is a second enumeration of ranges: use "ChartRange"."#,
                #"6:14 no-floats Quote.price: Field "Quote.price" is a Float, which has no exact decimals: use a scalar for "#
                    + "decimal numbers.",
                #"6:14 null-descriptions Quote.price: Field "Quote.price" can be null: say in its description when it is."#,
                #"6:46 percentage-names Quote.changePercent: Field "Quote.changePercent" is a percentage by another word: "#
                    + #"name it "changePercentage"."#,
                #"6:78 twin-names Quote.sourceName: Field "Quote.sourceName" names the same thing as "Quote.source": keep "#
                    + "one of them.",
                #"6:106 no-deprecations Quote.old: Field "Quote.old" is deprecated: remove it before the first release."#,
            ])
    ]

    private static let names = [
        LintCase(
            title: "names in their styles",
            schema: """
                type Query { a: Int, isOpen2(byID: ID): [URL2!] }
                scalar URL2
                enum Kind { CASH CASH_2 }
                input Filter { lowPrice: Int }
                directive @cacheControl(maxAge: Int) on FIELD
                """,
            rules: [.naming], findings: []),
        LintCase(
            title: "names in other styles",
            schema: """
                type Query { account_id(Maximum_Age: Int): order_type }
                type order_type { ID: ID, _x: Int }
                enum KIND_OF { cash MarginCall }
                input Filter { Low: Int }
                directive @Cache_it on FIELD
                """,
            rules: [.naming],
            findings: [
                #"1:14 naming Query.account_id: Field "Query.account_id" should be in lowerCamelCase: "accountId"."#,
                #"1:25 naming Query.account_id(Maximum_Age:): Argument "Query.account_id(Maximum_Age:)" should be "#
                    + #"in lowerCamelCase: "maximumAge"."#,
                #"2:6 naming order_type: Type "order_type" should be in UpperCamelCase: "OrderType"."#,
                #"2:19 naming order_type.ID: Field "order_type.ID" should be in lowerCamelCase: "id"."#,
                #"2:27 naming order_type._x: Field "order_type._x" should be in lowerCamelCase: "x"."#,
                #"3:6 naming KIND_OF: Type "KIND_OF" should be in UpperCamelCase: "KindOf"."#,
                #"3:16 naming KIND_OF.cash: Enum value "KIND_OF.cash" should be in UPPER_CASE: "CASH"."#,
                #"3:21 naming KIND_OF.MarginCall: Enum value "KIND_OF.MarginCall" should be in UPPER_CASE: "#
                    + #""MARGIN_CALL"."#,
                #"4:16 naming Filter.Low: Input field "Filter.Low" should be in lowerCamelCase: "low"."#,
                #"5:12 naming @Cache_it: Directive "@Cache_it" should be in lowerCamelCase: "cacheIt"."#,
            ]),
        LintCase(
            title: "a name without a letter has no other form", schema: "type Query { _1: Int }",
            rules: [.naming],
            findings: [#"1:14 naming Query._1: Field "Query._1" should be in lowerCamelCase."#]),
        LintCase(
            title: "an extension is not blamed for the name that it extends",
            schema: "type Query { a: bad } type bad { a: Int } extend type bad { b: Int }", rules: [.naming],
            findings: [#"1:28 naming bad: Type "bad" should be in UpperCamelCase: "Bad"."#]),
    ]

    private static let descriptions = [
        LintCase(
            title: "everything described",
            schema: #"""
                "Q" type Query { "a" a("x" x: E): I }
                """
                E
                """
                enum E { "A" A }
                "I" interface I { "i" i: Int }
                "U" union U = Query
                "S" scalar S
                "F" input F { "f" f: Int }
                "D" directive @d("x" x: Int) on FIELD
                extend type Query { "b" b: Int }
                """#,
            rules: [.descriptions], findings: []),
        LintCase(
            title: "nothing described",
            schema: """
                type Query { a(x: E): U }
                enum E { A }
                union U = Query
                input F { f: Int }
                "" directive @d(x: Int) on FIELD
                extend type Query { b: Int }
                """,
            rules: [.descriptions],
            findings: [
                #"1:6 descriptions Query: Type "Query" has no description."#,
                #"1:14 descriptions Query.a: Field "Query.a" has no description."#,
                #"1:16 descriptions Query.a(x:): Argument "Query.a(x:)" has no description."#,
                #"2:6 descriptions E: Type "E" has no description."#,
                #"2:10 descriptions E.A: Enum value "E.A" has no description."#,
                #"3:7 descriptions U: Type "U" has no description."#,
                #"4:7 descriptions F: Type "F" has no description."#,
                #"4:11 descriptions F.f: Input field "F.f" has no description."#,
                #"5:15 descriptions @d: Directive "@d" has no description."#,
                #"5:17 descriptions @d(x:): Argument "@d(x:)" has no description."#,
                #"6:21 descriptions Query.b: Field "Query.b" has no description."#,
            ]),
    ]

    private static let deprecations = [
        LintCase(
            title: "deprecation with a reason",
            schema: #"type Query { a: Int @deprecated(reason: "Use b.") b: Int }"#,
            rules: [.deprecationReasons], findings: []),
        LintCase(
            title: "deprecation without a reason",
            schema: """
                type Query { a: Int @deprecated }
                enum E { A @deprecated(reason: "") B }
                input F { f: Int @deprecated(reason: "No longer supported") }
                """,
            rules: [.deprecationReasons],
            findings: [
                #"1:14 deprecation-reasons Query.a: Field "Query.a" is deprecated without a reason: say what to "#
                    + "use instead.",
                #"2:10 deprecation-reasons E.A: Enum value "E.A" is deprecated without a reason: say what to "#
                    + "use instead.",
                #"3:11 deprecation-reasons F.f: Input field "F.f" is deprecated without a reason: say what to "#
                    + "use instead.",
            ]),
    ]

    private static let items = [
        LintCase(
            title: "items that are never null, and one that is explained",
            schema: """
                type Query { a: [Int!], b: [[Int!]!]!, "One for each symbol; null where none is known." c: [Int]! }
                input F { f: [Int] }
                """,
            rules: [.nullableItems], findings: []),
        LintCase(
            title: "items that may be null, nobody knows why",
            schema: #"type Query { a: [Int], "All." b: [[Int]!]! c: [[Int!]] }"#,
            rules: [.nullableItems],
            findings: [
                "1:14 nullable-items Query.a: Items of Query.a may be null: make them non-null, or say in its "
                    + "description when one is null.",
                "1:31 nullable-items Query.b: Items of Query.b may be null: make them non-null, or say in its "
                    + "description when one is null.",
                "1:44 nullable-items Query.c: Items of Query.c may be null: make them non-null, or say in its "
                    + "description when one is null.",
            ]),
    ]
}
