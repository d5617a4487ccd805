public import GraphQL

/// A mock of a schema: it executes every operation with generated values of the right types.
///
/// A front end can be developed against it before a server exists. The same seed produces the same values,
/// independently of the other selected fields. The value of a field depends on its path and its arguments; the fields of
/// an object with an `id` depend on the id alone, so that `node(id:)` and each list return the same object. Lists have as
/// many items as arguments request, otherwise up to three, and one item at greater depth. Nullable values are never null.
///
/// ```swift
/// let responses: InputObject = ["Query.account": .object(["equity": .string("1200.50")])]
/// let mock = try MockSchema(schema, seed: 7, responses: responses)
/// let response = mock.respond(to: GraphQLRequest("{ account { id equity } }"))
/// ```
public struct MockSchema: Sendable {
    /// The schema of the operations.
    public let schema: Schema
    private let seed: UInt64
    private let responses: InputObject

    /// The maximum number of values in one response.
    private static let maximumValues = 50_000

    /// Creates a mock of a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - seed: The seed of the generated values.
    ///   - responses: Values of fields by coordinate, such as `Account.equity`. An object may contain only
    ///     some of its fields; the others are generated. `{"__error": "message"}` makes a field fail.
    /// - Throws: An error if a response is for a field that the schema does not have.
    public init(_ schema: Schema, seed: UInt64 = 1, responses: InputObject = InputObject())
        throws(GraphQLErrors)
    {
        let faults = responses.fields.compactMap { schema.coordinateError(for: $0.name) }
        if !faults.isEmpty { throw GraphQLErrors(faults) }
        self.schema = schema
        self.seed = seed
        self.responses = responses
    }

    /// Executes a query or mutation, or returns a subscription's first event.
    ///
    /// - Parameters:
    ///   - request: The operation.
    ///   - allowed: The kinds of operations that may run; nil for all.
    ///   - event: The number of the event of a subscription, from 0; numbers change with each event.
    ///   - data: Values by response keys, as in a response; the others are generated.
    /// - Returns: The response, or the errors of the request.
    public func respond(
        to request: GraphQLRequest, allowing allowed: Set<OperationType>? = nil, event: Int = 0,
        data: InputValue? = nil
    ) -> GraphQLResponse {
        do throws(GraphQLErrors) {
            let prepared = PreparedDocument(try schema.validDocument(SourceText(request.document)))
            let operation = try prepared.operation(named: request.operationName).definition
            if let allowed, !allowed.contains(operation.type) {
                return GraphQLResponse(notAllowing: operation.type)
            }
            let variables = try schema.coerceVariables(
                of: operation, in: prepared.valid.document, given: request.variables)
            var generator = MockGenerator(
                prepared.valid, variables: variables, seed: MockSeed(seed: seed, event: event),
                responses: responses, budget: MockSchema.maximumValues)
            let root: InputValue
            do {
                root = try generator.rootValue(of: operation, recorded: data)
            } catch {
                throw GraphQLErrors([error])
            }
            if generator.isExhausted {
                throw GraphQLErrors([
                    GraphQLError(
                        "The answer would have more than \(MockSchema.maximumValues) values; ask for less.")
                ])
            }
            var executable = DynamicSchema(schema)
            executable.usesResponseKeys = true
            return try executable.run(request, rootValue: root)
        } catch {
            return GraphQLResponse(requestErrors: error.errors)
        }
    }

    /// The kind and name of a request's operation; nil if the request is invalid.
    package func operation(of request: GraphQLRequest) -> (type: OperationType, name: String?)? {
        guard let document = try? schema.validDocument(SourceText(request.document)),
            let operation = try? PreparedDocument(document).operation(named: request.operationName).definition
        else { return nil }
        return (operation.type, operation.name.map { document.document.text($0) })
    }
}

extension Schema {
    /// Returns the reason why a coordinate cannot have a response; nil if it is that of a field.
    fileprivate func coordinateError(for coordinate: String) -> GraphQLError? {
        guard case .member(let type, let field)? = try? SchemaCoordinate(coordinate) else {
            return GraphQLError(
                "\"\(coordinate)\" is no field's coordinate, which is like \"Query.account\".")
        }
        guard let definition = self.type(named: type) else {
            let names = types.filter(\.isComposite).map(\.name)
            return GraphQLError(
                "There is no type \"\(type)\"." + Suggestions.didYouMean(type, among: names))
        }
        if definition.field(named: field) != nil { return nil }
        return GraphQLError(
            "Type \"\(type)\" has no field \"\(field)\"."
                + Suggestions.didYouMean(field, among: definition.fields.map(\.name)))
    }
}
