import Foundation
import Testing

@Suite("portico graphql")
struct GraphQLCommandTests {
    private static let files = [
        "schema.graphql":
            "type Query {\n  account: Account\n}\n\ntype Account {\n  id: ID!\n  equity: Float\n}\n",
        "rootless.graphql": "type Account {\n  id: ID!\n}\n",
        "wrong.graphql": "{\n  account {\n    equty\n  }\n}\n",
        "broken.graphql": "{ account { id }",
        "loose.graphql": "{account{id}}",
        "canonical.graphql": "{\n  account {\n    id\n  }\n}\n",
        "commented.graphql": "{ account { id } } # why\n",
        "root.json": #"{"account":{"id":7,"equity":1.5}}"#,
        "cases.ndjson": """
        {"id":1,"action":"print","document":"{a}"}
        nonsense
        {"id":"v","action":"validate","schema":"type Query { a: Int }","document":"{b}"}
        {"id":3,"action":"do"}
        {"id":4,"action":"execute","schema":"type Query { a: Int! }","document":"{a}","rootValue":{"a":"x"}}
        """,
    ]

    /// Runs a case among the files.
    ///
    /// - Returns: what came of it, with the folder's path taken out of the texts, and the folder's files afterwards.
    private func run(
        _ test: CommandCase
    ) async throws -> (status: Int32, output: String, errors: String, files: [String: String]) {
        try await withFolder { folder in
            for (name, text) in Self.files {
                try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
            func path(_ word: String) -> String {
                word.contains(".") && !word.contains("{") ? folder.appending(path: word).path : word
            }
            let run = try await Program.run(
                ["graphql"] + test.arguments.map(path), input: test.input.map(path) ?? "/dev/null")
            let files = try Self.files.keys.map { name in
                (name, try String(contentsOf: folder.appending(path: name), encoding: .utf8))
            }
            func bare(_ text: String) -> String {
                text.replacing(folder.path + "/", with: "")
            }
            return (
                run.status, bare(run.output), bare(run.errors),
                Dictionary(files, uniquingKeysWith: { first, _ in first })
            )
        }
    }

    @Test(
        "exits with 0 without findings, with 1 with findings, with 2 on an error, and prints the findings",
        arguments: GraphQLCommandTests.all)
    func answers(_ test: CommandCase) async throws {
        let run = try await run(test)
        test.check(status: run.status, output: run.output, errors: run.errors)
        #expect(run.files == Self.files, "nothing was to be written")
    }

    @Test("`format` rewrites files in canonical form, and leaves files unchanged that would lose comments")
    func formats() async throws {
        let run = try await run(
            CommandCase(
                arguments: [
                    "format", "loose.graphql", "canonical.graphql", "commented.graphql", "broken.graphql",
                ],
                status: 1))
        var files = Self.files
        files["loose.graphql"] = files["canonical.graphql"]
        #expect(run.files == files)
        #expect(run.status == 1)
        #expect(run.errors == GraphQLCommandTests.commentReport + GraphQLCommandTests.syntaxReport)
    }

    @Test("`format` keeps a symbolic link, and the permissions of the file that it names")
    func keepsLink() async throws {
        try await withFolder { folder in
            let (file, link) = (
                folder.appending(path: "real.graphql"), folder.appending(path: "link.graphql")
            )
            try Data("{account{id}}".utf8).write(to: file)
            let permissions = NSNumber(value: 0o640)
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
            try FileManager.default.createSymbolicLink(
                atPath: link.path, withDestinationPath: "real.graphql")
            let run = try await Program.run(["graphql", "format", link.path])
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "real.graphql")
            #expect(try String(contentsOf: file, encoding: .utf8) == Self.files["canonical.graphql"])
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? NSNumber == permissions)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                    "link.graphql", "real.graphql",
                ])
        }
    }

    @Test("`format --drop-comments` also formats files with comments")
    func dropsComments() async throws {
        let run = try await run(
            CommandCase(arguments: ["format", "--drop-comments", "commented.graphql"], status: 0))
        var files = Self.files
        files["commented.graphql"] = files["canonical.graphql"]
        #expect(run.files == files)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
    }
}

extension GraphQLCommandTests {
    static let all = validations + formattings + executions + batches

    fileprivate static let syntaxReport = """
        error: Syntax Error: Expected Name, found <EOF>.

        broken.graphql:1:17
        1 | { account { id }
          |                 ^

        """
    private static let fieldReport = """
        error: Cannot query field "equty" on type "Account". Did you mean "equity"?

        wrong.graphql:3:5
        2 |   account {
        3 |     equty
          |     ^
        4 |   }

        """
    fileprivate static let commentReport = """
        commented.graphql:1:20: The comment would be lost. --drop-comments formats the file nonetheless; a \
        description, a string in front of a definition, would be kept.

        """
    private static let fieldError =
        #"{"message":"Cannot query field \"equty\" on type \"Account\". Did you mean \"equity\"?","#
        + #""locations":[{"line":3,"column":5}]}"#
    private static let syntaxError =
        #"{"message":"Syntax Error: Expected Name, found <EOF>.","locations":[{"line":1,"column":17}]}"#

    static let validations = [
        CommandCase(arguments: ["validate", "--schema", "schema.graphql"], status: 0),
        CommandCase(
            arguments: ["validate", "--schema", "schema.graphql", "canonical.graphql", "loose.graphql"],
            status: 0),
        CommandCase(
            arguments: [
                "validate", "--schema", "schema.graphql", "wrong.graphql", "loose.graphql", "broken.graphql",
            ],
            status: 1, errors: fieldReport + "\n" + syntaxReport),
        CommandCase(
            arguments: ["validate", "--schema", "rootless.graphql", "loose.graphql"], status: 1,
            errors: "error: Query root type must be provided.\n\nrootless.graphql\n"),
        CommandCase(
            arguments: [
                "validate", "--schema", "schema.graphql", "--json", "wrong.graphql", "broken.graphql",
            ],
            status: 1,
            output: #"[{"file":"wrong.graphql","errors":[\#(fieldError)]},"#
                + #"{"file":"broken.graphql","errors":[\#(syntaxError)]}]"# + "\n"),
        CommandCase(
            arguments: ["validate", "--schema", "schema.graphql", "--json", "-"], input: "wrong.graphql",
            status: 1,
            output: #"[{"file":"standard input","errors":[\#(fieldError)]}]"# + "\n"),
        CommandCase(
            arguments: ["validate", "--schema", "schema.graphql", "--json", "loose.graphql"], status: 0,
            output: "[]\n"),
        CommandCase(
            arguments: ["validate", "loose.graphql"], status: 2,
            errors: "Error: Missing expected argument '--schema <schema>'"),
    ]

    static let formattings = [
        CommandCase(
            arguments: ["format", "--check", "canonical.graphql", "schema.graphql"], status: 0),
        CommandCase(
            arguments: ["format", "--check", "canonical.graphql", "loose.graphql", "wrong.graphql"],
            status: 1,
            output: "loose.graphql\n"),
        CommandCase(
            arguments: ["format", "--check", "broken.graphql", "commented.graphql"], status: 1,
            errors: syntaxReport + commentReport),
        CommandCase(
            arguments: ["format", "-"], input: "loose.graphql", status: 0,
            output: "{\n  account {\n    id\n  }\n}\n"
        ),
        CommandCase(
            arguments: ["format"], status: 2, errors: "Error: Missing expected argument '<files> ...'"),
    ]

    static let executions = [
        CommandCase(
            arguments: [
                "execute", "--schema", "schema.graphql", "--data", "root.json", "--query",
                "{ account { id equity } }",
            ],
            status: 0, output: #"{"data":{"account":{"id":"7","equity":1.5}}}"# + "\n"),
        CommandCase(
            arguments: [
                "execute", "--schema", "schema.graphql", "--data", "root.json", "--operation", "B", "--query",
                "query A { account { id } } query B($e: Boolean!) { account { equity @include(if: $e) } }",
                "--variables", #"{"e": true}"#,
            ],
            status: 0, output: #"{"data":{"account":{"equity":1.5}}}"# + "\n"),
        CommandCase(
            arguments: ["execute", "--schema", "schema.graphql", "--query", "wrong.graphql"], status: 1,
            output:
                #"{"errors":[\#(fieldError.dropLast()),"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}"#
                + "\n"),
        CommandCase(
            arguments: ["execute", "--schema", "rootless.graphql", "--query", "{ a }"], status: 2,
            errors: "error: Query root type must be provided.\n\nrootless.graphql\n"),
        CommandCase(
            arguments: [
                "execute", "--schema", "schema.graphql", "--query", "{ account { id } }", "--variables",
                "root.json",
                "--data", "loose.graphql",
            ],
            status: 2,
            errors:
                "Error: loose.graphql is not JSON: Expected a name in double quotes or \"}\", found \"a\", at line 1, "
                + "column 2."),
    ]

    static let batches = [
        CommandCase(arguments: ["batch"], status: 0),
        CommandCase(
            arguments: ["batch"], input: "cases.ndjson", status: 0,
            output: [
                #"{"id":1,"ok":true,"printed":"{\n  a\n}","errors":[]}"#,
                #"{"id":null,"ok":false,"errors":[{"message":"The line is not JSON: Expected a value, found \"n\", at "#
                    + #"line 1, column 1.","locations":[]}]}"#,
                #"{"id":"v","ok":false,"errors":[{"message":"Cannot query field \"b\" on type \"Query\". Did you mean "#
                    + #"\"a\"?","locations":[{"line":1,"column":2}]}]}"#,
                #"{"id":3,"ok":false,"errors":[{"message":"There is no action \"do\". The actions are \"parse\", \"print\", "#
                    + #"\"validate\", \"execute\", \"introspect\", \"incremental\".","locations":[]}]}"#,
                #"{"id":4,"ok":false,"data":null,"errors":[{"message":"Int cannot represent non-integer value: "#
                    + #"\"x\"","locations":[{"line":1,"column":2}],"path":["a"]}]}"#,
            ].map { $0 + "\n" }.joined()),
        CommandCase(
            arguments: ["batch", "stray"], status: 2, errors: "Error: Unexpected argument 'stray'"),
    ]
}
