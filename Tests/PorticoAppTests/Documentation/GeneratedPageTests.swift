import Contract
import Foundation
import GraphQL
import GraphQLTools
import NIOHTTP1
import PorticoApp
import TestSupport
import Testing
import Web

@Suite("The generated pages")
struct GeneratedPageTests {
    private static let catalog = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs").standardizedFileURL

    @Test("equal the code; `make docs` writes them")
    func current() async throws {
        for page in try await GeneratedPage.all() {
            let file = Self.catalog.appending(path: page.name)
            #expect(try String(contentsOf: file, encoding: .utf8) == page.text, "\(page.name)")
        }
    }

    @Test("are written if they differ; --check only reports it")
    func command() async throws {
        try await withFolder { folder in
            let check = ["docs", "--check", folder.path]
            let missing = try await Program.run(check)
            #expect(missing.status == 1)
            #expect(
                missing.errors.contains(
                    "Outdated pages: settings.md, errors.md, provider-support.md, schema/queries.md"),
                "\(missing.errors)")
            #expect(try await Program.run(["docs", folder.path]).status == 0)
            #expect(try await Program.run(check).status == 0)
            let page = folder.appending(path: "errors.md")
            let text = try String(contentsOf: page, encoding: .utf8)
            try text.replacing("CONFLICT", with: "CONTEST").write(to: page, atomically: true, encoding: .utf8)
            let changed = try await Program.run(check)
            #expect(changed.status == 1)
            #expect(changed.errors.contains("Outdated pages: errors.md."))
            let nowhere = try await Program.run(["docs", "\(folder.path)/none"])
            #expect(nowhere.status == 2)
            #expect(nowhere.errors.contains("\(folder.path)/none is not a directory"))
        }
    }

    @Test("have each field of a root type, with an operation that the sandbox answers")
    func schema() async throws {
        let pages = try await GeneratedPage.all()
        let schema = try Schema.build(Contract.schemaText)
        for (name, operation) in [("queries", OperationType.query), ("mutations", .mutation)] {
            let page = try #require(pages.first { $0.name == "schema/\(name).md" })
            let root = try #require(schema.rootType(for: operation))
            for field in schema[root].fields {
                #expect(page.text.contains("\n## \(field.name)\n"), "\(field.name)")
            }
            #expect(page.text.contains("<!-- check: valid -->\n```graphql\n"))
        }
        let types = try #require(pages.first { $0.name == "schema/types.md" })
        #expect(types.text.contains("\n## Position\n"))
    }

    @Test(
        "have what the adapters declare for each provider",
        arguments: [
            "| Accounts, balances and positions | yes | yes | – | – | – |",
            "| Market clock | yes | – | – | – | – |", "| Order book | – | yes | – | – | – |",
            "| ONE_MINUTE | yes | yes | yes | yes | 7 days |",
            "| Times in force of cryptocurrencies | GTC, IOC | as other orders |",
            "| Orders for an amount of money | yes | FUND |",
        ])
    func support(row: String) async throws {
        let pages = try await GeneratedPage.all()
        let page = try #require(pages.first { $0.name == "provider-support.md" })
        #expect(page.text.contains("\n\(row)\n"), "\(page.text)")
    }

    @Test("name fields that exist")
    func fields() async throws {
        let schema = try Schema.build(Contract.schemaText)
        for page in try await GeneratedPage.all() {
            for match in page.text.matches(of: /`([A-Z][A-Za-z]+)\.([a-z][A-Za-z.]*)`/) {
                var type = schema.type(named: String(match.1))
                for name in match.2.split(separator: ".") {
                    if case .inputObject(let input)? = type?.kind {
                        #expect(input.field(named: String(name)) != nil, "\(page.name) has \(match.0)")
                        break
                    }
                    let field = type?.field(named: String(name))
                    #expect(field != nil, "\(page.name) has \(match.0)")
                    type = field.map { schema[$0.type.type] }
                }
            }
        }
    }

    @Test("have the meaning and the remedy of every code of the schema")
    func codes() async throws {
        for code in try SchemaFile.errorCodes { try await expectRow("| `\(code)` |", cells: 3) }
    }

    @Test("have the status, the meaning and the remedy of every code of an HTTP response")
    func requestCodes() async throws {
        for code in HTTPErrorCode.allCases {
            try await expectRow("| `\(code.rawValue)` | \(code.status.code) |", cells: 4)
        }
    }

    /// Expects that the page of errors has a row that begins so, with so many cells that are not empty.
    private func expectRow(_ start: String, cells count: Int) async throws {
        let pages = try await GeneratedPage.all()
        let page = try #require(pages.first { $0.name == "errors.md" })
        let row = try #require(page.text.split(separator: "\n").first { $0.hasPrefix(start) }, "\(start)")
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(cells.filter { !$0.isEmpty }.count == count, "\(row)")
    }
}
