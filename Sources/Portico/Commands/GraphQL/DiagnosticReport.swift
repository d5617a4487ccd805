import GraphQL

/// The faults of a file as people read them.
struct DiagnosticReport {
    let source: SourceText
    let errors: [GraphQLError]

    /// Each error with the lines that it speaks of and a caret below the place.
    var text: String {
        errors.map { error in
            let places =
                error.locations.isEmpty ? [source.name] : error.locations.map { source.excerpt(at: $0) }
            return "error: \(error.message)\n\n\(places.joined(separator: "\n"))\n"
        }
        .joined(separator: "\n")
    }

    /// Several reports as JSON: `[{"file", "errors"}]`.
    static func json(of reports: [DiagnosticReport]) -> String {
        let entries = reports.map { report in
            InputValue.object([
                "file": .string(report.source.name), "errors": .list(report.errors.map(\.json)),
            ])
        }
        return String(decoding: InputValue.list(entries).json, as: UTF8.self)
    }
}
