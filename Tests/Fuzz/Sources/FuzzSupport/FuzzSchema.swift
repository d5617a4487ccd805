public import GraphQL

/// The schema of the documents: every kind of type, every wrapping, all root operations.
public enum FuzzSchema {
    /// Built once; a failure is an error in this file, not a finding.
    public static let schema: Schema = {
        do {
            return try Schema.build(text)
        } catch {
            fatalError("The schema of the fuzz targets is wrong:\n\(error)")
        }
    }()

    private static let text = """
        directive @note(text: String! = "n", level: Int = 1, at: Key) repeatable on
          | QUERY | MUTATION | SUBSCRIPTION | FIELD | FRAGMENT_DEFINITION | FRAGMENT_SPREAD | INLINE_FRAGMENT
          | VARIABLE_DEFINITION
        directive @once(a: [Int!]) on FIELD | INLINE_FRAGMENT
        scalar Decimal @specifiedBy(url: "https://example.com/decimal")
        enum Side { BUY SELL OLD @deprecated(reason: "old") }
        input Range { low: Float!, high: Float = 1e3 }
        input Filter { side: Side = BUY, ids: [ID!], range: Range, not: Filter, grid: [[Int]!] = [[1], []] }
        input Key @oneOf { id: ID, name: String, filter: Filter }
        interface Node { id: ID! }
        interface Named implements Node { id: ID!, name(upper: Boolean = false): String }
        type Dog implements Named & Node {
          id: ID!, name(upper: Boolean = false): String, barks: Boolean!, age: Int, friend: Pet, friends: [Pet!]
        }
        type Cat implements Named & Node {
          id: ID!, name(upper: Boolean = false): String, meows: Boolean, age: Float, friend: Pet, friends: [Pet]!
        }
        type Box implements Node { id: ID!, side: Side, sides: [Side!]!, items: [[Pet]], decimal: Decimal, strict: Int! }
        union Pet = Dog | Cat
        union Any = Dog | Cat | Box
        type Query {
          node(id: ID!): Node
          named: Named
          pet(key: Key): Pet
          pets(first: Int! = 3, filter: Filter): [Pet]
          any: [Any!]
          box: Box
          strict: Box!
          echo(i: Int, f: Float, s: String, b: Boolean, id: ID, d: Decimal, side: Side, list: [[Int!]!], f2: Filter): String
          failing: String
          failingStrict: String!
        }
        type Mutation { place(filter: Filter, key: Key!): Box, count: Int! }
        type Subscription { pet: Pet, ticks(n: Int = 1): Int }
        """
}
