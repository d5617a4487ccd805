import Contract
import Foundation
import GraphQL
import TestSupport
import Testing

@Suite("The explorer")
struct ExplorerTests {
    /// The one of the sources; what it is made with is fetched into it, and need not be there.
    private static let folder = ContainerFiles.repository.appending(path: "Explorer").path

    @Test("is at / with its files, the documents of screens, and its configuration")
    func pages() async throws {
        try await withServer(["--explorer", Self.folder]) { server in
            let page = try await server.get("/")
            #expect(page.status == 200)
            #expect(page["content-type"] == "text/html; charset=utf-8")
            #expect(page["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
            for path in try Self.references(of: page.body) where !path.hasPrefix("/libraries/") {
                #expect(try await server.get(path).status < 400, "\(path)")
            }
            let settings = try #require(try await server.get("/explorer/settings.json").json)
            #expect(settings["token"]?.string == "sandbox")
            let documents = settings["operations"]?.elements?.compactMap(\.string) ?? []
            #expect(documents.contains("/operations/accounts/home.graphql"))
            for document in documents {
                let text = try ContainerFiles.text("schema" + document)
                #expect(try await server.get(document).body == text)
                let variables = try await server.get(document.replacing(".graphql", with: ".json"))
                #expect(variables.json?.members != nil, "\(document)")
            }
            let greeting = await server.program.output.first { $0.contains("curl") ? $0 : nil }
            #expect(greeting?.contains("Explore it in a browser at http://127.0.0.1:\(server.port)/") == true)
        }
    }

    @Test("has an example that requests existing fields")
    func example() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder + "/example")
        let scripts = try files.filter { $0.hasSuffix(".js") }
            .map { try ContainerFiles.text("Explorer/example/" + $0) }.joined()
        let paths = Set(scripts.matches(of: /"(\/[a-z\/-]+\.graphql)"/).map { String($0.1) })
        #expect(paths.count > 5)
        let schema = try Schema.build(Contract.schemaText)
        try await withServer(["--explorer", Self.folder]) { server in
            for path in paths {
                let document = try await server.get(path)
                #expect(document.status == 200, "\(path)")
                #expect(throws: Never.self, "\(path)") {
                    try validate(parse(SourceText(document.body)), against: schema)
                }
            }
        }
    }

    @Test("loads nothing from other hosts, and has no inline code")
    func own() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder)
            .filter { !$0.hasPrefix("libraries/") && ($0.hasSuffix(".html") || $0.hasSuffix(".css")) }
        #expect(files.contains("index.html"))
        for file in files {
            let text = try ContainerFiles.text("Explorer/" + file)
            let loads = text.matches(of: /(?:<(?:script|link|img)[^>]*(?:src|href)=|url\()["']?([^"')> ]+)/)
            for load in loads {
                #expect(load.1.hasPrefix("/") || load.1.hasPrefix("data:"), "\(file): \(load.1)")
            }
            #expect(!text.contains("<style") && !text.contains(" style=\""), "\(file)")
            #expect(text.matches(of: /<script(?![^>]*src=)/).isEmpty, "\(file)")
        }
    }

    @Test(
        "is off if it is turned off, and in production",
        arguments: [["--explorer", "off"], ["--production"]])
    func off(_ arguments: [String]) async throws {
        try await withServer(arguments, environment: ["PORTICO_EXPLORER": Self.folder]) { server in
            for path in ["/", "/explorer/settings.json", "/explorer/explorer.js"] {
                let answer = try await server.get(path)
                #expect(answer.status == 404, "\(path)")
            }
        }
    }

    @Test("without its files is replaced by a page with the command that fetches them")
    func missing() async throws {
        try await withServer { server in
            let page = try await server.get("/")
            #expect(page.status == 200)
            #expect(page.body.contains("make explorer") && page.body.contains("--explorer Explorer"))
            #expect(page["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
            #expect(page["cache-control"] == "no-store")
            for path in try Self.references(of: page.body) {
                #expect(try await server.get(path).status == 200, "\(path)")
            }
        }
    }

    /// The paths that a page leads to on its own server.
    private static func references(of page: String) throws -> [String] {
        let paths = page.matches(of: /(?:src|href)="(\/[^"]*)"/).map { String($0.1) }
        return try #require(paths.isEmpty ? nil : paths)
    }
}
