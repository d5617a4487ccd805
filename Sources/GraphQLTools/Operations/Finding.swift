import GraphQL

/// What a check reports: an error, or a warning.
package struct Finding: Hashable {
    /// The consequence of a finding for clients, the gravest first.
    package enum Severity: String, CaseIterable, Comparable {
        case breaking, dangerous, deprecated
        /// Reported, but no reason to fail.
        case safe

        package static func < (one: Severity, other: Severity) -> Bool {
            (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
        }
    }

    /// The rules of `portico operations check`.
    package enum Rule: String, CaseIterable {
        case syntax
        case invalidOperation = "invalid-operation"
        case limitExceeded = "limit-exceeded"
        case costIncrease = "cost-increase"
        case ambiguousFragment = "ambiguous-fragment"
        case missingImport = "missing-import"
        case duplicateOperation = "duplicate-operation"
        case unusedFragment = "unused-fragment"
        case deprecatedUse = "deprecated-use"

        package var severity: Severity {
            switch self {
            case .syntax, .invalidOperation, .limitExceeded, .costIncrease, .ambiguousFragment,
                .missingImport:
                .breaking
            case .duplicateOperation, .unusedFragment: .dangerous
            case .deprecatedUse: .deprecated
            }
        }
    }

    /// The name of the rule; for a change of a schema its kind.
    package let rule: String
    package let severity: Severity
    package let message: String
    /// The places in files; the first one is the main one.
    package let places: [SourcePlace]
    /// The coordinate and reason of a deprecated definition.
    private(set) var deprecation: (coordinate: String, reason: String)?

    init(_ rule: Rule, _ message: String, at places: [SourcePlace]) {
        self.init(rule.rawValue, rule.severity, message, at: places)
    }

    /// Creates a finding of any check.
    package init(_ rule: String, _ severity: Severity, _ message: String, at places: [SourcePlace]) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.places = places
    }

    /// A use of a deprecated definition.
    init(deprecated coordinate: String, reason: String, at place: SourcePlace) {
        self.init(.deprecatedUse, "\(coordinate) is deprecated: \(reason)", at: [place])
        deprecation = (coordinate, reason)
    }

    /// The message in one line, with the first place.
    var line: String { (places.first.map { "\($0): " } ?? "") + message }

    package static func == (one: Finding, other: Finding) -> Bool {
        one.rule == other.rule && one.message == other.message && one.places == other.places
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(rule)
        hasher.combine(message)
        hasher.combine(places)
    }
}
