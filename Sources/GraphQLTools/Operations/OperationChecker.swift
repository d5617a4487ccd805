package import GraphQL

/// Checks the operations and fragments of a repository against one schema, including limits and cache hints.
package struct OperationChecker {
    private let schema: Schema
    private let costs: SchemaCosts
    private let limits: OperationLimits
    /// The costs of operations that must not increase, by their names.
    private let baseline: [String: Cost]

    /// Builds the schema, with the directives that clients add.
    ///
    /// - Throws: The errors of the schema, or of its cost directives.
    package init(
        _ source: SourceText, limits: OperationLimits = .default, baseline: [String: Cost] = [:]
    ) throws(GraphQLErrors) {
        let document = try Document.read(source, within: LargeStackThread.schemaLimits)
        // Errors of the schema itself are those without the added directives.
        _ = try Schema.build(document)
        let extended = try ClientDirectives.adding(to: document)
        schema = try Schema.build(
            Document.read(extended, within: LargeStackThread.schemaLimits), incrementalDelivery: true)
        costs = try SchemaCosts(schema)
        self.limits = limits
        self.baseline = baseline
    }

    /// Returns the checks of all operations, and those of files and fragments with findings, by file and position.
    ///
    /// `variables` returns the file with example variables of a document. If the document has several operations, the
    /// file contains those of each operation by its name.
    package func checks(
        _ set: DocumentSet, variables: (_ path: String) throws -> InputFile?
    ) throws -> [OperationCheck] {
        var checks = set.findings.map {
            OperationCheck(file: $0.places.first?.file ?? "", name: nil, findings: [$0])
        }
        for reference in set.operations {
            let path = set.documents[reference.document].file.name
            let example = try variables(path)
            checks.append(check(reference, of: set, example))
        }
        checks += unusedFragments(of: set)
        let place = { (check: OperationCheck) in
            (check.file, check.position?.line ?? 0, check.position?.column ?? 0)
        }
        return checks.sorted { place($0) < place($1) }
    }

    // MARK: - Operations

    private func check(_ reference: DocumentSet.Reference, of set: DocumentSet, _ example: InputFile?)
        -> OperationCheck
    {
        let name = set.name(of: reference)
        let combined = DocumentCombiner.document(
            of: reference, in: set, removing: ClientDirectives.ofFragmentArguments)
        var check = OperationCheck(
            file: set.documents[reference.document].file.name, name: name, findings: combined.findings)
        check.position = set.place(of: reference).location
        check.findings += duplicates(of: name, reference, in: set)
        do throws(GraphQLErrors) {
            let valid = try Document.read(SourceText(bytes: combined.text.bytes)).validated(against: schema)
            check.findings += valid.schemaUses.compactMap { use in
                combined.text.place(of: Int(use.span.start)).flatMap { place in
                    use.deprecationReason.map {
                        Finding(deprecated: use.coordinate.description, reason: $0, at: place)
                    }
                }
            }
            for case .operation(let operation) in valid.document.definitions {
                try measure(operation, of: valid, combined.text, into: &check) { () throws(GraphQLErrors) in
                    try example?.examples(of: set.operationCount(in: reference.document) > 1 ? name : nil)
                }
            }
        } catch {
            check.findings += error.errors.map {
                $0.finding(in: combined.text, elsewhere: set.place(of: reference))
            }
        }
        return check
    }

    private func measure(
        _ operation: OperationDefinition, of valid: ValidDocument, _ text: CombinedText,
        into check: inout OperationCheck, examples: () throws(GraphQLErrors) -> InputValue?
    ) throws(GraphQLErrors) {
        check.cache = CachePolicy(of: operation, in: valid)
        let measured = try limits.check(operation, of: valid, costs: costs)
        let example = try examples()
        // The cost of an operation that needs variables is unknown without examples.
        if example == nil, valid.document.needsVariables(operation) { return }
        let given: InputObject
        switch example {
        case nil: given = InputObject()
        case .object(let object)?: given = object
        default: throw GraphQLErrors([GraphQLError("The example variables are not a JSON object.")])
        }
        let values = try schema.coerceVariables(of: operation, in: valid.document, given: given)
        let cost = try measured.cost(values)
        check.cost = cost
        check.costLimit = limits.cost
        if let name = check.name, let earlier = baseline[name], earlier < cost.total {
            check.findings.append(
                Finding(
                    .costIncrease, "The cost of \(name) has increased from \(earlier) to \(cost.total).",
                    at: text.place(of: Int(operation.span.start)).map { [$0] } ?? []))
        }
    }

    private func duplicates(
        of name: String?, _ reference: DocumentSet.Reference, in set: DocumentSet
    ) -> [Finding] {
        guard let name else { return [] }
        let others = set.operations.filter { $0 != reference && set.name(of: $0) == name }
        guard !others.isEmpty else { return [] }
        return [
            Finding(
                .duplicateOperation, "Another operation has the name \"\(name)\".",
                at: [set.place(of: reference)] + others.map(set.place))
        ]
    }

    // MARK: - Fragments

    /// Checks the fragments that no document spreads.
    private func unusedFragments(of set: DocumentSet) -> [OperationCheck] {
        let used = set.spreadNames()
        var options = ValidationOptions()
        options.allowsUnusedFragments = true
        return set.fragments.filter { !used.contains($0.key) }.flatMap { name, references in
            references.map { reference in
                let combined = DocumentCombiner.document(
                    of: reference, in: set, removing: ClientDirectives.ofFragmentArguments)
                var check = OperationCheck(
                    file: set.documents[reference.document].file.name, name: "fragment \(name)",
                    findings: combined.findings)
                check.position = set.place(of: reference).location
                check.isFragment = true
                do throws(GraphQLErrors) {
                    _ = try Document.read(SourceText(bytes: combined.text.bytes)).validated(
                        against: schema, options: options)
                } catch {
                    check.findings += error.errors.map {
                        $0.finding(in: combined.text, elsewhere: set.place(of: reference))
                    }
                }
                check.findings.append(
                    Finding(
                        .unusedFragment, "No document uses the fragment \"\(name)\".",
                        at: [set.place(of: reference)]))
                return check
            }
        }
    }
}

extension GraphQLError {
    /// Returns the error at its places in the files.
    fileprivate func finding(in text: CombinedText, elsewhere place: SourcePlace) -> Finding {
        let isLimit =
            if case .string(let code)? = extensions["code"] { code.hasSuffix("_LIMIT_EXCEEDED") } else {
                false
            }
        var places: [SourcePlace] = []
        for location in locations {
            let place = text.place(of: text.offset(of: location)) ?? place
            if !places.contains(place) { places.append(place) }
        }
        return Finding(
            isLimit ? .limitExceeded : .invalidOperation, message, at: places.isEmpty ? [place] : places)
    }
}

extension InputFile {
    /// Returns the example variables, or those of one operation.
    ///
    /// - Throws: The JSON error with its position.
    fileprivate func examples(of name: String?) throws(GraphQLErrors) -> InputValue? {
        let value: InputValue
        do {
            value = try InputValue(json: bytes, limits: LargeStackThread.jsonLimits)
        } catch {
            throw GraphQLErrors([GraphQLError("\(self.name) is not JSON: \(error.message)")])
        }
        guard let name else { return value }
        guard case .object(let object) = value else { return nil }
        return object[name]
    }
}

extension Document {
    fileprivate func needsVariables(_ operation: OperationDefinition) -> Bool {
        operation.variables.indices.contains { index in
            variableDefinitions[index].type.wrapping.isNonNull
                && variableDefinitions[index].defaultValue == nil
        }
    }
}

extension DocumentSet {
    /// The number of operations in a document.
    fileprivate func operationCount(in document: Int) -> Int { operations.count { $0.document == document } }

    /// The names of all spread fragments.
    fileprivate func spreadNames() -> Set<String> {
        Set(
            documents.flatMap { parsed in
                parsed.document.selections.compactMap { selection -> String? in
                    guard case .fragmentSpread(let spread) = selection else { return nil }
                    return parsed.document.text(spread.name)
                }
            })
    }
}
