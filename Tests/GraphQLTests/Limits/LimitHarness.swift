import GraphQL
import Testing

/// The directives of the IBM specification, as its sections 7 and 8 define them.
let costDirectives = """
    directive @cost(weight: String!) on
      ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
    directive @listSize(
      assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true
    ) on FIELD_DEFINITION

    """

/// A schema, with the limits of its operations.
struct LimitedSchema: Sendable {
    let schema: Schema
    let costs: SchemaCosts

    init(_ sdl: String) throws {
        schema = try Schema.build(costDirectives + sdl)
        costs = try SchemaCosts(schema)
    }

    /// Checks the first operation of the document against limits.
    func check(_ text: String, _ limits: OperationLimits) throws -> (
        AnalyzedOperation, OperationDefinition, Document
    ) {
        let valid = try validate(try parse(text), against: schema)
        let operation = try #require(valid.document.firstOperation)
        return (try limits.check(operation, of: valid, costs: costs), operation, valid.document)
    }

    func measure(_ text: String, _ limits: OperationLimits = .unlimited) throws -> OperationMetrics {
        try check(text, limits).0.measure
    }

    /// Returns the cost of the document's first operation with the variables of a request.
    func cost(
        _ text: String, _ variables: InputObject = [:], limits: OperationLimits = .unlimited
    ) throws -> OperationCost {
        let (measured, operation, document) = try check(text, limits)
        return try measured.cost(try schema.coerceVariables(of: operation, in: document, given: variables))
    }

    /// Returns the errors of a document.
    func refusals(
        of text: String, _ limits: OperationLimits, _ variables: InputObject = [:]
    ) throws -> [LimitRefusal] {
        do {
            _ = try cost(text, variables, limits: limits)
            return []
        } catch let errors as GraphQLErrors {
            return errors.errors.map(LimitRefusal.init)
        }
    }
}

/// An error in the format of the tests: message, location as `line:column`, and code.
struct LimitRefusal: Equatable, CustomStringConvertible {
    var message: String
    var place: String
    var code: String

    init(_ message: String, at place: String, _ code: String) {
        self.message = message
        self.place = place
        self.code = code
    }

    init(_ error: GraphQLError) {
        message = error.message
        place = error.locations.map { "\($0.line):\($0.column)" }.joined(separator: " ")
        code = if case .string(let text) = error.extensions["code"] { text } else { "" }
    }

    var description: String { "\(message) @ \(place) \(code)" }
}

extension Document {
    var firstOperation: OperationDefinition? {
        for case .operation(let operation) in definitions { return operation }
        return nil
    }
}
