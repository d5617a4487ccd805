import Foundation
import TestSupport
import Testing

@Suite("portico client-kit")
struct ClientKitTests {
    /// The files of each kit in `clients`.
    private static let kits = [
        "apollo": ["cache.ts", "client.ts", "scalars.ts", "session.ts", "socket.ts"],
        "urql": ["cache.ts", "client.ts", "scalars.ts", "schema.ts", "session.ts"],
        "relay": ["environment.ts", "relay.config.json", "scalars.ts", "session.ts", "socket.ts"],
        "codegen": ["codegen.ts", "scalars.ts"],
        "apollo-ios": [
            "Portico.swift", "Scalars.swift", "SchemaConfiguration.swift", "apollo-codegen-config.json",
        ],
    ]

    private static let schema = """
        interface Node { id: ID! }
        type Query { things(first: Int, after: String, of: String): ThingConnection price: Price }
        type Thing implements Node { id: ID! cost: Decimal }
        type ThingConnection { edges: [ThingEdge!]! pageInfo: PageInfo! }
        type ThingEdge { cursor: String! node: Thing! }
        type PageInfo { hasNextPage: Boolean! endCursor: String }
        type Price { value: Decimal! }
        "An exact number. */ Not a Float."
        scalar Decimal
        """

    @Test("writes the files of a library, which are current then", arguments: kits.keys.sorted())
    func files(library: String) async throws {
        try await withFolder { folder in
            let out = folder.appending(path: "new/kit")
            let arguments = ["client-kit", "--for", library, "--out", out.path]
            let missing = try await Program.run(arguments + ["--check"])
            #expect(missing.status == 1)
            #expect(missing.errors.hasPrefix("Missing or outdated in \(out.path): "), "\(missing.errors)")
            let run = try await Program.run(arguments)
            #expect(run.status == 0, "\(run.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: out.path).sorted()
            #expect(names == Self.kits[library])
            #expect(try await Program.run(arguments + ["--check"]).status == 0)
            let stored = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../clients/\(library)").standardizedFileURL
            for name in names {
                let text = try String(contentsOf: out.appending(path: name), encoding: .utf8)
                let current = try String(contentsOf: stored.appending(path: name), encoding: .utf8)
                #expect(
                    text == current, "clients/\(library)/\(name) is outdated; `make client-kits` writes it")
            }
        }
    }

    @Test("are not overwritten after they were changed, unless that is forced; unchanged ones are")
    func changed() async throws {
        try await withFolder { folder in
            let schema = folder.appending(path: "schema.graphql")
            try Self.schema.write(to: schema, atomically: true, encoding: .utf8)
            func run(_ options: String...) async throws -> (status: Int32, errors: String) {
                let run = try await Program.run(
                    ["client-kit", "--for", "relay", "--schema", schema.path, "--out", folder.path] + options)
                return (run.status, run.errors)
            }
            let first = try await run()
            #expect(first.status == 0, "\(first.errors)")
            let file = folder.appending(path: "scalars.ts")
            let scalars = try String(contentsOf: file, encoding: .utf8)
            // Of another schema; a file without a comment does not say whether it was changed.
            try (Self.schema + "\nscalar Money\n").write(to: schema, atomically: true, encoding: .utf8)
            let configuration = try await run()
            #expect(configuration.status == 1)
            #expect(
                configuration.errors
                    == "Changed in \(folder.path) since the command wrote them: relay.config.json. "
                    + "Nothing was written. Move the changes to files of your own, or overwrite them with --force.\n"
            )
            let kept = try String(contentsOf: file, encoding: .utf8)
            #expect(kept == scalars)
            let forced = try await run("--force")
            #expect(forced.status == 0, "\(forced.errors)")
            let newer = try String(contentsOf: file, encoding: .utf8)
            #expect(newer.contains("export type Money"))
            try (newer + "// mine\n").write(to: file, atomically: true, encoding: .utf8)
            let refused = try await run()
            let mine = try String(contentsOf: file, encoding: .utf8)
            #expect(refused.errors.contains("scalars.ts. Nothing was written."), "\(refused.errors)")
            #expect(mine == newer + "// mine\n")
            // Written by the command for another schema, and not changed since.
            try newer.write(to: file, atomically: true, encoding: .utf8)
            try (Self.schema + "\nscalar Money\nscalar More\n").write(
                to: schema, atomically: true, encoding: .utf8)
            let outdated = try await run()
            #expect(outdated.errors.contains("relay.config.json. Nothing"), "\(outdated.errors)")
        }
    }

    @Test("lists possible types, types without an id, pages and scalars of any schema")
    func facts() async throws {
        try await withFolder { folder in
            let schema = folder.appending(path: "schema.graphql")
            try Self.schema.write(to: schema, atomically: true, encoding: .utf8)
            let run = try await Program.run([
                "client-kit", "--for", "apollo", "--schema", schema.path, "--out", folder.path,
                "--decimal-library", "big.js",
            ])
            #expect(run.status == 0, "\(run.errors)")
            let cache = try String(contentsOf: folder.appending(path: "cache.ts"), encoding: .utf8)
            #expect(cache.contains("  Node: [\"Thing\"],\n"))
            #expect(cache.contains("  Query: { fields: { things: pages([\"of\"]) } },\n"))
            #expect(cache.contains("  Price: { keyFields: false },\n"))
            #expect(!cache.contains("  Thing: "))
            let scalars = try String(contentsOf: folder.appending(path: "scalars.ts"), encoding: .utf8)
            #expect(scalars.contains("import DecimalNumber from \"big.js\";\n"))
            #expect(
                scalars.contains("/** An exact number. * / Not a Float. */\nexport type Decimal = string &"))
        }
    }

    @Test(
        "rejects wrong usage",
        arguments: [
            (["--for", "none", "--out", "x"], "The value 'none' is invalid for '--for <for>'"),
            (["--for", "apollo"], "Missing expected argument '--out <out>'"),
            (
                ["--for", "apollo-ios", "--out", "x", "--decimal-library", "big.js"],
                "--decimal-library is for TypeScript; Apollo iOS uses Foundation's Decimal."
            ),
            (
                ["--for", "codegen", "--out", "x", "--decimal-library", "big\"; evil"],
                "'big\"; evil' is not the name of a module, such as big.js or decimal.js."
            ),
            (["--for", "apollo", "--out", "/proc/none"], "/proc/none cannot be written: "),
        ])
    func usage(_ arguments: [String], _ message: String) async throws {
        let run = try await Program.run(["client-kit"] + arguments)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("reports an invalid schema")
    func invalidSchema() async throws {
        try await withFolder { folder in
            let schema = folder.appending(path: "schema.graphql")
            try "type Query { a: Missing }".write(to: schema, atomically: true, encoding: .utf8)
            let run = try await Program.run(
                ["client-kit", "--for", "apollo", "--schema", schema.path, "--out", folder.path])
            #expect(run.status == 2)
            #expect(run.errors.contains("is not a valid schema"), "\(run.errors)")
        }
    }
}
