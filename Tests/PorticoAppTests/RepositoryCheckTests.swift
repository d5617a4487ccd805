import Foundation
import TestSupport
import Testing

/// A repository of a front end with one error of each kind, and where `operations check` must report it.
@Suite("portico operations check on repositories")
struct RepositoryCheckTests {
    static let schema = """
        type Query { account: Account, quotes(symbols: [String!]!, first: Int): QuoteConnection, node(id: ID!): Node }
        interface Node { id: ID! }
        type Account implements Node { id: ID!, equity: Float, worth: Float @deprecated(reason: "Use equity.") }
        type QuoteConnection { edges: [QuoteEdge!], pageInfo: PageInfo! }
        type QuoteEdge { node: Quote, cursor: String }
        type Quote implements Node { id: ID!, symbol: String!, price: Float }
        type PageInfo { hasNextPage: Boolean!, endCursor: String }
        """

    // MARK: - Apollo

    static let apollo = [
        "schema.graphql": schema,
        "graphql.config.yml": """
        schema: ./schema.graphql
        documents:
          - "src/**/*.{ts,tsx,graphql,vue}"
          - "!src/**/*.test.ts"
        """,
        "src/fragments.graphql": "fragment QuoteParts on Quote {\n  symbol\n  price\n}\n",
        "src/home.graphql": "#import \"./fragments.graphql\"\nquery Home($s: [String!]!) {\n"
            + "  quotes(symbols: $s) { edges { node { ...QuoteParts } } }\n  account { worth }\n}\n",
        "src/Watchlist.tsx": """
        import { gql } from "@apollo/client";
        // gql`{ commentedOut }`
        const note = 'gql`{ inAString }`';
        export const QUERY = gql`
          query Watchlist($open: Boolean!) {
            isOpen @client
            theme(open: $open) @client { color }
            quotes(symbols: ["A"]) @connection(key: "quotes") { edges { node { ...QuoteParts } } }
          }
          ${QUOTE_PARTS}
        `;
        const typed = graphql(/* GraphQL */ `
          query Typed { account { equiti } }
        `);
        const text = <p>Don't use `this`</p>;
        """,
        "src/Card.vue": "<script>\nconst é = /* GraphQL */ `query Card { account { 😀 } }`\n</script>\n",
        "src/skipped.test.ts": "gql`{ missing }`",
        "src/node_modules/x/a.graphql": "{ missing }",
    ]

    @Test("find the documents of Apollo's layout by graphql.config, with fragments of other files")
    func apolloLayout() async throws {
        let run = try await CommandRun.run(
            ["operations", "check", "--config", "@graphql.config.yml"], among: Self.apollo)
        #expect(run.status == 1, "\(run.errors)")
        #expect(
            run.output == """
                src/Card.vue: cannot be run
                error: Syntax Error: Unexpected character: U+1F600.

                src/Card.vue:2:49
                1 | <script>
                2 | const é = /* GraphQL */ `query Card { account { 😀 } }`
                  |                                                 ^
                3 | </script>
                src/Watchlist.tsx Watchlist
                  cost: 22 of 5000
                src/Watchlist.tsx Typed: cannot be run
                error: Cannot query field "equiti" on type "Account". Did you mean "equity"?

                src/Watchlist.tsx:13:27
                12 | const typed = graphql(/* GraphQL */ `
                13 |   query Typed { account { equiti } }
                   |                           ^
                14 | `);
                src/home.graphql Home
                  cost: depends on the variables; add a file with example variables
                  src/home.graphql:4:13: Account.worth is deprecated: Use equity.
                3 operations in 4 files: 2 breaking, 1 deprecated

                """)
    }

    @Test(
        "write reports for CI systems",
        arguments: [
            (
                "github",
                "::error file=src/Watchlist.tsx,line=13,col=27,title=invalid-operation::Cannot query field"
            ),
            ("github", "::notice file=src/home.graphql,line=4,col=13,title=deprecated-use::Account.worth"),
            ("junit", #"<testsuites name="portico" tests="4" failures="2">"#),
            ("junit", #"<failure message="Cannot query field &quot;equiti&quot;"#),
            ("sarif", #""ruleId":"invalid-operation","level":"error""#),
            (
                "sarif",
                #""artifactLocation":{"uri":"src/home.graphql"},"region":{"startLine":4,"startColumn":13}"#
            ),
            ("json", #""locations":[{"file":"src/Watchlist.tsx","line":13,"column":27}]"#),
        ])
    func formats(_ format: String, _ expected: String) async throws {
        let run = try await CommandRun.run(
            ["operations", "check", "--config", "@graphql.config.yml", "--format", format], among: Self.apollo
        )
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.output.contains(expected), "\(run.output)")
    }

    // MARK: - Relay

    static let relay = [
        "schema.graphql": schema,
        "src/Row.js": """
        const fragment = graphql`
          fragment Row_quote on Quote @argumentDefinitions(withPrice: {type: "Boolean!", defaultValue: true}) {
            symbol
            price @include(if: $withPrice) @required(action: LOG)
          }
        `;
        """,
        "src/List.js": """
        graphql`
          fragment List_query on Query
          @refetchable(queryName: "ListRefetch")
          @argumentDefinitions(count: {type: "Int", defaultValue: 10}, symbols: {type: "[String!]!"}) {
            quotes(symbols: $symbols, first: $count) @connection(key: "List_quotes") {
              edges { node { id ...Row_quote @arguments(withPrice: false) ...Row_quote @arguments(price: true) } }
            }
          }
        `;
        """,
        "src/App.js": """
        graphql`query AppQuery($symbols: [String!]!) { ...List_query @arguments(symbols: $symbols, count: "x") }`;
        graphql`query MissingQuery { ...List_query }`;
        graphql`fragment Unused on Account { equity missing }`;
        graphql`mutation AppMutation { account { id @deleteRecord } }`;
        """,
        "src/__generated__/AppQuery.graphql.js": "graphql`{ missing }`",
    ]

    @Test("check Relay's fragments with the arguments of each spread")
    func relayLayout() async throws {
        let run = try await CommandRun.run(
            ["operations", "check", "--schema", "@schema.graphql", "--format", "github", "@src"],
            among: Self.relay)
        #expect(run.status == 1, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init).sorted()
        #expect(
            lines == [
                "::error file=src/App.js,line=1,col=99,title=invalid-operation::Int cannot represent non-integer "
                    + #"value: "x""#,
                "::error file=src/App.js,line=2,col=30,title=invalid-operation::The fragment \"List_query\" needs the "
                    + "argument \"symbols\".",
                "::error file=src/App.js,line=3,col=45,title=invalid-operation::Cannot query field \"missing\" on type "
                    + "\"Account\".",
                "::error file=src/App.js,line=4,col=9,title=invalid-operation::The mutation operation is not "
                    + "supported by the schema.",
                "::error file=src/List.js,line=5,col=21,title=invalid-operation::Variable \"$symbols\" is not defined by "
                    + "operation \"MissingQuery\".",
                "::error file=src/List.js,line=6,col=91,title=invalid-operation::The fragment \"Row_quote\" has no "
                    + "argument \"price\".",
                "::warning file=src/App.js,line=3,col=18,title=unused-fragment::No document uses the fragment \"Unused\".",
            ])
    }

    // MARK: - Severities and baselines

    @Test(
        "exit with 1 at the severity that --fail-on names",
        arguments: [
            ("breaking", "query A { account { worth } }", Int32(0)),
            ("deprecated", "query A { account { worth } }", 1),
            ("dangerous", "query A { account { worth } }", 0),
            ("dangerous", "query A { account { id } } fragment F on Account { id }", 1),
            ("breaking", "query A { account { id } } fragment F on Account { id }", 0),
        ])
    func severity(_ severity: String, _ document: String, _ status: Int32) async throws {
        let run = try await CommandRun.run(
            ["operations", "check", "--schema", "@schema.graphql", "--fail-on", severity, "@a.graphql"],
            among: ["schema.graphql": Self.schema, "a.graphql": document])
        #expect(run.status == status, "\(run.output) \(run.errors)")
    }

    @Test("report an operation that costs more than in the baseline")
    func baseline() async throws {
        let baseline =
            #"{"operations": [{"name": "A", "cost": {"requested": 2}}, {"name": "B", "cost": {"requested": 2}}]}"#
        let run = try await CommandRun.run(
            [
                "operations", "check", "--schema", "@schema.graphql", "--cost-baseline", "@costs.json",
                "@a.graphql",
            ],
            among: [
                "schema.graphql": Self.schema, "costs.json": baseline,
                "a.graphql":
                    "query A { account { id } }\nquery B { one: account { id } two: account { id } }\n",
            ])
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.output.contains("error: The cost of B has increased from 2 to 3.\n\na.graphql:2:1\n"))
        #expect(!run.output.contains("cost of A has"))
    }

    @Test("fragments of one name in several files are an error, unless a file imports one")
    func ambiguousFragments() async throws {
        let files = [
            "schema.graphql": Self.schema,
            "s/a.graphql": "fragment F on Account { id }", "s/b.graphql": "fragment F on Account { equity }",
            "s/one.graphql": "# import F from './a.graphql'\nquery One { account { ...F } }",
            "s/two.graphql": "query Two { account { ...F } }",
            "s/three.graphql": "#import \"./none.graphql\"\nquery Three { account { id } }",
        ]
        let run = try await CommandRun.run(
            ["operations", "check", "--schema", "@schema.graphql", "--format", "github", "@s"], among: files)
        let lines = run.output.split(separator: "\n").map { $0.split(separator: "::").first ?? "" }
        #expect(
            lines == [
                "error file=s/three.graphql,line=1,col=1,title=missing-import",
                "error file=s/two.graphql,line=1,col=26,title=ambiguous-fragment",
            ])
    }

    @Test(
        "report wrong usage with exit status 2",
        arguments: [
            (["@nowhere"], "Error: nowhere does not exist, or cannot be read."),
            (["@src/*.ts"], "Error: No file matches src/*.ts."),
            (
                ["--schema", "git:main", "@a.graphql"],
                "Error: git:main is not like git:REVISION:PATH, for example git:main:schema.graphql."
            ),
            (
                ["--config", "@bad.yml"],
                "Error: bad.yml has no \"documents\", the paths of the files with operations."
            ),
            (
                ["--config", "@two.yml"],
                "Error: two.yml names 2 schemas. Set --schema to a file that contains all of them."
            ),
            (
                ["--cost-baseline", "@bad.yml", "@a.graphql"],
                "Error: bad.yml is not a report of `portico operations check --format json`."
            ),
            (
                ["--header", "secret", "--schema", "http://127.0.0.1:1", "@a.graphql"],
                "Error: --header is not like 'Name: value'."
            ),
        ] as [([String], String)])
    func misuse(_ arguments: [String], _ error: String) async throws {
        let run = try await CommandRun.run(
            ["operations", "check"] + arguments,
            among: [
                "a.graphql": "{ __typename }", "bad.yml": "schema: x\n",
                "two.yml": "schema: [a.graphql, b.graphql]\ndocuments: a.graphql\n",
            ])
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").first.map(String.init) == error)
    }
}
