import GraphQL
import Testing

/// The shared schema of the validation tests.
enum Market {
    static let sdl = """
        directive @onQuery on QUERY
        directive @note(text: String!, level: Int = 1) on FIELD
        directive @tag(name: String) repeatable on FIELD
        enum Side { BUY SELL }
        input Page { first: Int! = 10, after: String }
        input Key @oneOf { id: ID, symbol: String, page: Page }
        input Filter { side: Side, symbols: [String!], price: Range, not: Filter }
        input Range { low: Float!, high: Float }
        interface Node { id: ID! }
        interface Instrument implements Node { id: ID!, symbol: String!, related(first: Int): [Instrument!]! }
        type Stock implements Instrument & Node {
          id: ID!, symbol: String!, related(first: Int): [Instrument!]!, price: Float!, dividend: Float
        }
        type Bond implements Instrument & Node {
          id: ID!, symbol: String!, related(first: Int): [Instrument!]!, price: Float, coupon: Float!
        }
        type Account implements Node {
          id: ID!, name: String, holds(exact: Boolean!): Float
          orders(filter: Filter, page: Page, sides: [Side!]): [Order!]!
        }
        type Order implements Node { id: ID!, side: Side!, instrument: Instrument!, account: Account }
        union Result = Stock | Bond | Account
        type Query {
          node(id: ID!): Node, account: Account, instrument(key: Key): Instrument, side: Side
          search(text: String, limit: Int = 5, ids: [ID]): [Result!]!
          number(int: Int, float: Float, string: String, boolean: Boolean, id: ID, matrix: [[Int!]]): Int
          needed(key: Key!): Int, each(keys: [Key!]): Int
        }
        type Subscription { quote: Stock, account: Account }
        """

    static func schema() throws -> Schema { try Schema.build(sdl) }
}

/// An error in the format of the tests: the message, and its locations as `line:column`.
struct ExpectedError: Equatable, CustomStringConvertible {
    var message: String
    var places: String

    init(_ message: String, at places: String = "") {
        self.message = message
        self.places = places
    }

    init(_ error: GraphQLError) {
        message = error.message
        places = error.locations.map { "\($0.line):\($0.column)" }.joined(separator: " ")
    }

    var description: String { "\(message) @ \(places)" }
}

/// Returns the validation errors of a document, with the shared schema.
func validationErrors(of text: String, options: ValidationOptions = ValidationOptions()) throws
    -> [ExpectedError]
{
    let document = try parse(text)
    let schema = try Market.schema()
    do throws(GraphQLErrors) {
        _ = try validate(document, against: schema, options: options)
        return []
    } catch {
        return error.errors.map(ExpectedError.init)
    }
}

func expectValid(_ document: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
    #expect(try validationErrors(of: document) == [], sourceLocation: sourceLocation)
}

func expectErrors(
    _ document: String, _ errors: [ExpectedError], options: ValidationOptions = ValidationOptions(),
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws {
    #expect(try validationErrors(of: document, options: options) == errors, sourceLocation: sourceLocation)
}

/// A document that breaks a rule, and the expected error.
struct BadDocument: CustomTestStringConvertible, Sendable {
    var rule: String
    var document: String
    var message: String
    var places: String

    init(_ rule: String, _ document: String, _ message: String, at places: String) {
        self.rule = rule
        self.document = document
        self.message = message
        self.places = places
    }

    var testDescription: String { "\(rule): \(document)" }
}
