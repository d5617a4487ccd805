import Brokerage
import GraphQL
import Upstream

/// The result of `portico providers verify`, without values of the providers.
struct VerificationReport {
    struct Provider {
        let id: ProviderID
        /// Nil without a credential.
        var environment: Environment?
        var operations: [Operation] = []
        /// The steps of the order that was placed; empty without one.
        var orderSteps: [OrderStep] = []
    }

    struct Operation {
        let name: String
        let calls: Int
        /// The failure of the last call; nil if it succeeded, and if the differences have the reason.
        let failure: ProviderFailure.Cause?
        let differences: [Difference]
        /// The paths of the lists that no response has an element of, so that there was nothing to compare; empty for the
        /// whole response.
        let emptyLists: [String]
    }

    /// A difference between a response and what Portico reads.
    struct Difference {
        enum Kind: String {
            case unknown = "UNKNOWN"
            case missing = "MISSING"
            case different = "DIFFERENT"
            /// A member that Portico knows and does not read, or that not every response has; no difference.
            case known = "KNOWN"
        }

        let kind: Kind
        let path: String
        let detail: String
    }

    /// One step of the order that `--orders` places.
    struct OrderStep {
        let name: String
        /// Nil if the step did what it should.
        let problem: String?
    }

    var providers: [Provider] = []

    /// Whether everything that could be called was read, without a difference.
    var isClean: Bool {
        providers.allSatisfy { provider in
            provider.operations.allSatisfy { !$0.hasProblem }
                && provider.orderSteps.allSatisfy { $0.problem == nil }
        }
    }
}

extension VerificationReport.Operation {
    /// - Parameters:
    ///   - operation: The calls.
    ///   - provider: The provider that was called.
    ///   - known: The members that are no difference.
    ///   - showsKnown: Whether the report has them.
    init(
        _ operation: VerificationLog.Operation, of provider: ProviderID, _ known: KnownMembers,
        showsKnown: Bool
    ) {
        name = operation.name
        calls = operation.calls
        differences = operation.findings.sorted { ($0.path, "\($0.kind)") < ($1.path, "\($1.kind)") }
            .compactMap { finding in
                let isKnown = known.contains(finding, in: operation.name, of: provider)
                return isKnown && !showsKnown
                    ? nil : VerificationReport.Difference(finding, isKnown: isKnown)
            }
        func lists(isEmpty: Bool) -> Set<String> {
            Set(operation.findings.filter { $0.kind == .list(isEmpty: isEmpty) }.map(\.path))
        }
        emptyLists = lists(isEmpty: true).subtracting(lists(isEmpty: false)).sorted()
        // The location of the error is a difference.
        if case .invalidResponse(_?)? = operation.failure, differences.contains(where: \.isProblem) {
            failure = nil
        } else {
            failure = operation.failure
        }
    }

    var hasProblem: Bool { differences.contains(where: \.isProblem) || failure.map(\.isProblem) ?? false }
}

extension VerificationReport.Difference {
    /// Nil for a finding that is no difference.
    init?(_ finding: JSONInspection.Finding, isKnown: Bool) {
        switch finding.kind {
        case .unread(let kind):
            self.init(
                kind: isKnown ? .known : .unknown, path: finding.path,
                detail: isKnown ? "unread" : "Portico does not know the member; it is \(kind)")
        case .absent:
            self.init(
                kind: isKnown ? .known : .missing, path: finding.path,
                detail: isKnown ? "absent" : "no object has the member, which Portico reads")
        case .unknownName:
            self.init(kind: .unknown, path: finding.path, detail: "Portico does not know the name")
        case .unreadable(.missing(let key)):
            self.init(
                kind: .missing, path: finding.path.isEmpty ? key : "\(finding.path).\(key)",
                detail: "an object does not have the member, without which Portico cannot read it")
        case .unreadable(let reason):
            self.init(kind: .different, path: finding.path, detail: "\(reason)")
        case .list: return nil
        }
    }

    var isProblem: Bool { kind != .known }
}

extension ProviderFailure.Cause {
    /// Whether the failure is a reason to look into it; a plan or a provider without a kind of data is none.
    var isProblem: Bool {
        !traits.contains(.final) || traits.contains(.concernsConnection)
    }
}

extension VerificationReport {
    var text: String {
        providers.map(\.text).joined() + conclusion + "\n"
    }

    private var conclusion: String {
        guard isClean else { return "There are differences." }
        let count = providers.flatMap(\.operations).reduce(0) { $0 + $1.emptyLists.count }
        if count == 0 { return "No differences." }
        return
            "No differences, but \(count == 1 ? "a list was" : "\(count) lists were") empty: there was nothing to compare."
    }

    /// The report as one JSON object.
    var json: String {
        let members: [(name: String, value: InputValue)] = [
            ("clean", .boolean(isClean)), ("providers", .list(providers.map(\.json))),
        ]
        return String(decoding: InputValue.object(InputObject(members)).json, as: UTF8.self) + "\n"
    }
}

extension VerificationReport.Provider {
    fileprivate var text: String {
        guard let environment else { return "\(id.name.text): not configured\n" }
        var text = "\(id.name.text) (\(environment.rawValue.lowercased()))\n"
        for operation in operations {
            let state = operation.failure.map { $0.isProblem ? "failed" : "refused" } ?? "read"
            let reason = operation.failure.map { ": \($0)" } ?? ""
            text += "  \(state) \(operation.name), calls: \(operation.calls)\(reason)\n"
            for difference in operation.differences {
                text +=
                    "    \(difference.kind.rawValue.lowercased()) \(difference.path): \(difference.detail)\n"
            }
            for path in operation.emptyLists {
                text +=
                    "    empty \(path.isEmpty ? "response" : path): the list has no elements, so that there was nothing to compare\n"
            }
        }
        for step in orderSteps {
            text += "  order, \(step.name): \(step.problem ?? "done")\n"
        }
        return text
    }

    fileprivate var json: InputValue {
        let steps = orderSteps.map { step in
            VerificationReport.object([
                ("step", .string(step.name)), ("problem", step.problem.map(InputValue.string) ?? .null),
            ])
        }
        return VerificationReport.object([
            ("provider", .string(id.name.text)),
            ("environment", environment.map { .string($0.rawValue) } ?? .null),
            ("configured", .boolean(environment != nil)),
            ("operations", .list(operations.map(\.json))), ("order", .list(steps)),
        ])
    }
}

extension VerificationReport.Operation {
    fileprivate var json: InputValue {
        VerificationReport.object([
            ("name", .string(name)), ("calls", .int(calls)),
            ("failure", failure.map { .string("\($0)") } ?? .null),
            (
                "differences",
                .list(
                    differences.map { difference in
                        VerificationReport.object([
                            ("kind", .string(difference.kind.rawValue)), ("path", .string(difference.path)),
                            ("detail", .string(difference.detail)),
                        ])
                    })
            ),
            ("empty", .list(emptyLists.map(InputValue.string))),
        ])
    }
}

extension VerificationReport {
    fileprivate static func object(_ members: [(name: String, value: InputValue)]) -> InputValue {
        .object(InputObject(members))
    }
}
