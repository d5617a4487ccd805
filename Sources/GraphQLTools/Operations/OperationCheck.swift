package import GraphQL

/// The result of checking one operation, or of a file or fragment with findings.
package struct OperationCheck {
    let file: String
    /// The name; nil for an anonymous operation, and for a document that could not be parsed.
    let name: String?
    var findings: [Finding]
    /// The position in the file; nil if the document could not be parsed.
    var position: SourceLocation?
    /// True for a fragment that no operation uses.
    var isFragment = false
    /// The cost with the example variables; nil if required variables are missing, or if it cannot be run.
    var cost: OperationCost?
    var costLimit = OperationLimits.default.cost
    /// The cache policy; nil if the schema has no cache hints, or if the operation cannot be run.
    var cache: CachePolicy?

    init(file: String, name: String?, findings: [Finding]) {
        self.file = file
        self.name = name
        self.findings = findings
    }

    /// Returns true if a finding is as grave as `severity`, or graver.
    package func hasFindings(_ severity: Finding.Severity) -> Bool {
        findings.contains { $0.severity <= severity }
    }
}

/// The checks of a repository, for people and programs.
package struct OperationReport {
    private let checks: [OperationCheck]
    /// The texts of the files by their names, for excerpts.
    private let files: [String: SourceText]
    /// The files that were read.
    private let fileCount: Int

    package init(_ checks: [OperationCheck], files: [DocumentFiles.Document], fileCount: Int) {
        self.checks = checks
        self.files = Dictionary(files.map { ($0.file.name, $0.file) }) { first, _ in first }
        self.fileCount = fileCount
    }

    /// The findings of each operation, for JUnit, SARIF and GitHub.
    package var findings: FindingReport {
        FindingReport(
            title: "operations check",
            cases: checks.map { check in
                FindingReport.Case(name: check.name ?? check.file, file: check.file, findings: check.findings)
            })
    }
}

// MARK: - For people

extension OperationReport {
    /// A paragraph for each operation, and a line that counts the findings.
    package var text: String {
        var printed: Set<Finding> = []
        let paragraphs = checks.map { check in
            defer { printed.formUnion(check.findings) }
            return text(of: check, without: printed)
        }
        return paragraphs.joined() + summary + "\n"
    }

    private var summary: String {
        let operations = checks.count { !$0.isFragment && $0.position != nil }
        let findings = Set(checks.flatMap(\.findings))
        let counts = Finding.Severity.allCases.compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)"
        }
        return OperationReport.count(operations, "operation") + " in "
            + OperationReport.count(fileCount, "file") + ": "
            + (counts.isEmpty ? "no findings" : counts.joined(separator: ", "))
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    /// The text of a check; errors that another check has printed, those of a fragment, are only named.
    private func text(of check: OperationCheck, without printed: Set<Finding>) -> String {
        let title = check.file + (check.name.map { " \($0)" } ?? "")
        let errors = check.findings.filter { $0.severity == .breaking }
        let warnings = check.findings.filter { $0.severity != .breaking }
        let cannotRun = errors.contains { $0.rule != Finding.Rule.costIncrease.rawValue }
        let details =
            cannotRun || check.isFragment ? [] : [costText(check), cacheText(check)].compactMap(\.self)
        let lines = details + warnings.map(\.line)
        return title + (cannotRun ? ": cannot be run\n" : "\n") + lines.map { "  \($0)\n" }.joined()
            + errors.map { printed.contains($0) ? "error: \($0.line) (see above)\n" : paragraph($0) }
            .joined(separator: "\n")
    }

    /// A finding with an excerpt of each place.
    private func paragraph(_ finding: Finding) -> String {
        let excerpts = finding.places.map { place in
            files[place.file]?.excerpt(at: place.location) ?? "\(place)"
        }
        return "error: \(finding.message)\n\n\(excerpts.joined(separator: "\n"))\n"
    }

    private func costText(_ check: OperationCheck) -> String {
        guard let cost = check.cost else {
            return "cost: depends on the variables; add a file with example variables"
        }
        return "cost: \(cost.total) of \(check.costLimit)"
    }

    private func cacheText(_ check: OperationCheck) -> String? {
        guard let cache = check.cache else { return nil }
        let names = Set(cache.shortest.map { "\($0.coordinate)" }).sorted()
        let fields = names.joined(separator: ", ")
        if cache.maxAge == 0 {
            return names.isEmpty ? "cache: never" : "cache: never, because \(fields) must not be cached"
        }
        let scope = cache.isPrivate ? "private" : "public"
        return
            "cache: \(cache.maxAge) s, \(scope); \(fields) \(names.count == 1 ? "sets" : "set") the lifetime"
    }
}

extension SourcePlace: CustomStringConvertible {
    /// `file:line:column`, as editors read it.
    package var description: String { "\(file):\(location.line):\(location.column)" }
}

// MARK: - For programs

extension OperationReport {
    package var json: String {
        let value = InputValue.object(["operations": .list(checks.map(json))])
        return String(decoding: value.json, as: UTF8.self)
    }

    private func json(_ check: OperationCheck) -> InputValue {
        let findings = Dictionary(grouping: check.findings, by: \.severity)
        return .object([
            "file": .string(check.file), "name": check.name.map { .string($0) } ?? .null,
            "errors": .list((findings[.breaking] ?? []).map(json)),
            "warnings": .list((findings[.dangerous] ?? []).map(json)),
            "deprecated": .list((findings[.deprecated] ?? []).map(json)),
            "cost": check.cost?.inputValue ?? .null, "cache": check.cache.map(json) ?? .null,
        ])
    }

    private func json(_ finding: Finding) -> InputValue {
        let locations = finding.places.map { place in
            InputValue.object([
                "file": .string(place.file), "line": .int(place.location.line),
                "column": .int(place.location.column),
            ])
        }
        guard let deprecation = finding.deprecation else {
            return .object([
                "rule": .string(finding.rule), "message": .string(finding.message),
                "locations": .list(locations),
            ])
        }
        return .object([
            "coordinate": .string(deprecation.coordinate), "reason": .string(deprecation.reason),
            "locations": .list(locations),
        ])
    }

    private func json(_ cache: CachePolicy) -> InputValue {
        let shortest = Set(cache.shortest.map { $0.coordinate.description }).sorted()
        return .object([
            "maxAge": .int(cache.maxAge), "scope": .string(cache.isPrivate ? "PRIVATE" : "PUBLIC"),
            "shortest": .list(shortest.map { .string($0) }),
        ])
    }
}

/// The costs of operations, from the JSON of an earlier report.
package struct CostBaseline {
    /// The costs by the operations' names.
    package let costs: [String: Cost]

    /// Reads a report.
    ///
    /// - Returns: Nil if the text is not a report.
    package init?(_ file: InputFile) {
        guard
            case .object(let report)? = try? InputValue(json: file.bytes, limits: LargeStackThread.jsonLimits),
            case .list(let operations)? = report["operations"]
        else { return nil }
        var costs: [String: Cost] = [:]
        for case .object(let operation) in operations {
            guard case .string(let name)? = operation["name"], case .object(let cost)? = operation["cost"]
            else {
                continue
            }
            switch cost["requested"] {
            case .int(let number): costs[name] = Cost(weight: "\(number)")
            case .number(let text): costs[name] = Cost(weight: text)
            default: break
            }
        }
        self.costs = costs
    }
}
