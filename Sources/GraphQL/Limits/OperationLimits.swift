/// The limits of one operation.
///
/// All limits are enabled by default; `Int.max` disables one.
///
/// The operation is counted with its fragments expanded at each spread. Fields that execution merges count
/// each time they are written, and selections with `@skip` and `@include` always count. A limit therefore
/// applies to a document independently of the variables of a request, so it is checked once for all requests
/// with the document. Only the cost depends on variables, namely those that determine the length of lists.
///
/// Depth and cost exclude selections below `__schema` and `__type`. Introspection has `introspectionDepth`,
/// and the limit of `ValidationOptions.limitsIntrospectionDepth` on nested lists. All other limits include
/// it.
public struct OperationLimits: Hashable, Sendable {
    /// Tokens in the whole document, without comments.
    ///
    /// At least 1.
    public var tokens: Int
    /// Levels of fields; a root field is at level 1.
    ///
    /// Fragments are not counted as levels. At least 1.
    public var depth: Int
    /// Levels of fields at and below `__schema` and `__type`, which are at level 1.
    ///
    /// At least 1.
    ///
    /// The introspection query of the reference implementation, which requests types nine `ofType` deep, has
    /// 15 levels.
    public var introspectionDepth: Int
    /// Fields with an alias.
    ///
    /// At least 0.
    public var aliases: Int
    /// Root fields.
    ///
    /// At least 1.
    public var rootFields: Int
    /// Fields of any one selection set.
    ///
    /// At least 1.
    public var selections: Int
    /// Fields in total.
    ///
    /// At least 1.
    ///
    /// This limits the plan of an operation, whose fields can cost nothing because of lists of length zero.
    public var fields: Int
    /// Directives at one location, such as a field or a variable definition.
    ///
    /// At least 0.
    public var directives: Int
    /// The cost according to the IBM GraphQL Cost Directives specification, in its unit: by default, a field
    /// that returns an object costs 1.
    ///
    /// At least 0.
    ///
    /// The specification defines two costs: of the resolved fields (5.3.2.2) and of the returned values
    /// (5.3.2.1). The limit applies to each of them, and "the cost" is the greater one. Field cost alone
    /// would accept lists of a million objects with one scalar each, and type cost alone would ignore
    /// expensive resolvers.
    public var cost: Int
    /// The assumed number of items of a list without `@listSize`, for the cost.
    ///
    /// At least 0.
    ///
    /// In the specification these lists are infinite, which would reject every operation that contains one.
    public var assumedListSize: Int
    /// Bytes of the response to a request or to one event of a subscription, including `errors`, and with all payloads
    /// of incremental delivery.
    ///
    /// At least 1.
    ///
    /// They are counted in the write pass, after the operation, including a mutation, has run. The response
    /// then has only an error with the code RESPONSE_TOO_LARGE. The other limits do not imply this one,
    /// because a list can have more items than the cost assumes.
    public var responseBytes: Int

    /// Creates limits; omitted limits have their default values.
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

    /// The default limits.
    public static let `default` = OperationLimits()

    /// No limits, for documents of the server itself.
    public static let unlimited = OperationLimits(
        tokens: .max, depth: .max, introspectionDepth: .max, aliases: .max, rootFields: .max,
        selections: .max, fields: .max, directives: .max, cost: .max, responseBytes: .max)

    /// Applies the limit on tokens to the parser, which rejects a document as soon as it exceeds the limit.
    public func limiting(_ parser: ParserLimits) -> ParserLimits {
        var parser = parser
        parser.tokens = min(parser.tokens, tokens)
        return parser
    }
}

extension OperationLimits {
    /// Checks an operation against all limits except the cost, and prepares the cost for any variables.
    ///
    /// The time is proportional to the length of the document, independent of its expanded size. The result
    /// is the same for all requests with the document, so it can be cached with it.
    ///
    /// - Parameters:
    ///   - operation: An operation of `valid`.
    ///   - valid: The document, valid against the schema of `costs`.
    ///   - costs: The costs of the schema.
    /// - Returns: The measurements of the operation, with its cost plan.
    /// - Throws: An error for each exceeded limit, with the first node that exceeds it.
    package func check(
        _ operation: OperationDefinition, of valid: ValidDocument, costs: SchemaCosts
    ) throws(GraphQLErrors) -> AnalyzedOperation {
        let counts = SelectionCounts(of: operation, in: valid.typed)
        let measure = OperationMetrics(
            tokens: valid.document.tokenCount, depth: counts.total.depth,
            introspectionDepth: counts.total.introspectionDepth, aliases: counts.total.aliases,
            rootFields: counts.total.width, selections: counts.widest, fields: counts.total.fields,
            directives: counts.directives)
        let refusals = excesses(of: measure, counts)
        guard refusals.isEmpty else {
            throw GraphQLErrors(refusals.map { $0.error(in: valid.document.source) })
        }
        return AnalyzedOperation(operation, of: valid, order: counts.order, measure, self, costs)
    }

    private func excesses(of measure: OperationMetrics, _ counts: SelectionCounts)
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
        _ limit: OperationLimit, _ value: Int, _ maximum: Int, at position: (Int) -> SourceSpan?
    ) -> Excess? {
        guard value > maximum else { return nil }
        // A negative limit has the same effect as zero.
        return (.exceeded(limit, by: .count(value), limit: maximum), position(max(0, maximum)))
    }
}

extension SourceText {
    /// Returns the token after `count` others; nil if there is none.
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
