import Foundation
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

/// The faults of several files, which keep a command from doing its work.
struct DiagnosticReports: Error {
    let reports: [DiagnosticReport]

    var text: String { reports.map(\.text).joined(separator: "\n") }

    /// The schemas of files.
    ///
    /// - Throws: The faults of those that define none.
    static func schemas(of files: [SchemaFile]) throws(DiagnosticReports) -> [Schema] {
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

/// Where commands write what people read.
enum Terminal {
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// To standard error, so that results can be piped on without it.
    static func report(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
