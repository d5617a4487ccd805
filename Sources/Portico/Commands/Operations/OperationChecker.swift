import GraphQL

/// Holds documents against one schema, limits and cache hints included.
struct OperationChecker {
    private let schema: Schema
    private let prices: SchemaCosts

    /// - Throws: The faults of the schema, or of its cost directives.
    init(_ source: SourceText) throws(GraphQLErrors) {
        schema = try Schema.build(Document.read(source, within: LargeStackThread.schemaLimits))
        prices = try SchemaCosts(schema)
    }

    /// What there is to say of each operation of a document; of a document that is not valid only that.
    ///
    /// The file with example variables has those of each operation by its name where the document has several.
    func checks(_ source: SourceText, variables: InputFile?) -> [OperationCheck] {
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
        // What a fragment names counts for each operation of its document.
        check.deprecated = valid.schemaUses.filter { $0.deprecationReason != nil }
        check.cache = CachePolicy(of: operation, in: valid)
        do throws(GraphQLErrors) {
            let measured = try OperationLimits.default.check(operation, of: valid, prices: prices)
            // Without examples the cost of an operation that needs variables is nobody's to know.
            if example == nil, valid.document.needsVariables(operation) { return check }
            let given: InputObject
            switch example {
            case nil: given = InputObject()
            case .object(let object)?: given = object
            default: throw GraphQLErrors([GraphQLError("The example variables are no JSON object.")])
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
    /// Example variables.
    ///
    /// - Throws: That the file is no JSON, and where.
    fileprivate func examples() throws(GraphQLErrors) -> InputValue {
        do {
            return try InputValue(json: bytes, limits: LargeStackThread.jsonLimits)
        } catch {
            throw GraphQLErrors([GraphQLError("\(name) is no JSON: \(error.message)")])
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
