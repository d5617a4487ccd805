import ArgumentParser
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico graphql`.
struct GraphQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql",
        abstract: "Validate, format and run GraphQL documents, without a server.",
        discussion: HelpText.paragraphs(
            """
            The file name - is standard input. Exit status 0: no errors; 1: errors were found; 2: wrong usage, or a file
            cannot be read.

            Examples:
              portico graphql format --check schema.graphql operations/*.graphql
              portico graphql validate --schema schema.graphql operations/*.graphql
              portico graphql execute --schema schema.graphql --data root.json --query '{ account { id } }'
              portico graphql batch < cases.ndjson
            """),
        subcommands: [BatchCommand.self, FormatCommand.self, ValidateCommand.self, ExecuteCommand.self])
}

/// `portico graphql validate`.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Validate documents against a schema.",
        discussion: HelpText.paragraphs(
            """
            Each file is a separate document: it must contain all fragments that its operations spread. Without files,
            only the schema is checked. Exit status 1 if there are errors.

            Examples:
              portico graphql validate --schema schema.graphql
              portico graphql validate --schema schema.graphql operations/*.graphql
              portico graphql validate --schema schema.graphql --json - < query.graphql
            """))

    @Option(help: "The file with the schema.")
    var schema: String

    @Flag(
        help:
            "Write [{\"file\", \"errors\": [{\"message\", \"locations\"}]}], one entry for each file with errors."
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
            try Terminal.write(DiagnosticReport.json(of: reports) + "\n")
        } else {
            Terminal.report(reports.map(\.text).joined(separator: "\n"))
        }
        if !reports.isEmpty { throw ExitCode(1) }
    }
}
