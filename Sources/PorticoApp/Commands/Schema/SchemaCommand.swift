import ArgumentParser
import GraphQL
import GraphQLTools

/// `portico schema`.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Compare schemas, and check their style.",
        discussion: """
            Exit status 0: no findings; 1: findings; 2: wrong usage, or a file cannot be read or defines no schema.

            Examples:
              portico schema diff released.graphql schema.graphql
              portico schema diff --operations operations released.graphql schema.graphql
              portico schema lint schema.graphql
            """,
        subcommands: [SchemaDiffCommand.self, SchemaLintCommand.self])
}

/// `portico schema diff`.
struct SchemaDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List the changes between two schemas; exit status 1 if one of them breaks clients.",
        discussion: """
            Changes are breaking, dangerous or safe, as graphql-js classifies them. With --operations, only changes that
            affect an operation in a directory are listed. An operation that is valid only for the new schema is
            ignored, because no change can break it.

            Exit status 0: no breaking change; 1: a breaking change; 2: the schemas could not be compared: a file cannot
            be read or defines no schema, or an operation is valid for neither schema.

            Examples:
              portico schema diff released.graphql schema.graphql
              portico schema diff --json released.graphql schema.graphql
              portico schema diff --operations operations released.graphql schema.graphql
            """)

    @Flag(
        help: """
            Write {"changes": [{"impact", "kind", "coordinate", "message"}]}, each with "operations" if --operations is \
            set.
            """)
    var json = false

    @Option(
        help:
            "A directory with operations (*.graphql, also in subdirectories); list only changes that affect them."
    )
    var operations: String?

    @ArgumentParser.Argument(help: "The file with the old schema; - is standard input.")
    var old: String

    @ArgumentParser.Argument(help: "The file with the new schema; - is standard input.")
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

/// What changed between two schemas, for people and for programs.
struct SchemaDiff {
    /// The gravest first; within an impact in the order of the comparison.
    let entries: [Entry]
    /// Whether only what reaches some operations is in `entries`.
    let isForOperations: Bool

    struct Entry {
        let change: SchemaChange
        /// The files with operations that the change affects; empty if no operations were given.
        let files: [String]
    }

    /// Compares two schemas; lists only changes that affect the documents, or all if none are given.
    ///
    /// - Throws: The errors of documents that are valid for neither schema.
    init(from old: Schema, to new: Schema, reaching documents: [SourceText]?) throws(DiagnosticReports) {
        let usages = try documents.map { documents throws(DiagnosticReports) in
            try SchemaDiff.usages(of: documents, old, new)
        }
        let entries = old.changes(to: new).compactMap { change -> Entry? in
            guard let usages else { return Entry(change: change, files: []) }
            let reached = usages.filter { $0.usage.isReached(by: change, to: new) }
            return reached.isEmpty ? nil : Entry(change: change, files: reached.map(\.file))
        }
        self.entries = SchemaChange.Impact.allCases.flatMap { impact in
            entries.filter { $0.change.impact == impact }
        }
        isForOperations = documents != nil
    }

    var isBreaking: Bool { entries.contains { $0.change.impact == .breaking } }

    private static func usages(
        of documents: [SourceText], _ old: Schema, _ new: Schema
    ) throws(DiagnosticReports) -> [(file: String, usage: SchemaUsage)] {
        var usages: [(file: String, usage: SchemaUsage)] = []
        var reports: [DiagnosticReport] = []
        for source in documents {
            do throws(GraphQLErrors) {
                let document = try Document.read(source)
                do throws(GraphQLErrors) {
                    usages.append((source.name, SchemaUsage(of: try document.validated(against: old))))
                } catch let refusal {
                    // A document that is valid only for the new schema did not use the old one.
                    if (try? document.validated(against: new)) == nil { throw refusal }
                }
            } catch {
                reports.append(DiagnosticReport(source: source, errors: error.errors))
            }
        }
        if !reports.isEmpty { throw DiagnosticReports(reports: reports) }
        return usages
    }
}

extension SchemaDiff {
    /// A line for each change, the files that it reaches below it, and a line that counts them.
    var text: String {
        let lines = entries.flatMap { entry in
            ["\(entry.change.impact.label): \(entry.change) (\(entry.change.kind.rawValue))"]
                + entry.files.map { "    \($0)" }
        }
        return (lines + [summary]).joined(separator: "\n") + "\n"
    }

    private var summary: String {
        if entries.isEmpty { return isForOperations ? "No change affects the operations." : "No changes." }
        let counts = SchemaChange.Impact.allCases.map { impact in
            "\(entries.filter { $0.change.impact == impact }.count) \(impact.label)"
        }
        return counts.joined(separator: ", ")
    }

    var json: String {
        let changes = entries.map { entry -> InputValue in
            var members: InputObject = [
                "impact": .string(entry.change.impact.rawValue), "kind": .string(entry.change.kind.rawValue),
                "coordinate": .string(entry.change.subject.description),
                "message": .string(entry.change.description),
            ]
            if isForOperations { members["operations"] = .list(entry.files.map { .string($0) }) }
            return .object(members)
        }
        return String(decoding: InputValue.object(["changes": .list(changes)]).json, as: UTF8.self)
    }
}

extension SchemaChange.Impact {
    fileprivate var label: String { rawValue.lowercased() }
}
