import GraphQL

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
