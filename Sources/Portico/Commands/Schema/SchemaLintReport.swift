import GraphQL

/// What was found in one file.
struct SchemaLintReport {
    let file: String
    let findings: [LintFinding]
    /// Why the file defines no schema; nil where it does.
    let faults: DiagnosticReport?

    init(of file: SchemaFile, _ rules: Set<LintFinding.Rule>) {
        self.file = file.source.name
        switch file.result {
        case .success(let schema):
            findings = schema.lint(rules)
            faults = nil
        case .failure(let errors):
            findings = []
            faults = DiagnosticReport(source: file.source, errors: errors.errors)
        }
    }

    /// A line for each finding, as editors read them.
    var text: String {
        findings.map { finding in
            "\(file):\(finding.location.line):\(finding.location.column): \(finding.message) "
                + "(\(finding.rule.rawValue))\n"
        }
        .joined()
    }

    var json: InputValue {
        let findings = findings.map { finding -> InputValue in
            let place: InputObject = [
                "line": .int(finding.location.line), "column": .int(finding.location.column),
            ]
            return .object([
                "rule": .string(finding.rule.rawValue), "coordinate": .string(finding.subject.description),
                "message": .string(finding.message), "locations": .list([.object(place)]),
            ])
        }
        return .object(["file": .string(file), "findings": .list(findings)])
    }
}
