import ArgumentParser
import Contract
import Foundation
import GraphQL
import PorticoCore

/// `portico docs`, for developers of Portico: writes the pages that are generated from the code.
struct DocsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "Write the pages of the documentation that are generated from the code.",
        discussion: HelpText.paragraphs(
            """
            Examples:
              portico docs docs
              portico docs --check docs
            """),
        shouldDisplay: false)

    @Flag(help: "Write nothing; exit with status 1 if a page is outdated.")
    var check = false

    @ArgumentParser.Argument(help: "The directory of the pages.")
    var directory: String

    func run() async throws {
        let isDirectory = try? URL(filePath: directory).resourceValues(forKeys: [.isDirectoryKey]).isDirectory
        guard isDirectory == true else {
            throw UsageError(
                "\(directory) is not a directory; the pages are in docs.")
        }
        var outdated: [String] = []
        for page in try await GeneratedPage.all() {
            let path = URL(filePath: directory).appending(path: page.name).path
            if (try? String(contentsOfFile: path, encoding: .utf8)) == page.text { continue }
            outdated.append(page.name)
            if check { continue }
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try page.text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        guard check, !outdated.isEmpty else { return }
        Terminal.report(
            "Outdated pages: \(outdated.joined(separator: ", ")). `make docs` writes them.\n")
        throw ExitCode(1)
    }
}

/// A page of the documentation that is generated from the code.
package struct GeneratedPage {
    /// The path in the directory of the pages.
    package let name: String
    package let text: String

    /// All generated pages.
    ///
    /// - Throws: `GraphQLErrors` if the contract is not a valid schema; an error if the clients of the providers cannot be
    ///   created.
    package static func all() async throws -> [GeneratedPage] {
        let schema = try Schema.build(Contract.schemaText)
        return try await [
            ConfigurationPage().page, ErrorsPage(schema).page, ProviderSupportPage.page(),
        ] + SchemaPages(schema).pages
    }
}

/// A table in Markdown.
struct MarkdownTable {
    let columns: [String]
    let rows: [[String]]

    var text: String {
        let rule = columns.map { _ in "---" }
        return ([columns, rule] + rows).map(MarkdownTable.row).joined()
    }

    private static func row(_ cells: [String]) -> String {
        // A bar would begin another cell, even in code; a line break would begin another row.
        let cells = cells.map { $0.replacing("|", with: "\\|").replacing("\n", with: " ") }
        return "| \(cells.joined(separator: " | ")) |\n"
    }
}
