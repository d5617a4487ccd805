import GraphQL
import PorticoCore

/// Findings in the forms that CI systems read.
package struct FindingReport {
    /// What is checked, such as one operation.
    package struct Case {
        let name: String
        let file: String
        let findings: [Finding]

        package init(name: String, file: String, findings: [Finding]) {
            self.name = name
            self.file = file
            self.findings = findings
        }
    }

    let title: String
    let cases: [Case]

    package init(title: String, cases: [Case]) {
        self.title = title
        self.cases = cases
    }

    /// Each finding once, also if several operations use the fragment that has it.
    private var distinct: [Finding] {
        var seen: Set<Finding> = []
        return cases.flatMap(\.findings).filter { seen.insert($0).inserted }
    }

    // MARK: - JUnit

    /// JUnit's XML: a test case for each case, which fails if a finding is as grave as `severity`, or graver.
    package func junit(failingAt severity: Finding.Severity) -> String {
        let failed = cases.count { $0.findings.contains { $0.severity <= severity } }
        let bodies = cases.map { testCase in
            let elements = testCase.findings.map { finding -> String in
                let text = FindingReport.xml(finding.line)
                guard finding.severity <= severity else { return "      <system-out>\(text)</system-out>\n" }
                let message = FindingReport.xml(finding.message)
                return "      <failure message=\"\(message)\" type=\"\(finding.rule)\">\(text)</failure>\n"
            }
            return "    <testcase name=\"\(FindingReport.xml(testCase.name))\" classname=\""
                + "\(FindingReport.xml(testCase.file))\">\n\(elements.joined())    </testcase>\n"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="portico" tests="\(cases.count)" failures="\(failed)">
              <testsuite name="\(title)" tests="\(cases.count)" failures="\(failed)">
            \(bodies.joined())  </testsuite>
            </testsuites>

            """
    }

    /// Escapes a text for XML; control characters, which XML forbids, become spaces.
    private static func xml(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    // MARK: - SARIF

    /// SARIF 2.1.0, for code scanning: findings below `severity` are warnings or notes.
    package func sarif(failingAt severity: Finding.Severity, version: String) -> String {
        let rules = Set(distinct.map(\.rule)).sorted()
        let driver: InputValue = .object([
            "name": .string("portico"), "version": .string(version),
            "rules": .list(rules.map { .object(["id": .string($0)]) }),
        ])
        let run: InputValue = .object([
            "tool": .object(["driver": driver]), "columnKind": .string("utf16CodeUnits"),
            "results": .list(distinct.map { result(of: $0, severity) }),
        ])
        let log: InputValue = .object([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
            "runs": .list([run]),
        ])
        return String(decoding: log.json, as: UTF8.self) + "\n"
    }

    private func result(of finding: Finding, _ severity: Finding.Severity) -> InputValue {
        .object([
            "ruleId": .string(finding.rule),
            "level": .string(FindingReport.level(of: finding, severity)),
            "message": .object(["text": .string(finding.message)]),
            "locations": .list(
                finding.places.map { place in
                    .object([
                        "physicalLocation": .object([
                            "artifactLocation": .object(["uri": .string(place.file)]),
                            "region": .object([
                                "startLine": .int(place.location.line),
                                "startColumn": .int(place.location.column),
                            ]),
                        ])
                    ])
                }),
        ])
    }

    private static func level(of finding: Finding, _ severity: Finding.Severity) -> String {
        if finding.severity <= severity { return "error" }
        return finding.severity == .dangerous ? "warning" : "note"
    }

    // MARK: - GitHub

    /// Workflow commands of GitHub Actions, which annotate lines of files.
    package func github(failingAt severity: Finding.Severity) -> String {
        distinct.map { finding in
            let level = FindingReport.level(of: finding, severity)
            let place = finding.places.first.map { place in
                "file=\(FindingReport.property(place.file)),line=\(place.location.line),"
                    + "col=\(place.location.column),"
            }
            return "::\(level == "note" ? "notice" : level) \(place ?? "")title=\(finding.rule)::"
                + "\(FindingReport.data(finding.message))\n"
        }
        .joined()
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
