import Foundation
package import GraphQL

/// The errors of a file, formatted for people.
package struct DiagnosticReport {
    let source: SourceText
    let errors: [GraphQLError]

    package init(source: SourceText, errors: [GraphQLError]) {
        self.source = source
        self.errors = errors
    }

    /// The errors, each with an excerpt of the file and a caret.
    package var text: String {
        errors.map { error in
            let excerpts =
                error.locations.isEmpty ? [source.name] : error.locations.map { source.excerpt(at: $0) }
            return "error: \(error.message)\n\n\(excerpts.joined(separator: "\n"))\n"
        }
        .joined(separator: "\n")
    }

    /// Returns several reports as JSON: `[{"file", "errors"}]`.
    package static func json(of reports: [DiagnosticReport]) -> String {
        let entries = reports.map { report in
            InputValue.object([
                "file": .string(report.source.name), "errors": .list(report.errors.map(\.json)),
            ])
        }
        return String(decoding: InputValue.list(entries).json, as: UTF8.self)
    }
}

/// The error of a command because of errors in its files.
package struct DiagnosticReports: Error {
    let reports: [DiagnosticReport]

    package init(reports: [DiagnosticReport]) {
        self.reports = reports
    }

    package var text: String { reports.map(\.text).joined(separator: "\n") }

    /// Returns the schemas of files.
    ///
    /// - Throws: The errors of the files without a valid schema.
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
