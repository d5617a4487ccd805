/// A schema without Swift types: its fields resolve from the properties of a JSON value.
///
/// For tests, mock servers and checks of contracts. Operations are planned and written by the engine that runs
/// bound types:
/// - A field is the property of its name; one that is missing is null.
/// - An object says by its property `__typename` which type of an interface or union it has.
/// - A property `{"__error": "message"}` makes its field fail with that message.
/// - A property `{"__args": true}` becomes the JSON text of the field's coerced arguments, in the order of their
///   definitions.
/// - Leaves go through result coercion (specification, sections 3.5 and 3.9); custom scalars pass on what they get.
///
/// ```swift
/// let schema = DynamicSchema(try Schema.build("type Query { greeting: String }"))
/// let response = schema.execute(Request("{ greeting }"), rootValue: .object(["greeting": .string("hello")]))
/// ```
public struct DynamicSchema: Sendable {
    /// The schema that operations are held against.
    public let schema: Schema
    /// How operations are treated; documents are not cached.
    public let options: ExecutionOptions

    /// Takes a schema as it is: nothing can be missing.
    public init(_ schema: Schema, options: ExecutionOptions = ExecutionOptions()) {
        self.schema = schema
        self.options = options
    }

    /// Runs an operation from a root value: a query, a mutation with its root fields one after the other, or a
    /// subscription's response to one event, which the root value is.
    ///
    /// Whatever is wrong with the request is said in the response; this never throws.
    public func execute(_ request: GraphQLRequest, rootValue: InputValue = .null) -> GraphQLResponse {
        do {
            return try run(request, rootValue: rootValue)
        } catch {
            return GraphQLResponse(requestErrors: error.errors)
        }
    }

    /// Runs an operation as `execute(_:rootValue:)` does, but throws where it cannot be run at all.
    ///
    /// - Throws: The errors of the request: of its syntax, of validation, of its variables, or of the operation's
    ///   name.
    public func run(_ request: GraphQLRequest, rootValue: InputValue = .null) throws(GraphQLErrors)
        -> GraphQLResponse
    {
        let document = PreparedDocument(try valid(request.document))
        let operation = try document.operation(named: request.operationName)
        let variables = try operation.variables(given: request.variables, schema, options.validation)
        let root = DynamicValue(rootValue)
        let planning = DynamicPlanner(schema: schema, variables: variables, typeNames: root.typeNames)
        defer { planning.discardPlannedTypes() }
        let settings = OperationPlan.Settings(
            sizeHint: operation.sizeHint, presenter: options.errorPresenter, timeLimit: nil,
            responseBytes: options.limits.responseBytes)
        let plan = try operation.plan(variables) { conditions throws in
            try planning.plan(
                operation.definition, of: document.valid.document, from: root, settings, conditions)
        }
        switch plan.run(variables, EmptyContext.shared, cost: nil) {
        case .ready(let response): return response
        // Only loads make a response wait, and no field here is loaded.
        case .async: throw GraphQLErrors([GraphQLError("Internal server error")])
        }
    }

    private func valid(_ text: String) throws(GraphQLErrors) -> ValidDocument {
        let document: Document
        do {
            document = try parse(SourceText(text), limits: options.parserLimits)
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
        return try validate(document, against: schema, options: options.validation)
    }
}
