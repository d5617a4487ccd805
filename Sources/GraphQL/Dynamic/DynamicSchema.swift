/// A schema without Swift types: its fields resolve from the properties of a JSON value.
///
/// For tests, mock servers and contract checks. Operations are planned and written by the same engine as
/// bound types:
/// - A field is the property of its name; a missing property is null.
/// - The property `__typename` of an object determines its type for an interface or union.
/// - A property `{"__error": "message"}` makes its field fail with that message, and with the `extensions` of its property
///   `__extensions`.
/// - A property `{"__args": true}` becomes the JSON text of the field's coerced arguments, in definition order.
/// - Leaf values are coerced (specification, sections 3.5 and 3.9); custom scalars are unchanged.
///
/// ```swift
/// let schema = DynamicSchema(try Schema.build("type Query { greeting: String }"))
/// let rootValue: InputValue = .object(["greeting": .string("hello")])
/// let response = schema.execute(GraphQLRequest("{ greeting }"), rootValue: rootValue)
/// ```
public struct DynamicSchema: Sendable {
    /// The schema of the operations.
    public let schema: Schema
    /// The execution options; documents are not cached.
    public let options: ExecutionOptions
    /// True if fields resolve from the property of their response key, so that aliases of a field have values of their
    /// own.
    package var usesResponseKeys = false

    /// Creates a dynamic schema; every valid schema is supported.
    public init(_ schema: Schema, options: ExecutionOptions = ExecutionOptions()) {
        self.schema = schema
        self.options = options
    }

    /// Runs an operation on a root value: a query, a mutation with serial root fields, or the response of a
    /// subscription to one event, which is the root value.
    ///
    /// Errors of the request are in the response; this never throws.
    public func execute(_ request: GraphQLRequest, rootValue: InputValue = .null) -> GraphQLResponse {
        do {
            return try run(request, rootValue: rootValue)
        } catch {
            return GraphQLResponse(requestErrors: error.errors)
        }
    }

    /// Runs an operation like `execute(_:rootValue:)`, but throws if it cannot be run.
    ///
    /// - Throws: The errors of the request: of its syntax, of validation, of its variables, or of the
    ///   operation's name.
    public func run(_ request: GraphQLRequest, rootValue: InputValue = .null) throws(GraphQLErrors)
        -> GraphQLResponse
    {
        let (plan, variables) = try plan(request, rootValue, nil)
        switch plan.run(variables, EmptyContext.shared, cost: nil) {
        case .ready(let response): return response
        // Only loaded fields make a response asynchronous, and there are none here.
        case .async: throw GraphQLErrors([GraphQLError("Internal server error")])
        }
    }

    /// Runs an operation with incremental delivery: no part with `@defer` or `@stream` is in the first payload.
    ///
    /// - Parameters:
    ///   - request: The operation and its variables.
    ///   - rootValue: The root value.
    ///   - format: The format of the payloads.
    /// - Returns: The first payload and all others; only one if the operation has no active directive.
    /// - Throws: The errors of the request, as `run(_:rootValue:)` does.
    public func payloads(
        _ request: GraphQLRequest, rootValue: InputValue = .null, in format: IncrementalFormat
    ) throws(GraphQLErrors) -> [GraphQLResponse] {
        let (plan, variables) = try plan(request, rootValue, format)
        let delivery = plan.deliver(variables, EmptyContext.shared, cost: nil, includesAvailable: false)
        guard case .ready(let response) = delivery else {
            throw GraphQLErrors([GraphQLError("Internal server error")])
        }
        return response.available
    }

    private func plan(
        _ request: GraphQLRequest, _ rootValue: InputValue, _ format: IncrementalFormat?
    ) throws(GraphQLErrors) -> (OperationPlan, VariableValues) {
        let document = PreparedDocument(
            try schema.validDocument(
                SourceText(request.document), limits: options.parserLimits, options: options.validation))
        let operation = try document.operation(named: request.operationName)
        let variables = try operation.variables(given: request.variables, schema, options.validation)
        let root = DynamicValue(rootValue)
        let planning = DynamicPlanner(
            schema: schema, variables: variables, typeNames: root.typeNames,
            usesResponseKeys: usesResponseKeys)
        defer { planning.discardPlannedTypes() }
        let settings = OperationPlan.Settings(
            sizeHint: operation.sizeHint, presenter: options.errorPresenter, timeLimit: nil,
            responseBytes: options.limits.responseBytes)
        let plan = try operation.plan(variables, in: format) { conditions throws in
            try planning.plan(
                operation.definition, of: document.valid.document, from: root, settings, conditions)
        }
        return (plan, variables)
    }
}
