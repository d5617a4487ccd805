import Foundation
package import GraphQL

/// The faults of a file as people read them.
package struct DiagnosticReport {
    let source: SourceText
    let errors: [GraphQLError]

    package init(source: SourceText, errors: [GraphQLError]) {
        self.source = source
        self.errors = errors
    }

    /// Each error with the lines that it speaks of and a caret below the place.
    package var text: String {
        errors.map { error in
            let places =
                error.locations.isEmpty ? [source.name] : error.locations.map { source.excerpt(at: $0) }
            return "error: \(error.message)\n\n\(places.joined(separator: "\n"))\n"
        }
        .joined(separator: "\n")
    }

    /// Several reports as JSON: `[{"file", "errors"}]`.
    package static func json(of reports: [DiagnosticReport]) -> String {
        let entries = reports.map { report in
            InputValue.object([
                "file": .string(report.source.name), "errors": .list(report.errors.map(\.json)),
            ])
        }
        return String(decoding: InputValue.list(entries).json, as: UTF8.self)
    }
}

/// The faults of several files, which keep a command from doing its work.
package struct DiagnosticReports: Error {
    let reports: [DiagnosticReport]

    package init(reports: [DiagnosticReport]) {
        self.reports = reports
    }

    package var text: String { reports.map(\.text).joined(separator: "\n") }

    /// The schemas of files.
    ///
    /// - Throws: The faults of those that define none.
    package static func schemas(of files: [SchemaFile]) throws(DiagnosticReports) -> [Schema] {
        var schemas: [Schema] = []
        var reports: [DiagnosticReport] = []
        for file in files {
            switch file.result {
            case .success(let schema): schemas.append(schema)
            case .failure(let errors):
                reports.append(DiagnosticReport(source: file.source, errors: errors.errors))
            }
        }
        if !reports.isEmpty { throw DiagnosticReports(reports: reports) }
        return schemas
    }
}
