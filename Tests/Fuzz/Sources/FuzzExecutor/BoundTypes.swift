import GraphQL

/// The schema of the bound types; its names are those of `FuzzSchema`, so that one corpus serves both.
let boundSchema = """
    enum Side { BUY SELL }
    input Range { low: Float!, high: Float = 1e3 }
    input Filter { side: Side = BUY, ids: [ID!], range: Range, not: Filter }
    interface Node { id: ID! }
    type Dog implements Node {
      id: ID!, name(upper: Boolean = false): String, barks: Boolean!, age: Int, friend: Pet, friends: [Pet!]
    }
    type Cat implements Node { id: ID!, meows: Boolean, age: Float, owner: Dog!, sides: [Side!]! }
    union Pet = Dog | Cat
    type Query {
      pet: Pet
      pets(first: Int! = 3, filter: Filter): [Pet]
      dogs: [Dog!]!
      box: Dog
      strict: Dog!
      echo(i: Int, f: Float, s: String, b: Boolean, id: ID, side: Side, f2: Filter): String
      failing: String
      failingStrict: String!
    }
    type Mutation { place(filter: Filter): Dog, count: Int! }
    """

struct Query: Sendable {}
struct Mutation: Sendable {}

struct Dog: Sendable {
    let id: String
    let name: String
    let age: Int?
    /// The number of generations below it.
    let generations: Int

    init(_ number: Int, generations: Int = 3) {
        id = "dog \(number)"
        name = number == 1 ? "Rex \"\\\n\u{1}é😀" : "Dog"
        age = number % 2 == 0 ? nil : Int(Int32.max) + number
        self.generations = generations
    }
}

struct Cat: Sendable {
    let id: String
    let age: Double?
    let sides: [Side]
    let generations: Int

    init(_ number: Int, generations: Int) {
        id = "cat \(number)"
        age = number % 2 == 0 ? .nan : 1.25
        sides = Array(repeating: .buy, count: number % 3)
        self.generations = generations
    }
}

enum Pet: Sendable {
    case dog(Dog)
    case cat(Cat)

    init(_ number: Int, generations: Int) {
        self =
            number % 2 == 0
            ? .dog(Dog(number, generations: generations)) : .cat(Cat(number, generations: generations))
    }
}

enum Side: String, GraphQLEnum, GraphQLInput {
    case buy = "BUY"
    case sell = "SELL"

    static var sample: Side { .buy }
}

struct Range: GraphQLInputObject {
    let low: Double
    let high: Double?

    init(low: Double, high: Double?) {
        self.low = low
        self.high = high
    }

    init(_ arguments: ArgumentReader) throws {
        self.init(low: try arguments["low"], high: try arguments["high"])
    }
}

struct Filter: GraphQLInputObject {
    let side: Side?
    let ids: [String]?
    let range: Range?
    let not: [Filter]

    init(side: Side?, ids: [String]?, range: Range?, not: Filter?) {
        self.side = side
        self.ids = ids
        self.range = range
        self.not = not.map { [$0] } ?? []
    }

    init(_ arguments: ArgumentReader) throws {
        self.init(
            side: try arguments["side"], ids: try arguments["ids"], range: try arguments["range"],
            not: try arguments["not"])
    }
}
