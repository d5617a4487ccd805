extension ValidationRule {
    /// No two variables of an operation have the same name (specification, 5.8.1).
    static let uniqueVariableNames = ValidationRule(name: "Variable Uniqueness") { document in
        var findings: [ValidationFinding] = []
        for operation in document.operations {
            let variables = document.document.variableDefinitions[operation.definition.variables.indices]
            for names in document.groupsOfSame(variables.map(\.name)) {
                findings.append(
                    ValidationFinding(.entering(operation.definition.span), at: names.map(\.span)) {
                        "There can be only one variable named \"$\(document.text(names[0]))\"."
                    })
            }
        }
        return findings
    }
}

extension ValidationRule {
    /// Variables have scalar, enum or input object types, or lists of them (specification, 5.8.2).
    static let variablesAreInputTypes = ValidationRule(name: "Variables Are Input Types") { document in
        document.variableTypes.indices.compactMap { index in
            guard let type = document.variableTypes[index], !document.kind(of: type.type).isInput else {
                return nil
            }
            let variable = document.document.variableDefinitions[index]
            return ValidationFinding(.entering(variable.span), at: [variable.type.span]) {
                "Variable \"$\(document.text(variable.name))\" cannot be non-input type \(document.quoted(type))."
            }
        }
    }
}

extension ValidationRule {
    /// Every variable that an operation uses, also in fragments, is defined by it (specification, 5.8.3).
    static let noUndefinedVariables = ValidationRule(name: "All Variable Uses Defined") { document in
        guard !document.variableUses.isEmpty else { return [] }
        var findings: [ValidationFinding] = []
        var scopes = VariableScopes(document)
        for operation in document.operations {
            scopes.forEachUse(in: operation) { use, definition in
                guard definition == nil else { return }
                findings.append(
                    ValidationFinding(
                        .entering(operation.definition.span), at: [use.span, operation.definition.span]
                    ) {
                        "Variable \"$\(document.text(use.name))\" is not defined"
                            + (operation.definition.name.map { " by operation \(document.quoted($0))." }
                                ?? ".")
                    })
            }
        }
        return findings
    }
}

extension ValidationRule {
    /// Every variable that an operation defines is used in the operation or its fragments (specification,
    /// 5.8.4).
    static let noUnusedVariables = ValidationRule(name: "All Variables Used") { document in
        guard !document.document.variableDefinitions.isEmpty else { return [] }
        var findings: [ValidationFinding] = []
        var scopes = VariableScopes(document)
        var usedIn = [Int](repeating: -1, count: document.document.names.count)
        for (index, operation) in document.operations.enumerated()
        where !operation.definition.variables.isEmpty {
            scopes.forEachUse(in: operation) { use, _ in usedIn[Int(use.name.id)] = index }
            for variable in document.document.variableDefinitions[operation.definition.variables.indices]
            where usedIn[Int(variable.name.id)] != index {
                findings.append(
                    ValidationFinding(.entering(operation.definition.span), at: [variable.span]) {
                        "Variable \"$\(document.text(variable.name))\" is never used"
                            + (operation.definition.name.map { " in operation \(document.quoted($0))." }
                                ?? ".")
                    })
            }
        }
        return findings
    }
}

/// Matches uses of variables with the definitions of an operation.
struct VariableScopes {
    private let document: TypedDocument
    private var fragments: FragmentTraversal
    /// The index in `document.variableDefinitions` of the last defined variable with this name, by
    /// `Name.id`.
    private var definitions: [Int]

    init(_ document: TypedDocument) {
        self.document = document
        fragments = FragmentTraversal(document)
        definitions = Array(repeating: -1, count: document.document.names.count)
    }

    /// Calls `body` with each use of a variable in the operation and its fragments, and with the index of
    /// the variable's definition; nil if the operation has none.
    ///
    /// Of several definitions with one name, the last is used.
    mutating func forEachUse(in operation: TypedOperation, _ body: (VariableUse, Int?) -> Void) {
        let variables = operation.definition.variables.indices
        for index in variables {
            definitions[Int(document.document.variableDefinitions[index].name.id)] = index
        }
        func report(_ uses: Range<Int>) {
            for use in document.variableUses[uses] {
                // Entries of other operations are outside the range.
                let definition = definitions[Int(use.name.id)]
                body(use, variables.contains(definition) ? definition : nil)
            }
        }
        report(operation.variableUses)
        fragments.forEachFragment(from: operation.definition.selectionSet) { fragment in
            report(document.fragments[fragment].variableUses)
        }
    }
}
