extension TypeSystemRules {
    /// Checks that there is a query type, and that root types are distinct object types (specification,
    /// section 3.3.1).
    func rootOperationTypes() -> [SchemaValidationError] {
        var faults: [SchemaValidationError] = []
        if schema.queryType == nil {
            faults.append(
                SchemaValidationError("Query root type must be provided.", at: [syntax.schema?.span]))
        }
        var uses: [(type: TypeID, operations: [OperationType])] = []
        for operation in OperationType.allCases {
            guard let id = schema.rootType(for: operation) else { continue }
            guard case .object = schema[id].kind else {
                faults.append(notAnObject(operation, schema[id]))
                continue
            }
            if let position = uses.firstIndex(where: { $0.type == id }) {
                uses[position].operations.append(operation)
            } else {
                uses.append((id, [operation]))
            }
        }
        return faults + uses.filter { $0.operations.count > 1 }.map(shared)
    }

    private func notAnObject(_ operation: OperationType, _ type: NamedType) -> SchemaValidationError {
        let condition = operation == .query ? "" : " if provided"
        return SchemaValidationError(
            "\(operation.defaultTypeName) root type must be Object type\(condition), it cannot be \(type.name).",
            at: [rootSpan(operation) ?? type.node])
    }

    private func shared(_ type: TypeID, by operations: [OperationType]) -> SchemaValidationError {
        let list = Suggestions.list(operations.map(\.rawValue), conjunction: "and")
        return SchemaValidationError(
            "All root types must be different, \"\(schema[type].name)\" type is used as \(list) root types.",
            at: operations.map(rootSpan))
    }

    /// Returns the position of the root type in the schema definition or its extensions.
    private func rootSpan(_ operation: OperationType) -> SourceSpan? {
        for node in syntax.schemaNodes {
            for index in node.operationTypes.indices {
                let root = document.operationTypeDefinitions[index]
                if root.operation == operation { return root.type.span }
            }
        }
        return nil
    }
}
