import GraphQL
import GraphQLTools
import PorticoCore

/// What changed between two schemas, for people and for programs.
struct SchemaDiff {
    /// The gravest first; within an impact in the order of the comparison.
    let entries: [Entry]
    /// Warnings about the accepted changes.
    let warnings: [String]
    /// Whether only changes that affect operations or clients are in `entries`; nil for all changes.
    private let scope: Scope?

    private struct Scope {
        let hasOperations: Bool
        let hasClients: Bool
        /// The number of changes that affect nothing.
        let unlisted: Int
    }

    struct Entry {
        let change: SchemaChange
        /// The files with operations that the change affects; empty if no operations were given.
        let files: [String]
        /// The operations of clients that the change affects; empty if no uses were given.
        let clients: [RecordedUsage.Operation]
        /// True if the change was accepted.
        let isAccepted: Bool
    }

    /// Compares two schemas; lists only changes that affect the documents or the uses, or all if none are given.
    ///
    /// - Throws: The errors of documents that are valid for neither schema.
    init(
        from old: Schema, to new: Schema, reaching documents: [SourceText]?, _ recorded: RecordedUsage?,
        accepting accepted: AcceptedChanges
    ) throws(DiagnosticReports) {
        let files = try documents.map { documents throws(DiagnosticReports) in
            try SchemaDiff.usages(of: documents, old, new)
        }
        let clients = recorded?.operations.map { (operation: $0, usage: SchemaUsage(of: $0, in: old)) }
        let changes = old.changes(to: new)
        let all = changes.map { change in
            Entry(
                change: change,
                files: files?.filter { $0.usage.isReached(by: change, to: new) }.map(\.file) ?? [],
                clients: clients?.filter { $0.usage.isReached(by: change, to: new) }.map(\.operation) ?? [],
                isAccepted: accepted.contains(change))
        }
        let isLimited = files != nil || clients != nil
        let listed = isLimited ? all.filter { !$0.files.isEmpty || !$0.clients.isEmpty } : all
        entries = SchemaChange.Impact.allCases.flatMap { impact in
            listed.filter { $0.change.impact == impact }
        }
        scope =
            isLimited
            ? Scope(
                hasOperations: files != nil, hasClients: clients != nil, unlisted: all.count - listed.count)
            : nil
        warnings = accepted.warnings(about: changes)
    }

    /// Returns true if a change that was not accepted is as grave as `severity`, or graver.
    func fails(at severity: Finding.Severity) -> Bool {
        entries.contains { !$0.isAccepted && $0.change.impact.severity <= severity }
    }

    /// The changes for JUnit, SARIF and GitHub, at their places in the file of the new schema.
    func findings(file: String, _ places: SchemaLocations) -> FindingReport {
        FindingReport(
            title: "schema diff",
            cases: entries.map { entry in
                let severity = entry.isAccepted ? .safe : entry.change.impact.severity
                let clients =
                    entry.clients.isEmpty
                    ? "" : " It affects \(entry.clients.map(\.description).joined(separator: "; "))."
                let place = SourcePlace(file: file, location: places.location(of: entry.change.subject))
                let finding = Finding(
                    entry.change.kind.rawValue, severity, "\(entry.change)\(clients)", at: [place])
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
                + entry.files.map { "    \($0)" } + entry.clients.map { "    \($0)" }
        }
        return (lines + [summary]).joined(separator: "\n") + "\n"
    }

    private var summary: String {
        if entries.isEmpty {
            guard let scope else { return "No changes." }
            let subjects = [
                scope.hasOperations ? "the operations" : nil, scope.hasClients ? "a client" : nil,
            ]
            return "No change affects \(subjects.compactMap(\.self).joined(separator: " or "))."
        }
        let counts = SchemaChange.Impact.allCases.map { impact in
            "\(entries.filter { $0.change.impact == impact }.count) \(impact.label)"
        }
        let rest = scope.map { $0.hasClients && $0.unlisted > 0 ? "; \($0.unlisted) affect no client" : "" }
        return counts.joined(separator: ", ") + (rest ?? "")
    }

    var json: String {
        let changes = entries.map { entry -> InputValue in
            var members: InputObject = [
                "impact": .string(entry.change.impact.rawValue), "kind": .string(entry.change.kind.rawValue),
                "coordinate": .string(entry.change.subject.description),
                "message": .string(entry.change.description),
            ]
            if entry.isAccepted { members["accepted"] = .boolean(true) }
            if scope?.hasOperations == true {
                members["operations"] = .list(entry.files.map { .string($0) })
            }
            if scope?.hasClients == true { members["clients"] = .list(entry.clients.map(\.json)) }
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
    private var entries: [Entry] = []
    private var lines: Set<String> = []
    private var file = ""

    private struct Entry {
        let line: Int
        let text: String
    }

    init() {}

    /// Reads a file.
    ///
    /// - Throws: `UsageError` for a line that has no kind and coordinate.
    init(_ file: InputFile) throws {
        let text = String(decoding: file.bytes, as: UTF8.self)
        self.file = file.name
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
            entries.append(Entry(line: index + 1, text: words.joined(separator: " ")))
        }
        lines = Set(entries.map(\.text))
    }

    func contains(_ change: SchemaChange) -> Bool { lines.contains(AcceptedChanges.line(of: change)) }

    /// Returns a warning for each entry that accepts none of the changes.
    func warnings(about changes: [SchemaChange]) -> [String] {
        let found = Set(changes.map(AcceptedChanges.line))
        return entries.filter { !found.contains($0.text) }.map { entry in
            "\(file):\(entry.line): \(entry.text) matches no change. Remove the line."
        }
    }

    private static func line(of change: SchemaChange) -> String {
        "\(change.kind.rawValue) \(change.subject)"
    }
}
