/// How much one operation may ask for.
///
/// Every limit is on unless it is raised; `Int.max` switches one off.
///
/// What is counted is the operation as it would read with its fragments written out wherever they are spread. Fields
/// that execution merges are counted each time they are written, and what `@skip` and `@include` leave out is counted
/// too: a limit bounds what a document may come to, whatever the variables of a request, and holds or not once for
/// all requests that send it. Only the cost depends on variables, those that say how long lists are.
///
/// Below `__schema` and `__type` depth and cost are not counted: introspection has `introspectionDepth`, and the limit
/// of `ValidationOptions.limitsIntrospectionDepth` on lists within lists. All other limits count it with the rest.
public struct OperationLimits: Hashable, Sendable {
    /// Tokens in the whole document, comments not counted.
    ///
    /// At least 1.
    public var tokens: Int
    /// Levels of fields; a field of the root is at level 1.
    ///
    /// Fragments are no level. At least 1.
    public var depth: Int
    /// Levels of fields at and below `__schema` and `__type`, these being level 1.
    ///
    /// At least 1.
    ///
    /// The introspection query of the reference implementation, which asks for types nine `ofType` deep, has 15.
    public var introspectionDepth: Int
    /// Fields with an alias.
    ///
    /// At least 0.
    public var aliases: Int
    /// Fields of the root.
    ///
    /// At least 1.
    public var rootFields: Int
    /// Fields of any one selection set.
    ///
    /// At least 1.
    public var selections: Int
    /// Fields altogether.
    ///
    /// At least 1.
    ///
    /// It bounds the plan of an operation, which lists of length zero keep from costing anything.
    public var fields: Int
    /// Directives at one place, such as a field or a variable definition.
    ///
    /// At least 0.
    public var directives: Int
    /// The cost by the IBM GraphQL Cost Directives specification, in its unit: a field that returns an object
    /// costs 1 where the schema says nothing else.
    ///
    /// At least 0.
    ///
    /// That specification has two costs, of the fields that are resolved (5.3.2.2) and of the values that come back
    /// (5.3.2.1). The limit holds for each of them, and "the cost" is the greater one: fields alone would let lists of
    /// a million objects with one scalar each through, and types alone would overlook expensive resolvers.
    public var cost: Int
    /// How many items a list has that no `@listSize` speaks of, for the cost.
    ///
    /// At least 0.
    ///
    /// The specification leaves such lists infinite, which would refuse every operation that has one.
    public var assumedListSize: Int
    /// The most bytes of the response to a request or to one event of a subscription, including `errors`.
    ///
    /// At least 1.
    ///
    /// They are counted in the write pass, after the operation, including a mutation, has run. The response
    /// then has only an error with the code RESPONSE_TOO_LARGE. The other limits do not imply this one,
    /// because a list can have more items than the cost assumes.
    public var responseBytes: Int

    /// Limits, those that are not named at their defaults.
    public init(
        tokens: Int = 2_000, depth: Int = 15, introspectionDepth: Int = 15, aliases: Int = 30,
        rootFields: Int = 30, selections: Int = 200, fields: Int = 5_000, directives: Int = 5,
        cost: Int = 5_000, assumedListSize: Int = 10, responseBytes: Int = 8 << 20
    ) {
        self.tokens = tokens
        self.depth = depth
        self.introspectionDepth = introspectionDepth
        self.aliases = aliases
        self.rootFields = rootFields
        self.selections = selections
        self.fields = fields
        self.directives = directives
        self.cost = cost
        self.assumedListSize = assumedListSize
        self.responseBytes = responseBytes
    }

    /// The limits that are on by default.
    public static let `default` = OperationLimits()

    /// No limit at all, for documents from the house itself.
    public static let unlimited = OperationLimits(
        tokens: .max, depth: .max, introspectionDepth: .max, aliases: .max, rootFields: .max,
        selections: .max, fields: .max, directives: .max, cost: .max, responseBytes: .max)

    /// The same limit on tokens for the parser, which refuses a document as soon as it has read so many.
    public func limiting(_ parser: ParserLimits) -> ParserLimits {
        var parser = parser
        parser.tokens = min(parser.tokens, tokens)
        return parser
    }
}

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
            excess(.tokens, measure.tokens, tokens) { counts.document.document.source.tokenSpan(after: $0) },
            excess(.depth, measure.depth, depth) { counts.span(deeperThan: $0) },
            excess(.introspectionDepth, measure.introspectionDepth, introspectionDepth) {
                counts.span(deeperInIntrospectionThan: $0)
            },
            excess(.aliases, measure.aliases, aliases) { counts.span(ofAliasAfter: $0) },
            excess(.rootFields, measure.rootFields, rootFields) {
                counts.span(ofFieldAfter: $0, in: operation.selectionSet)
            },
            excess(.selections, measure.selections, selections) { counts.span(ofSelectionAfter: $0) },
            excess(.fields, measure.fields, fields) { counts.span(ofFieldAfter: $0) },
            excess(.directives, measure.directives, directives) { counts.span(ofDirectiveAfter: $0) },
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
    fileprivate func tokenSpan(after count: Int) -> SourceSpan? {
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
