extension OperationLimits {
    /// Holds an operation against all limits but that of the cost, and readies the cost to be told for any variables.
    ///
    /// The time grows with the length of the document, whatever its fragments write out to. The outcome is the same
    /// for all requests that send the document, so it belongs into the same cache.
    ///
    /// - Parameters:
    ///   - operation: An operation of `valid`.
    ///   - valid: The document, valid against the schema of `prices`.
    ///   - prices: What things cost in the schema.
    /// - Returns: What the operation asks for, and what tells its cost.
    /// - Throws: An error for each limit that the operation is past, with the first node that is.
    package func check(
        _ operation: OperationDefinition, of valid: ValidDocument, prices: SchemaCosts
    ) throws(GraphQLErrors) -> MeasuredOperation {
        let counts = SelectionCounts(of: operation, in: valid.typed)
        let measure = OperationMeasurements(
            tokens: valid.document.tokenCount, depth: counts.total.depth,
            introspectionDepth: counts.total.introspectionDepth, aliases: counts.total.aliases,
            rootFields: counts.total.width, selections: counts.widest, fields: counts.total.fields,
            directives: counts.directives)
        let refusals = excesses(of: measure, counts)
        guard refusals.isEmpty else {
            throw GraphQLErrors(refusals.map { $0.error(in: valid.document.source) })
        }
        return MeasuredOperation(operation, of: valid, order: counts.order, measure, self, prices)
    }

    private func excesses(of measure: OperationMeasurements, _ counts: SelectionCounts)
        -> [LimitExceededError]
    {
        let operation = counts.operation
        return [
            excess(.tokens, measure.tokens, tokens) { counts.document.document.source.token(behind: $0) },
            excess(.depth, measure.depth, depth) { counts.place(deeperThan: $0) },
            excess(.introspectionDepth, measure.introspectionDepth, introspectionDepth) {
                counts.place(deeperInIntrospectionThan: $0)
            },
            excess(.aliases, measure.aliases, aliases) { counts.place(ofAliasBehind: $0) },
            excess(.rootFields, measure.rootFields, rootFields) {
                counts.place(ofFieldBehind: $0, inItself: operation.selectionSet)
            },
            excess(.selections, measure.selections, selections) { counts.place(ofSelectionBehind: $0) },
            excess(.fields, measure.fields, fields) { counts.place(ofFieldBehind: $0) },
            excess(.directives, measure.directives, directives) { counts.place(ofDirectiveBehind: $0) },
        ].compactMap { excess in
            excess.map { LimitExceededError(cause: $0.cause, span: $0.span ?? operation.span) }
        }
    }

    private typealias Excess = (cause: LimitExceededError.Cause, span: SourceSpan?)

    private func excess(
        _ limit: OperationLimit, _ value: Int, _ most: Int, at place: (Int) -> SourceSpan?
    ) -> Excess? {
        guard value > most else { return nil }
        // A limit below zero lets through what zero does: nothing.
        return (.exceeded(limit, by: .count(value), limit: most), place(max(0, most)))
    }
}

extension SourceText {
    /// The token behind so many others; nil where there is none.
    fileprivate func token(behind count: Int) -> SourceSpan? {
        var offset = 0
        var rest = count
        while let token = try? Lexer.token(from: offset, in: bytes.span), token.kind != .endOfText {
            if rest == 0 { return token.span }
            rest -= 1
            offset = Int(token.span.end)
        }
        return nil
    }
}
