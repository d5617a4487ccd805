package import GraphQL

/// Checks documents against one schema, including limits and cache hints.
package struct OperationChecker {
    private let schema: Schema
    private let costs: SchemaCosts

    /// Builds the schema.
    ///
    /// - Throws: The errors of the schema, or of its cost directives.
    package init(_ source: SourceText) throws(GraphQLErrors) {
        schema = try Schema.build(Document.read(source, within: LargeStackThread.schemaLimits))
        costs = try SchemaCosts(schema)
    }

    /// Returns the check of each operation of a document; for an invalid document only its errors.
    ///
    /// If the document has several operations, the file with example variables contains those of each
    /// operation by its name.
    package func checks(_ source: SourceText, variables: InputFile?) -> [OperationCheck] {
        do throws(GraphQLErrors) {
            let valid = try Document.read(source).validated(against: schema)
            let operations = valid.document.operations
            if operations.isEmpty {
                throw GraphQLErrors([GraphQLError("The document has no operation.")])
            }
            let examples = try variables.map { file throws(GraphQLErrors) in try file.examples() }
            return operations.map { operation in
                let name = operation.name.map { valid.document.text($0) }
                let example = operations.count == 1 ? examples : name.flatMap { examples?[$0] }
                return check(operation, name, of: valid, example)
            }
        } catch {
            return [OperationCheck(source: source, name: nil, errors: error.errors)]
        }
    }

    private func check(
        _ operation: OperationDefinition, _ name: String?, of valid: ValidDocument, _ example: InputValue?
    ) -> OperationCheck {
        var check = OperationCheck(source: valid.document.source, name: name)
        // Deprecated elements in a fragment count for every operation of its document.
        check.deprecated = valid.schemaUses.filter { $0.deprecationReason != nil }
        check.cache = CachePolicy(of: operation, in: valid)
        do throws(GraphQLErrors) {
            let measured = try OperationLimits.default.check(operation, of: valid, costs: costs)
            // The cost of an operation that needs variables is unknown without examples.
            if example == nil, valid.document.needsVariables(operation) { return check }
            let given: InputObject
            switch example {
            case nil: given = InputObject()
            case .object(let object)?: given = object
            default: throw GraphQLErrors([GraphQLError("The example variables are not a JSON object.")])
            }
            let values = try schema.coerceVariables(of: operation, in: valid.document, given: given)
            check.cost = try measured.cost(values)
        } catch {
            check.errors = error.errors
        }
        return check
    }
}

extension InputFile {
    /// Parses example variables.
    ///
    /// - Throws: The JSON error with its position.
    fileprivate func examples() throws(GraphQLErrors) -> InputValue {
        do {
            return try InputValue(json: bytes, limits: LargeStackThread.jsonLimits)
        } catch {
            throw GraphQLErrors([GraphQLError("\(name) is not JSON: \(error.message)")])
        }
    }
}

extension InputValue {
    fileprivate subscript(_ name: String) -> InputValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }
}

extension Document {
    fileprivate var operations: [OperationDefinition] {
        definitions.compactMap { definition in
            guard case .operation(let operation) = definition else { return nil }
            return operation
        }
    }

    fileprivate func needsVariables(_ operation: OperationDefinition) -> Bool {
        operation.variables.indices.contains { index in
            variableDefinitions[index].type.wrapping.isNonNull
                && variableDefinitions[index].defaultValue == nil
        }
    }
}

/// The result of checking one operation.
package struct OperationCheck {
    let source: SourceText
    /// The name; nil for an anonymous operation, and for a document that could not be parsed.
    let name: String?
    /// The reasons why it cannot be run: validation errors, exceeded limits, or invalid example variables.
    var errors: [GraphQLError] = []
    /// The deprecated schema elements that it uses.
    var deprecated: [SchemaElementUse] = []
    /// The cost with the example variables; nil if required variables are missing, or if it cannot be run.
    var cost: OperationCost?
    /// The cache policy; nil if the schema has no cache hints, or if the operation cannot be run.
    var cache: CachePolicy?

    package func hasFaults(strictly: Bool) -> Bool { !errors.isEmpty || strictly && !deprecated.isEmpty }
}

// MARK: - For people

extension OperationCheck {
    /// Returns a paragraph for each operation.
    package static func text(of checks: [OperationCheck]) -> String {
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
        guard let cost else { return "cost: depends on the variables; add a file with example variables" }
        return "cost: \(cost.total) of \(OperationLimits.default.cost)"
    }

    private var cacheText: String? {
        guard let cache else { return nil }
        let names = Set(cache.shortest.map { "\($0.coordinate)" }).sorted()
        let fields = names.joined(separator: ", ")
        if cache.maxAge == 0 {
            return names.isEmpty ? "cache: never" : "cache: never, because \(fields) must not be cached"
        }
        let scope = cache.isPrivate ? "private" : "public"
        return
            "cache: \(cache.maxAge) s, \(scope); \(fields) \(names.count == 1 ? "sets" : "set") the lifetime"
    }

    private func text(_ use: SchemaElementUse) -> String {
        let location = source.location(of: use.span)
        return "\(source.name):\(location.line):\(location.column): \(use.coordinate) is deprecated: "
            + (use.deprecationReason ?? "")
    }
}

// MARK: - For programs

extension OperationCheck {
    package static func json(of checks: [OperationCheck]) -> String {
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

    private func json(_ use: SchemaElementUse) -> InputValue {
        let location = source.location(of: use.span)
        return .object([
            "coordinate": .string(use.coordinate.description), "reason": .string(use.deprecationReason ?? ""),
            "locations": .list([.object(["line": .int(location.line), "column": .int(location.column)])]),
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
