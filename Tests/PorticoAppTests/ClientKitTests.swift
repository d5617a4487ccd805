import Foundation
import TestSupport
import Testing

@Suite("portico client-kit")
struct ClientKitTests {
    /// The files of each kit in `clients`.
    private static let kits = [
        "apollo": ["cache.ts", "client.ts", "scalars.ts"], "urql": ["cache.ts", "client.ts", "scalars.ts"],
        "relay": ["environment.ts", "relay.config.json", "scalars.ts"],
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
            #expect(cache.contains("  Query: { fields: { things: relayStylePagination([\"of\"]) } },\n"))
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
