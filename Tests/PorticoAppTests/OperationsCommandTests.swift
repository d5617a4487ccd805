import Foundation
import TestSupport
import Testing

@Suite("portico operations")
struct OperationsCommandTests {
    static let files = [
        "schema.graphql": """
        directive @cacheControl(maxAge: Int, scope: CacheScope = PUBLIC) on FIELD_DEFINITION
        directive @listSize(slicingArguments: [String!]) on FIELD_DEFINITION
        enum CacheScope { PUBLIC PRIVATE }
        type Query {
          account: Account @cacheControl(maxAge: 2, scope: PRIVATE)
          quotes(first: Int!): [Quote!] @cacheControl(maxAge: 60) @listSize(slicingArguments: ["first"])
          more(first: Int!): [Quote!] @cacheControl(maxAge: 60) @listSize(slicingArguments: ["first"])
          clock: String
        }
        type Account { equity: Float, worth: Float @deprecated(reason: "Use equity.") }
        type Quote { price: Float }
        """,
        "plain.graphql": "type Query { quotes: Int }\n",
        "priced.graphql":
            #"directive @cost(weight: String!) on FIELD_DEFINITION type Query { a: Int @cost(weight: "x") }"#,
        "good/account.graphql": "query Home { account { equity } }\n",
        "good/quotes.graphql": "query Quotes($n: Int!) { quotes(first: $n) { price } }\n",
        "good/quotes.json": #"{"n": 40}"#,
        "both/quotes.graphql": "{ quotes(first: 2) { price } more(first: 1) { price } }\n",
        "old/worth.graphql": "query Worth {\n  account { worth }\n}\n",
        "vague/quotes.graphql": "query Quotes($n: Int!) { quotes(first: $n) { price } clock }\n",
        "bad/a.graphql": "{ acount { equity } }\n",
        "bad/b.graphql": "query Quotes($n: Int!) { quotes(first: $n) { price } }\n",
        "bad/b.json": #"{"n": "many"}"#,
        "dear/quotes.graphql": "{ quotes(first: 5000) { price } }\n",
        "odd/quotes.graphql":
            "fragment A on Query { clock } query One { ...A } query Two($n: Int!) { quotes(first: $n) { price } ...A }",
        "odd/quotes.json": #"{"Two": {"n": 1}}"#,
        "unread/quotes.graphql": "query Quotes($n: Int!) { quotes(first: $n) { price } }\n",
        "unread/quotes.json": "[",
    ]

    @Test(
        "exits with 0 without findings, with 1 with findings, with 2 on an error",
        arguments: OperationsCommandTests.all)
    func answers(_ test: CommandCase) async throws {
        let run = try await CommandRun.run(["operations", "check"] + test.arguments, among: Self.files)
        test.check(status: run.status, output: run.output, errors: run.errors)
    }

    @Test("without a schema compares operations with this Portico's schema")
    func ownSchema() async throws {
        let run = try await CommandRun.run(
            ["operations", "check", "--format", "json", "@mine"],
            among: ["mine/a.graphql": "query A { quote(symbol: \"AAPL\") { price } }"])
        #expect(run.status == 0, "\(run.output) \(run.errors)")
        let check = try #require(try JSONValue(parsing: run.output)["operations"]?[0])
        #expect(check["name"] == "A")
        #expect(check["cache"]?["maxAge"] == 1)
        #expect(check["cost"]?["requested"]?.number ?? 0 > 0)
    }
}

extension OperationsCommandTests {
    private static let schema = ["--schema", "@schema.graphql"]

    static let all = reports + jsonReports + misuses

    private static let reports = [
        CommandCase(
            arguments: schema + ["@good"], status: 0,
            output: """
                good/account.graphql Home
                  cost: 2 of 5000
                  cache: 2 s, private; Query.account sets the lifetime
                good/quotes.graphql Quotes
                  cost: 41 of 5000
                  cache: 60 s, public; Query.quotes sets the lifetime
                2 operations in 2 files: no findings

                """),
        CommandCase(
            arguments: schema + ["@both"], status: 0,
            output: """
                both/quotes.graphql
                  cost: 4 of 5000
                  cache: 60 s, public; Query.more, Query.quotes set the lifetime
                1 operation in 1 file: no findings

                """),
        CommandCase(
            arguments: schema + ["@old"], status: 0,
            output: """
                old/worth.graphql Worth
                  cost: 2 of 5000
                  cache: 2 s, private; Query.account sets the lifetime
                  old/worth.graphql:2:13: Account.worth is deprecated: Use equity.
                1 operation in 1 file: 1 deprecated

                """),
        CommandCase(
            arguments: schema + ["@vague"], status: 0,
            output: """
                vague/quotes.graphql Quotes
                  cost: depends on the variables; add a file with example variables
                  cache: never, because Query.clock must not be cached
                1 operation in 1 file: no findings

                """),
        CommandCase(
            arguments: schema + ["@odd"], status: 0,
            output: """
                odd/quotes.graphql One
                  cost: 1 of 5000
                  cache: never, because Query.clock must not be cached
                odd/quotes.graphql Two
                  cost: 2 of 5000
                  cache: never, because Query.clock must not be cached
                2 operations in 1 file: no findings

                """),
        CommandCase(
            arguments: schema + ["@bad"], status: 1,
            output: """
                bad/a.graphql: cannot be run
                error: Cannot query field "acount" on type "Query". Did you mean "account"?

                bad/a.graphql:1:3
                1 | { acount { equity } }
                  |   ^
                2 |
                bad/b.graphql Quotes: cannot be run
                error: Variable "$n" has invalid value: Int cannot represent non-integer value: "many"

                bad/b.graphql:1:14
                1 | query Quotes($n: Int!) { quotes(first: $n) { price } }
                  |              ^
                2 |
                2 operations in 2 files: 2 breaking

                """),
        CommandCase(
            arguments: schema + ["--fail-on", "deprecated", "@old"], status: 1,
            output: """
                old/worth.graphql Worth
                  cost: 2 of 5000
                  cache: 2 s, private; Query.account sets the lifetime
                  old/worth.graphql:2:13: Account.worth is deprecated: Use equity.
                1 operation in 1 file: 1 deprecated

                """),
    ]

    private static let jsonReports = [
        CommandCase(
            arguments: schema + ["--format", "json", "@good"], status: 0,
            output:
                #"{"operations":[{"file":"good/account.graphql","name":"Home","errors":[],"warnings":[],"deprecated":[],"#
                + #""cost":{"requested":2,"fieldCost":1,"typeCost":2},"#
                + #""cache":{"maxAge":2,"scope":"PRIVATE","shortest":["Query.account"]}},"#
                + #"{"file":"good/quotes.graphql","name":"Quotes","errors":[],"warnings":[],"deprecated":[],"#
                + #""cost":{"requested":41,"fieldCost":1,"typeCost":41},"#
                + #""cache":{"maxAge":60,"scope":"PUBLIC","shortest":["Query.quotes"]}}]}"# + "\n"),
        CommandCase(
            arguments: schema + ["--format", "json", "@old"], status: 0,
            output: #"{"operations":[{"file":"old/worth.graphql","name":"Worth","errors":[],"warnings":[],"#
                + #""deprecated":[{"coordinate":"Account.worth","reason":"Use equity.","#
                + #""locations":[{"file":"old/worth.graphql","line":2,"column":13}]}],"#
                + #""cost":{"requested":2,"fieldCost":1,"typeCost":2},"#
                + #""cache":{"maxAge":2,"scope":"PRIVATE","shortest":["Query.account"]}}]}"# + "\n"),
    ]

    private static let misuses = [
        CommandCase(
            arguments: schema, status: 2,
            errors: "Error: Name the directories, files or patterns with operations, or set --config."),
        CommandCase(
            arguments: ["--schema", "@priced.graphql", "@good"], status: 2,
            errors: """
                error: The weight "x" of @cost on Query.a is not a number between -1000000000 and 1000000000. Write \
                it like "2.5".

                priced.graphql:1:67
                1 | directive @cost(weight: String!) on FIELD_DEFINITION type Query { a: Int @cost(weight: "x") }
                  |                                                                   ^

                """),
        CommandCase(
            arguments: ["--url", "http://127.0.0.1:1", "@good"], status: 2,
            errors: "Error: http://127.0.0.1:1/schema.graphql did not respond: no connection could be opened."
        ),
        CommandCase(
            arguments: ["--schema", "@nowhere.graphql", "@good"], status: 2,
            errors:
                "Error: nowhere.graphql cannot be read: No such file or directory"
        ),
    ]
}
