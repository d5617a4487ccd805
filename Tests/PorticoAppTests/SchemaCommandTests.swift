import Testing

@Suite("portico schema")
struct SchemaCommandTests {
    static let files = [
        "old.graphql": """
        "Q" type Query { "A" account: Account }
        "A" type Account { "E" equity: Float, "K" kind: Kind }
        "K" enum Kind { "C" CASH }
        """,
        "new.graphql": """
        "Q" type Query { "A" account(id: ID): Account }
        "A" type Account { "K" kind: Kind, "C" cash: Float }
        "K" enum Kind { "C" CASH "M" MARGIN }
        """,
        "loosened.graphql": """
        "Q" type Query { "A" account("B" by: By): Int "T" time: Time @deprecated(reason: "Use it not.") }
        "B" input By { "I" id: ID "N" name: String }
        "T" scalar Time
        """,
        "tightened.graphql": """
        "Q" type Query { "A" account("B" by: By): Int "T" time: Time }
        "B" input By @oneOf { "I" id: ID "N" name: String }
        "T" scalar Time @specifiedBy(url: "https://example.com")
        """,
        "loose.graphql": "type Query { user_name: [String] old: Int @deprecated }\n",
        "broken.graphql": "type Query { a: Unknown }\n",
        "unclosed.graphql": "type Query {",
        "equity/home.graphql": "{ account { equity } }\n",
        "equity/deep/kind.graphql": "{ account { kind } }\n",
        "fresh/cash.graphql": "{ account(id: 1) { cash } }\n",
        "wrong/wrong.graphql": "{ account { debt } }\n",
        "empty/readme.txt": "nothing",
    ]

    @Test(
        "exits with 0 without findings, with 1 with findings, with 2 on an error",
        arguments: SchemaCommandTests.all)
    func answers(_ test: CommandCase) async throws {
        let run = try await CommandRun.run(["schema"] + test.arguments, among: Self.files)
        test.check(status: run.status, output: run.output, errors: run.errors)
    }
}

extension SchemaCommandTests {
    static let all = diffs + reachingDiffs + lints

    private static let brokenReport = """
        error: Unknown type "Unknown".

        broken.graphql:1:17
        1 | type Query { a: Unknown }
          |                 ^
        2 |

        """

    private static let unclosedReport = """
        error: Syntax Error: Expected Name, found <EOF>.

        unclosed.graphql:1:13
        1 | type Query {
          |             ^

        """

    private static let diffs = [
        CommandCase(
            arguments: ["diff", "@old.graphql", "@old.graphql"], status: 0, output: "No changes.\n"),
        CommandCase(
            arguments: ["diff", "@old.graphql", "@new.graphql"], status: 1,
            output: """
                breaking: Field Account.equity was removed. (FIELD_REMOVED)
                dangerous: An optional argument Query.account(id:) was added. (OPTIONAL_ARG_ADDED)
                dangerous: Enum value Kind.MARGIN was added. (VALUE_ADDED_TO_ENUM)
                safe: ID was added. (TYPE_ADDED)
                safe: Field Account.cash was added. (FIELD_ADDED)
                1 breaking, 2 dangerous, 2 safe

                """),
        CommandCase(
            arguments: ["diff", "@loosened.graphql", "@tightened.graphql"], status: 1,
            output: """
                breaking: @oneOf was added to By: it takes exactly one of its fields now. (ONE_OF_ADDED)
                safe: Query.time is no longer deprecated. (DEPRECATION_REMOVED)
                safe: @specifiedBy https://example.com was added to Time. (SPECIFIED_BY_ADDED)
                1 breaking, 0 dangerous, 2 safe

                """),
        CommandCase(
            arguments: ["diff", "--json", "@old.graphql", "@old.graphql"], status: 0,
            output: #"{"changes":[]}"# + "\n"),
        CommandCase(
            arguments: ["diff", "@old.graphql", "@broken.graphql"], status: 2, errors: brokenReport),
        CommandCase(
            arguments: ["diff", "@broken.graphql", "@old.graphql"], status: 2, errors: brokenReport),
        CommandCase(
            arguments: ["diff", "@unclosed.graphql", "@old.graphql"], status: 2, errors: unclosedReport),
        CommandCase(
            arguments: ["diff", "@old.graphql"], status: 2, errors: "Error: Missing expected argument '<new>'"
        ),
        CommandCase(
            arguments: ["diff", "--operations", "@nowhere", "@old.graphql", "@new.graphql"], status: 2,
            errors: "Error: nowhere does not exist, or cannot be read."),
        CommandCase(
            arguments: ["diff", "--operations", "@empty", "@old.graphql", "@new.graphql"], status: 2,
            errors:
                "Error: empty has no file with operations: .graphql, .gql, .ts, .tsx, .js, .jsx, .vue, .svelte, .swift, .kt."
        ),
    ]

    private static let reachingDiffs = [
        CommandCase(
            arguments: ["diff", "--operations", "@equity", "@old.graphql", "@new.graphql"], status: 1,
            output: """
                breaking: Field Account.equity was removed. (FIELD_REMOVED)
                    equity/home.graphql
                dangerous: An optional argument Query.account(id:) was added. (OPTIONAL_ARG_ADDED)
                    equity/deep/kind.graphql
                    equity/home.graphql
                dangerous: Enum value Kind.MARGIN was added. (VALUE_ADDED_TO_ENUM)
                    equity/deep/kind.graphql
                1 breaking, 2 dangerous, 0 safe

                """),
        CommandCase(
            arguments: ["diff", "--json", "--operations", "@equity/deep", "@old.graphql", "@new.graphql"],
            status: 0,
            output: #"{"changes":[{"impact":"DANGEROUS","kind":"OPTIONAL_ARG_ADDED","#
                + #""coordinate":"Query.account(id:)","#
                + #""message":"An optional argument Query.account(id:) was added.","#
                + #""operations":["equity/deep/kind.graphql"]},"#
                + #"{"impact":"DANGEROUS","kind":"VALUE_ADDED_TO_ENUM","coordinate":"Kind.MARGIN","#
                + #""message":"Enum value Kind.MARGIN was added.","operations":["equity/deep/kind.graphql"]}]}"#
                + "\n"),
        CommandCase(
            arguments: ["diff", "--operations", "@fresh", "@old.graphql", "@new.graphql"], status: 0,
            output: "No change affects the operations.\n"),
        CommandCase(
            arguments: ["diff", "--operations", "@wrong", "@old.graphql", "@new.graphql"], status: 2,
            errors: """
                error: Cannot query field "debt" on type "Account".

                wrong/wrong.graphql:1:13
                1 | { account { debt } }
                  |             ^
                2 |

                """),
    ]

    private static let lints = [
        CommandCase(arguments: ["lint", "@old.graphql"], status: 0),
        CommandCase(arguments: ["lint", "--json", "@old.graphql"], status: 0, output: "[]\n"),
        CommandCase(
            arguments: ["lint", "--rule", "naming", "--rule", "deprecation-reasons", "@loose.graphql"],
            status: 1,
            output:
                #"loose.graphql:1:14: Field "Query.user_name" should be in lowerCamelCase: "userName". (naming)"#
                + "\n"
                + #"loose.graphql:1:34: Field "Query.old" is deprecated without a reason: say what to use instead. "#
                + "(deprecation-reasons)\n"),
        CommandCase(
            arguments: ["lint", "--json", "--rule", "nullable-items", "@loose.graphql", "@old.graphql"],
            status: 1,
            output: #"[{"file":"loose.graphql","findings":[{"rule":"nullable-items","#
                + #""coordinate":"Query.user_name","message":"Items of Query.user_name may be null: make them "#
                + #"non-null, or say in its description when one is null.","#
                + #""locations":[{"line":1,"column":14}]}]}]"# + "\n"),
        CommandCase(arguments: ["lint", "@broken.graphql"], status: 2, errors: brokenReport),
        CommandCase(
            arguments: ["lint", "--rule", "deprecation-reasons", "@broken.graphql", "@loose.graphql"],
            status: 2,
            output: #"loose.graphql:1:34: Field "Query.old" is deprecated without a reason: say what to use "#
                + "instead. (deprecation-reasons)\n",
            errors: brokenReport),
        CommandCase(
            arguments: ["lint", "--rule", "spelling", "@old.graphql"], status: 2,
            errors:
                "Error: The value 'spelling' is invalid for '--rule <rule>': There is no rule \"spelling\". The rules are naming, descriptions, deprecation-reasons, "
                + "nullable-items, no-deprecations, no-floats, percentage-names, one-range, twin-names, null-descriptions."
        ),
        CommandCase(
            arguments: ["lint"], status: 2, errors: "Error: Missing expected argument '<files> ...'"),
    ]
}
