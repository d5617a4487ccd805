public import GraphQL

/// A schema that answers every operation with made-up values of the right types, so that a front end can be written
/// before there is a server.
///
/// The same seed gives the same answers, whatever else is asked beside. A value is made for a field at its place; its
/// arguments do not matter, so aliases of one field share it. Lists have up to three items, only one deep inside.
/// What is nullable is there nonetheless.
///
/// ```swift
/// let mock = try MockSchema(schema, seed: 7, answers: ["Query.account": .object(["equity": .string("1200.50")])])
/// let response = mock.respond(to: Request("{ account { id equity } }"))
/// ```
public struct MockSchema: Sendable {
    /// The schema that operations are held against.
    public let schema: Schema
    private let seed: UInt64
    private let responses: InputObject

    /// How many values one answer may have.
    private static let maximumValues = 50_000

    /// A mock of a schema.
    ///
    /// - Parameters:
    ///   - schema: Any schema at all.
    ///   - seed: What the answers hang on.
    ///   - responses: Values for fields, by coordinate, as in `Account.equity`. An object may say some of its fields
    ///     only; the others are made up. `{"__error": "message"}` makes a field fail.
    /// - Throws: That an answer is for a field which the schema does not have.
    public init(_ schema: Schema, seed: UInt64 = 1, responses: InputObject = InputObject())
        throws(GraphQLErrors)
    {
        let faults = responses.fields.compactMap { schema.coordinateError(for: $0.name) }
        if !faults.isEmpty { throw GraphQLErrors(faults) }
        self.schema = schema
        self.seed = seed
        self.responses = responses
    }

    /// Answers a query or mutation, or a subscription's first event.
    ///
    /// - Parameters:
    ///   - request: The operation.
    ///   - allowed: The kinds of operation that may run; nil for all.
    /// - Returns: The answer, or what is wrong with the request.
    public func respond(to request: GraphQLRequest, allowing allowed: Set<OperationType>? = nil)
        -> GraphQLResponse
    {
        do throws(GraphQLErrors) {
            let prepared = PreparedDocument(try valid(request.document))
            let operation = try prepared.operation(named: request.operationName).definition
            if let allowed, !allowed.contains(operation.type) {
                return GraphQLResponse(notAllowing: operation.type)
            }
            var generator = MockGenerator(
                prepared.valid, seed: seed, responses: responses, budget: MockSchema.maximumValues)
            let root = generator.root(of: operation)
            if generator.isExhausted {
                throw GraphQLErrors([
                    GraphQLError(
                        "The answer would have more than \(MockSchema.maximumValues) values; ask for less.")
                ])
            }
            return try DynamicSchema(schema).run(request, rootValue: root)
        } catch {
            return GraphQLResponse(requestErrors: error.errors)
        }
    }

    private func valid(_ text: String) throws(GraphQLErrors) -> ValidDocument {
        let document: Document
        do {
            document = try parse(SourceText(text))
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
        return try validate(document, against: schema)
    }
}

extension Schema {
    /// Why no answer can be given for a coordinate; nil where it is that of a field.
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
