import ArgumentParser
import GraphQL

/// `portico operations manifest`.
struct OperationsManifestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Write the manifest of operations by which clients name documents instead of sending them.",
        discussion: """
            Every file that ends in .graphql, in folders within too, is a document of its own. The manifest has the form of
            Apollo's: {"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "name", "type",
            "body"}]}; an id is the SHA-256 of the document. A server trusts the documents of the folder, or of the
            manifest, that PORTICO_DOCUMENTS names.

            Exit status 0, or 1 when a document cannot be read or has an operation without a name.

            Examples:
              portico operations manifest operations > operations.json
              PORTICO_DOCUMENTS=operations.json PORTICO_DOCUMENTS_ONLY=true portico serve
            """)

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "The folder with the operations.")
    var folder: String

    func run() async throws {
        let folder = folder
        let result = try await LargeStackThread.run {
            let documents = try OperationsFolder(path: folder).documents
            return Result { () throws(DiagnosticReports) in try OperationManifest(of: documents) }
        }
        switch result {
        case .success(let manifest): Terminal.write(manifest.text)
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(1)
        }
    }
}
