import ArgumentParser

/// `portico schema diff`.
struct SchemaDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Tell what changed between two schemas; exit status 1 when something would break clients.",
        discussion: """
            Changes are breaking, dangerous or safe, as graphql-js classifies them. With --operations only those are
            told that reach one of the operations in a folder: an operation that the old schema refuses and the new
            one takes is passed over, since nothing can break it.

            Exit status 0 when nothing would break clients, 1 when something would, 2 when the schemas could not
            be compared: a file cannot be read, or it defines no schema, or neither schema takes an operation.

            Examples:
              portico schema diff released.graphql schema.graphql
              portico schema diff --json released.graphql schema.graphql
              portico schema diff --operations operations released.graphql schema.graphql
            """)

    @Flag(
        help: """
            Write {"changes": [{"impact", "kind", "coordinate", "message"}]}, each with "operations" where a folder was \
            given.
            """)
    var json = false

    @Option(
        help: "A folder with operations (*.graphql, folders within it too); only what reaches them is told.")
    var operations: String?

    @Argument(help: "The file with the old schema; - is standard input.")
    var old: String

    @Argument(help: "The file with the new schema; - is standard input.")
    var new: String

    func run() async throws {
        let command = self
        let outcome = try await LargeStackThread.run { try command.compare() }
        switch outcome {
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(2)
        case .success(let diff):
            Terminal.write(json ? diff.json + "\n" : diff.text)
            if diff.isBreaking { throw ExitCode(1) }
        }
    }

    private func compare() throws -> Result<SchemaDiff, DiagnosticReports> {
        let files = try [old, new].map { try SchemaFile(path: $0) }
        let documents = try operations.map { try OperationsFolder(path: $0).documents }
        do throws(DiagnosticReports) {
            let schemas = try DiagnosticReports.schemas(of: files)
            return .success(try SchemaDiff(from: schemas[0], to: schemas[1], reaching: documents))
        } catch {
            return .failure(error)
        }
    }
}
