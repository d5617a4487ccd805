import GraphQL

/// The faults of several files, which keep a command from doing its work.
struct FaultReports: Error {
    let reports: [FaultReport]

    var text: String { reports.map(\.text).joined(separator: "\n") }

    /// The schemas of files.
    ///
    /// - Throws: The faults of those that define none.
    static func schemas(of files: [SchemaFile]) throws(FaultReports) -> [Schema] {
        var schemas: [Schema] = []
        var reports: [FaultReport] = []
        for file in files {
            switch file.result {
            case .success(let schema): schemas.append(schema)
            case .failure(let errors): reports.append(FaultReport(source: file.source, errors: errors.errors))
            }
        }
        if !reports.isEmpty { throw FaultReports(reports: reports) }
        return schemas
    }
}
