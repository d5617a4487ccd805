import Foundation
import TestSupport
import Testing

@Suite("The schema of portico schema diff and portico operations check")
struct SchemaSourceTests {
    @Test("is read by introspection, with all but the applied directives")
    func introspection() async throws {
        try await withServer { server in
            let address = "http://127.0.0.1:\(server.port)"
            let run = try await Program.run(["schema", "diff", "--json", "\(address)/graphql", address])
            #expect(run.status == 0, "\(run.errors)")
            let changes = try #require(try JSONValue(parsing: run.output)["changes"]?.elements)
            let kinds = Set(changes.compactMap { $0["kind"]?.string })
            #expect(kinds == ["APPLIED_DIRECTIVE_ADDED", "DIRECTIVE_ADDED"])
        }
    }

    @Test(
        "cannot be read",
        arguments: [
            (
                "http://127.0.0.1:1/",
                "Error: http://127.0.0.1:1/schema.graphql did not respond: no connection could be opened."
            ),
            ("ftp://x", "Error: \"ftp://x\" is not an address like http://127.0.0.1:8080, without a query."),
            ("git:--output=x:y", "Error: git:--output=x:y is not like git:REVISION:PATH, for example git:"),
            ("git:no-such-revision:a.graphql", "Error: git:no-such-revision:a.graphql cannot be read: "),
        ])
    func unreadable(_ schema: String, _ error: String) async throws {
        let run = try await Program.run(["schema", "diff", schema, schema])
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix(error), "\(run.errors)")
    }

    static let schemas = [
        "old.graphql": "type Query { a: Int, b: Int, c: C } enum C { D }",
        "new.graphql": "type Query { a: Int, c: C } enum C { D E }",
        "accepted.txt": "# Version 2\nFIELD_REMOVED Query.b # no client uses it\n",
        "faulty.txt": "FIELD_REMOVED Query.b\nGONE Query.b\n",
    ]

    @Test(
        "has changes that fail by their impact, unless they are accepted",
        arguments: [
            ([], Int32(1)), (["--accept", "@accepted.txt"], 0),
            (["--accept", "@accepted.txt", "--fail-on", "dangerous"], 1),
        ] as [([String], Int32)])
    func accepted(_ options: [String], _ status: Int32) async throws {
        let run = try await CommandRun.run(
            ["schema", "diff"] + options + ["@old.graphql", "@new.graphql"], among: Self.schemas)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.output.contains("(FIELD_REMOVED)" + (options.isEmpty ? "\n" : ", accepted\n")))
        #expect(run.output.contains("(VALUE_ADDED_TO_ENUM)\n"))
    }

    @Test("has a file with accepted changes, whose errors have a line")
    func faultyAcceptedChanges() async throws {
        let run = try await CommandRun.run(
            ["schema", "diff", "--accept", "@faulty.txt", "@old.graphql", "@new.graphql"], among: Self.schemas
        )
        #expect(run.status == 2)
        #expect(
            run.errors.hasPrefix(
                "Error: faulty.txt:2: \"GONE Query.b\" is not a kind of change and a coordinate, such as "
                    + "FIELD_REMOVED Account.worth."))
    }

    @Test("annotates the lines of changes in the new schema, and the type of an element that was removed")
    func lines() async throws {
        let run = try await CommandRun.run(
            ["schema", "diff", "--format", "github", "@old.graphql", "@new.graphql"],
            among: [
                "old.graphql": "type Query {\n  a: A\n}\n\ntype A {\n  b: Int\n  c: Int\n}\n",
                "new.graphql": "type Query {\n  a: A\n}\n\n\"An A.\"\ntype A {\n  b: String\n}\n",
            ])
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.output.contains("file=new.graphql,line=6,col=6,title=FIELD_REMOVED::"), "\(run.output)")
        #expect(
            run.output.contains("file=new.graphql,line=7,col=3,title=FIELD_CHANGED_KIND::"), "\(run.output)")
    }

    @Test(
        "has changes in the forms of CI systems",
        arguments: [
            ("github", "title=FIELD_REMOVED::"),
            ("github", "::warning file=new.graphql,line="),
            ("junit", #"<testsuite name="schema diff" tests="2" failures="1">"#),
            ("sarif", #""ruleId":"VALUE_ADDED_TO_ENUM","level":"warning""#),
        ])
    func formats(_ format: String, _ expected: String) async throws {
        let run = try await CommandRun.run(
            ["schema", "diff", "--format", format, "@old.graphql", "@new.graphql"], among: Self.schemas)
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.output.contains(expected), "\(run.output)")
    }
}
