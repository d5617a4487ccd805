import GraphQL

/// What changed between two schemas, for people and for programs.
struct SchemaDiff {
    /// The gravest first; within an impact in the order of the comparison.
    let entries: [Entry]
    /// Whether only what reaches some operations is in `entries`.
    let isForOperations: Bool

    struct Entry {
        let change: SchemaChange
        /// The files whose operations it reaches; empty where none were asked about.
        let files: [String]
    }

    /// Compares two schemas; of the changes those that reach the documents, or all where there are none given.
    ///
    /// - Throws: The faults of documents that neither schema takes.
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
                    // What is new with the new schema was never in use with the old one.
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
        if entries.isEmpty { return isForOperations ? "No change reaches the operations." : "No changes." }
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
