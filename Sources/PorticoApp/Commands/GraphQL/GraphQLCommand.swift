import ArgumentParser
import GraphQL
import GraphQLTools

/// `portico graphql`.
struct GraphQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql",
        abstract: "Check, format and run GraphQL documents, without a server.",
        discussion: """
            A file may be given as -, which is standard input. Exit status 0 when all is well, 1 when faults were
            found, 2 when the command was used wrongly or a file cannot be read.

            Examples:
              portico graphql format --check schema.graphql operations/*.graphql
              portico graphql validate --schema schema.graphql operations/*.graphql
              portico graphql execute --schema schema.graphql --data root.json --query '{ account { id } }'
              portico graphql batch < cases.ndjson
            """,
        subcommands: [BatchCommand.self, FormatCommand.self, ValidateCommand.self, ExecuteCommand.self])
}

/// `portico graphql validate`.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Hold documents against a schema.",
        discussion: """
            Each file is a document of its own: it holds all fragments that its operations spread. Without files the
            schema alone is checked. Exit status 1 when anything is wrong.

            Examples:
              portico graphql validate --schema schema.graphql
              portico graphql validate --schema schema.graphql operations/*.graphql
              portico graphql validate --schema schema.graphql --json - < query.graphql
            """)

    @Option(help: "The file with the schema.")
    var schema: String

    @Flag(
        help:
            "Write [{\"file\", \"errors\": [{\"message\", \"locations\"}]}], one entry for each file at fault."
    )
    var json = false

    @ArgumentParser.Argument(help: "The files with the documents; - is standard input.")
    var files: [String] = []

    func run() async throws {
        let command = self
        let reports = try await LargeStackThread.run {
            try DocumentCheck(
                schema: SchemaFile(path: command.schema),
                documents: command.files.map { try InputFile(path: $0).source }
            ).reports
        }
        if json {
            Terminal.write(DiagnosticReport.json(of: reports) + "\n")
        } else {
            Terminal.report(reports.map(\.text).joined(separator: "\n"))
        }
        if !reports.isEmpty { throw ExitCode(1) }
    }
}
