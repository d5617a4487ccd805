import ArgumentParser
import Foundation
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico schema`.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the schema, compare schemas, print their use by clients, and check their style.",
        discussion: HelpText.paragraphs(
            """
            Exit status 0: no findings; 1: findings; 2: wrong usage, or a file cannot be read or defines no schema.

            Examples:
              portico schema diff released.graphql schema.graphql
              portico schema diff --operations operations released.graphql schema.graphql
              portico schema usage --data /var/lib/portico
              portico schema lint schema.graphql
              portico schema print --subgraph federation > portico.graphql
            """),
        subcommands: [
            SchemaPrintCommand.self, SchemaDiffCommand.self, SchemaUsageCommand.self, SchemaLintCommand.self,
        ])
}

/// `portico schema diff`.
struct SchemaDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List the changes between two schemas; exit status 1 if one of them breaks clients.",
        discussion: HelpText.paragraphs(
            """
            Changes are breaking, dangerous or safe, as graphql-js classifies them. With --operations, only changes that
            affect an operation in a directory are listed. An operation that is valid only for the new schema is
            ignored, because no change can break it.

            With --usage, only changes that affect a client are listed, with the clients and operations that a server has
            counted: the JSON of `portico schema usage`, the address of a server, or its data directory. With both options,
            a change is listed if it affects either.

            A schema is a file, - for standard input, git:REVISION:PATH, or the address of a server.

            --accept names a file with accepted changes, one on a line as in the text form: the kind and the coordinate,
            such as "FIELD_REMOVED Account.worth", and # for comments. Accepted changes are listed, but are no reason to
            fail. An entry of the file that matches no change is a warning.

            Exit status 0: no findings; 1: a change with the impact of --fail-on, or a higher one; 2: the schemas could not be
            compared: a file cannot be read or defines no schema, or an operation is valid for neither schema.

            Examples:
              portico schema diff released.graphql schema.graphql
              portico schema diff --json git:main:schema.graphql schema.graphql
              portico schema diff --fail-on dangerous http://127.0.0.1:8080 schema.graphql
              portico schema diff --operations operations released.graphql schema.graphql
              portico schema diff --usage http://127.0.0.1:9090 --since 2026-06-01 git:v1.2:schema.graphql schema.graphql
            """))

    /// The forms of the report.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, junit, sarif, github
    }

    @Option(
        help: """
            The form of the report: text, json, junit, sarif or github. json is {"changes": [{"impact", "kind", \
            "coordinate", "message"}]}, each with "operations" if --operations is set, and with "clients" if --usage is set.
            """)
    var format = Format.text

    @Flag(help: "The same as --format json.")
    var json = false

    @Option(help: "The lowest impact at which the command fails: dangerous or breaking.")
    var failOn = Finding.Severity.breaking

    @Option(help: "A file with accepted changes.")
    var accept: String?

    @OptionGroup
    var headers: SchemaHeaderOptions

    @Option(
        help:
            "A directory with operations (*.graphql, also in subdirectories); list only changes that affect them."
    )
    var operations: String?

    @Option(
        help:
            "Counted uses; list only changes that affect a client: a file, the address of a server, or a data directory."
    )
    var usage: String?

    @Option(
        help:
            "Ignore clients and operations that were last seen before this date or time, such as 2026-06-01, in UTC."
    )
    var since: String?

    @ArgumentParser.Argument(help: "The old schema.")
    var old: String

    @ArgumentParser.Argument(help: "The new schema.")
    var new: String

    func validate() throws {
        if since != nil, usage == nil { throw ValidationError("--since needs --usage.") }
    }

    func run() async throws {
        let command = self
        let usage = try await recordedUsage()
        let texts = [
            try await SchemaSource(old, headers: headers.header).text(),
            try await SchemaSource(new, headers: headers.header).text(),
        ]
        let outcome = try await LargeStackThread.run { try command.compare(texts, usage) }
        switch outcome {
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(2)
        case .success(let diff):
            Terminal.report(diff.warnings.map { "warning: \($0)\n" }.joined())
            // The result of an introspection, and a server, have no lines of the schema.
            let isText = (try? Data(contentsOf: URL(filePath: new))) == Data(texts[1].bytes)
            let report = diff.findings(file: new, SchemaLocations(isText ? texts[1] : SourceText("")))
            switch json ? .json : format {
            case .text: try Terminal.write(diff.text)
            case .json: try Terminal.write(diff.json + "\n")
            case .junit: try Terminal.write(report.junit(failingAt: failOn))
            case .sarif: try Terminal.write(report.sarif(failingAt: failOn, version: Version.current))
            case .github: try Terminal.write(report.github(failingAt: failOn))
            }
            if diff.fails(at: failOn) { throw ExitCode(1) }
        }
    }

    private func recordedUsage() async throws -> RecordedUsage? {
        guard let usage else { return nil }
        let start = try since.map { try UsageStart($0) }
        let recorded = try await SchemaUsageSource(usage, headers: headers.header).usage()
        let recent = start.map { recorded.used(since: $0.text) } ?? recorded
        guard !recent.uses.isEmpty else {
            throw UsageError(
                "\(usage) has no uses\(since.map { " since \($0)" } ?? ""). Without uses no change would affect a client."
            )
        }
        return recent
    }

    private func compare(
        _ texts: [SourceText], _ usage: RecordedUsage?
    ) throws -> Result<SchemaDiff, DiagnosticReports> {
        let files = texts.map { SchemaFile(source: $0) }
        let accepted = try accept.map { try AcceptedChanges(InputFile(path: $0)) } ?? AcceptedChanges()
        let documents = try operations.map { try DocumentFiles([$0]).completeTexts() }
        do throws(DiagnosticReports) {
            let schemas = try DiagnosticReports.schemas(of: files)
            return .success(
                try SchemaDiff(
                    from: schemas[0], to: schemas[1], reaching: documents, usage, accepting: accepted))
        } catch {
            return .failure(error)
        }
    }
}
