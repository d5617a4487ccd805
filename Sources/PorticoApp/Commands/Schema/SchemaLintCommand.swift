import ArgumentParser
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico schema lint`.
struct SchemaLintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check names, descriptions, deprecations and lists of schemas; exit status 1 on findings.",
        discussion: HelpText.paragraphs(
            """
            The rules:
              naming               types in UpperCamelCase; fields, arguments, input fields and directives in
                                   lowerCamelCase; enum values in UPPER_CASE
              descriptions         every definition has one
              deprecation-reasons  every deprecation has a reason, which names the replacement
              nullable-items       items of lists are non-null, or the field's description says when one is null

            With --strict also:
              no-deprecations      no definition is deprecated
              no-floats            no value is a Float
              percentage-names     names of percentages end in Percentage
              one-range            one enumeration has ranges of time
              twin-names           no two siblings name the same thing, such as provider and providerName
              null-descriptions    the description of each nullable field says when it is null

            Exit status 0: no findings; 1: findings; 2: a file could not be checked, because it cannot be read or
            defines no schema. Other files are still checked.

            Examples:
              portico schema lint schema.graphql
              portico schema lint --rule naming --rule descriptions schema.graphql
              portico schema lint --json - < schema.graphql
            """))

    @Flag(
        help: """
            Write [{"file", "findings": [{"rule", "coordinate", "message", "locations"}]}], one entry for each file \
            with findings.
            """)
    var json = false

    @Flag(help: "Check the strict rules, too.")
    var strict = false

    @Option(
        help: "A rule to check, instead of these; may be given more than once.",
        transform: SchemaLintCommand.rule(named:))
    var rule: [LintFinding.Rule] = []

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "The files with the schemas; - is standard input.")
    var files: [String]

    func run() async throws {
        let command = self
        let lints = try await LargeStackThread.run { try command.lint() }
        let faults = lints.compactMap(\.faults)
        Terminal.report(DiagnosticReports(reports: faults).text)
        let found = lints.filter { !$0.findings.isEmpty }
        if json {
            try Terminal.write(
                String(decoding: InputValue.list(found.map(\.json)).json, as: UTF8.self) + "\n")
        } else {
            try Terminal.write(found.map(\.text).joined())
        }
        if !faults.isEmpty { throw ExitCode(2) }
        if !found.isEmpty { throw ExitCode(1) }
    }

    private func lint() throws -> [SchemaLintReport] {
        let chosen = strict ? Set(LintFinding.Rule.allCases) : LintFinding.Rule.standard
        let rules = rule.isEmpty ? chosen : Set(rule)
        return try files.map { SchemaLintReport(of: try SchemaFile(path: $0), rules) }
    }

    private static func rule(named name: String) throws -> LintFinding.Rule {
        if let rule = LintFinding.Rule(rawValue: name) { return rule }
        let names = LintFinding.Rule.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no rule \"\(name)\". The rules are \(names).")
    }
}

/// The findings in one file.
struct SchemaLintReport {
    let file: String
    let findings: [LintFinding]
    /// The errors of the file; nil if it defines a schema.
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
