/// An error of a provider file: its place, the field and the remedy.
package struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file.
    package let file: String
    /// From 1.
    package let line: Int
    /// From 1, in Unicode scalars.
    package let column: Int
    /// The path of the field, such as `providers[0].charts.path`; empty for the file itself.
    package let field: String
    /// The error and its remedy.
    package let message: String

    package var description: String {
        "\(file):\(line):\(column): " + (field.isEmpty ? "" : field + ": ") + message
    }
}

/// All errors of a provider file, in the order of their places.
package struct FileProblems: Error, Hashable, Sendable, CustomStringConvertible {
    package let problems: [FileProblem]

    package init(_ problems: [FileProblem]) {
        // A value may have an error by the schema and another by its meaning; a place is then named once for each.
        var seen: Set<FileProblem> = []
        self.problems = problems.filter { seen.insert($0).inserted }
            .sorted { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
    }

    /// One line for each error.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
