import ArgumentParser
import GraphQL
import GraphQLTools
import PorticoCore

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

            A schema is a file, - for standard input, git:REVISION:PATH, or the address of a server.

            --accept names a file with accepted changes, one on a line as in the text form: the kind and the coordinate,
            such as "FIELD_REMOVED Account.worth", and # for comments. Accepted changes are listed, but are no reason to
            fail.

            Exit status 0: no findings; 1: a change as grave as --fail-on, or graver; 2: the schemas could not be
            compared: a file cannot be read or defines no schema, or an operation is valid for neither schema.

            Examples:
              portico schema diff released.graphql schema.graphql
              portico schema diff --json git:main:schema.graphql schema.graphql
              portico schema diff --fail-on dangerous http://127.0.0.1:8080 schema.graphql
              portico schema diff --operations operations released.graphql schema.graphql
            """)

    /// The forms of the report.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, junit, sarif, github
    }

    @Option(
        help: """
            The form of the report: text, json, junit, sarif or github. json is {"changes": [{"impact", "kind", \
            "coordinate", "message"}]}, each with "operations" if --operations is set.
            """)
    var format = Format.text

    @Flag(help: "The same as --format json.")
    var json = false

    @Option(help: "The impact at which the command fails, with all graver ones: breaking or dangerous.")
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

    @ArgumentParser.Argument(help: "The old schema.")
    var old: String

    @ArgumentParser.Argument(help: "The new schema.")
    var new: String

    func run() async throws {
        let command = self
        let texts = [
            try await SchemaSource(old, headers: headers.header).text(),
            try await SchemaSource(new, headers: headers.header).text(),
        ]
        let outcome = try await LargeStackThread.run { try command.compare(texts) }
        switch outcome {
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(2)
        case .success(let diff):
            let report = diff.findings(file: new)
            switch json ? .json : format {
            case .text: Terminal.write(diff.text)
            case .json: Terminal.write(diff.json + "\n")
            case .junit: Terminal.write(report.junit(failingAt: failOn))
            case .sarif: Terminal.write(report.sarif(failingAt: failOn, version: Version.current))
            case .github: Terminal.write(report.github(failingAt: failOn))
            }
            if diff.fails(at: failOn) { throw ExitCode(1) }
        }
    }

    private func compare(_ texts: [SourceText]) throws -> Result<SchemaDiff, DiagnosticReports> {
        let files = texts.map { SchemaFile(source: $0) }
        let accepted = try accept.map { try AcceptedChanges(InputFile(path: $0)) } ?? AcceptedChanges()
        let documents = try operations.map { try DocumentFiles([$0]).completeTexts() }
        do throws(DiagnosticReports) {
            let schemas = try DiagnosticReports.schemas(of: files)
            return .success(
                try SchemaDiff(from: schemas[0], to: schemas[1], reaching: documents, accepting: accepted))
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
        /// True if the change was accepted.
        let isAccepted: Bool
    }

    /// Compares two schemas; lists only changes that affect the documents, or all if none are given.
    ///
    /// - Throws: The errors of documents that are valid for neither schema.
    init(
        from old: Schema, to new: Schema, reaching documents: [SourceText]?,
        accepting accepted: AcceptedChanges
    ) throws(DiagnosticReports) {
        let usages = try documents.map { documents throws(DiagnosticReports) in
            try SchemaDiff.usages(of: documents, old, new)
        }
        let entries = old.changes(to: new).compactMap { change -> Entry? in
            let isAccepted = accepted.contains(change)
            guard let usages else { return Entry(change: change, files: [], isAccepted: isAccepted) }
            let reached = usages.filter { $0.usage.isReached(by: change, to: new) }
            return reached.isEmpty
                ? nil : Entry(change: change, files: reached.map(\.file), isAccepted: isAccepted)
        }
        self.entries = SchemaChange.Impact.allCases.flatMap { impact in
            entries.filter { $0.change.impact == impact }
        }
        isForOperations = documents != nil
    }

    /// Returns true if a change that was not accepted is as grave as `severity`, or graver.
    func fails(at severity: Finding.Severity) -> Bool {
        entries.contains { !$0.isAccepted && $0.change.impact.severity <= severity }
    }

    /// The changes for JUnit, SARIF and GitHub.
    func findings(file: String) -> FindingReport {
        let place = SourcePlace(file: file, location: SourceLocation(line: 1, column: 1))
        return FindingReport(
            title: "schema diff",
            cases: entries.map { entry in
                let severity = entry.isAccepted ? .safe : entry.change.impact.severity
                let finding = Finding(entry.change.kind.rawValue, severity, "\(entry.change)", at: [place])
                return FindingReport.Case(name: "\(entry.change)", file: file, findings: [finding])
            })
    }

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
            [
                "\(entry.change.impact.label): \(entry.change) (\(entry.change.kind.rawValue))"
                    + (entry.isAccepted ? ", accepted" : "")
            ]
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
            if entry.isAccepted { members["accepted"] = .boolean(true) }
            if isForOperations { members["operations"] = .list(entry.files.map { .string($0) }) }
            return .object(members)
        }
        return String(decoding: InputValue.object(["changes": .list(changes)]).json, as: UTF8.self)
    }
}

extension SchemaChange.Impact {
    fileprivate var label: String { rawValue.lowercased() }

    fileprivate var severity: Finding.Severity {
        switch self {
        case .breaking: .breaking
        case .dangerous: .dangerous
        case .safe: .safe
        }
    }
}

/// Changes of a schema that were accepted: `KIND COORDINATE` on each line.
struct AcceptedChanges {
    private var lines: Set<String> = []

    init() {}

    /// Reads a file.
    ///
    /// - Throws: `UsageError` for a line that has no kind and coordinate.
    init(_ file: InputFile) throws {
        let text = String(decoding: file.bytes, as: UTF8.self)
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            if words.isEmpty { continue }
            guard words.count == 2, SchemaChange.Kind(rawValue: words[0]) != nil else {
                throw UsageError(
                    "\(file.name):\(index + 1): \"\(line)\" is not a kind of change and a coordinate, such as "
                        + "FIELD_REMOVED Account.worth.")
            }
            lines.insert(words.joined(separator: " "))
        }
    }

    func contains(_ change: SchemaChange) -> Bool {
        lines.contains("\(change.kind.rawValue) \(change.subject)")
    }
}
