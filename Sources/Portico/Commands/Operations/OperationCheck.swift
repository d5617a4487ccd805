import GraphQL

/// What there is to say of one operation.
struct OperationCheck {
    let source: SourceText
    /// Nil of an anonymous operation, and of a document that could not be read.
    let name: String?
    /// Why it cannot be run: it is not valid, past a limit, or its example variables do not fit.
    var errors: [GraphQLError] = []
    /// What it uses that the schema deprecates.
    var deprecated: [SchemaReference] = []
    /// With its example variables; nil where it needs some and there are none, or it cannot be run.
    var cost: OperationCost?
    /// Nil where the schema has no cache hints, or the operation cannot be run.
    var cache: CachePolicy?

    func isAtFault(strictly: Bool) -> Bool { !errors.isEmpty || strictly && !deprecated.isEmpty }
}

// MARK: - For people

extension OperationCheck {
    /// A paragraph for each operation.
    static func text(of checks: [OperationCheck]) -> String {
        checks.map(\.text).joined()
    }

    private var text: String {
        let title = source.name + (name.map { " \($0)" } ?? "")
        guard errors.isEmpty else {
            return "\(title): cannot be run\n" + DiagnosticReport(source: source, errors: errors).text
        }
        let lines = [costText, cacheText].compactMap(\.self) + deprecated.map(text)
        return "\(title)\n" + lines.map { "  \($0)\n" }.joined()
    }

    private var costText: String {
        guard let cost else { return "cost: depends on its variables; an example beside it would tell" }
        return "cost: \(cost.total) of \(OperationLimits.default.cost)"
    }

    private var cacheText: String? {
        guard let cache else { return nil }
        let names = Set(cache.shortest.map { "\($0.coordinate)" }).sorted()
        let fields = names.joined(separator: ", ")
        if cache.maxAge == 0 {
            return names.isEmpty ? "cache: never" : "cache: never, since \(fields) may not be kept"
        }
        let whose = cache.isPrivate ? "by its user alone" : "by anybody"
        return "cache: \(cache.maxAge) s, \(whose); \(fields) \(names.count == 1 ? "sets" : "set") the time"
    }

    private func text(_ use: SchemaReference) -> String {
        let place = source.location(of: use.span)
        return "\(source.name):\(place.line):\(place.column): \(use.coordinate) is deprecated: "
            + (use.deprecationReason ?? "")
    }
}

// MARK: - For programs

extension OperationCheck {
    static func json(of checks: [OperationCheck]) -> String {
        let value = InputValue.object(["operations": .list(checks.map(\.json))])
        return String(decoding: value.json, as: UTF8.self)
    }

    private var json: InputValue {
        .object([
            "file": .string(source.name), "name": name.map { .string($0) } ?? .null,
            "errors": .list(errors.map(\.json)), "deprecated": .list(deprecated.map(json)),
            "cost": cost?.inputValue ?? .null, "cache": cache.map(json) ?? .null,
        ])
    }

    private func json(_ use: SchemaReference) -> InputValue {
        let place = source.location(of: use.span)
        return .object([
            "coordinate": .string(use.coordinate.description), "reason": .string(use.deprecationReason ?? ""),
            "locations": .list([.object(["line": .int(place.line), "column": .int(place.column)])]),
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
