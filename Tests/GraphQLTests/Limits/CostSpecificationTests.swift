import GraphQL
import Testing

/// The examples of the IBM GraphQL Cost Directives specification
/// (https://ibm.github.io/graphql-specs/cost-spec.html), by their numbers.
///
/// Types that an example omits are the simplest possible ones.
@Suite("Examples of the cost specification")
struct CostSpecificationTests {
    struct Example: CustomTestStringConvertible, Sendable {
        let name: String
        let sdl: String
        let query: String
        let field: String
        let type: String

        var testDescription: String { name }
    }

    private static let products = """
        enum Approximate { YES NO }
        input Filter { approx: Approximate @cost(weight: "-12.0") }
        type Product { name: String }
        directive @approx(tolerance: Float! @cost(weight: "-1.0")) on FIELD
        type Query {
          topProducts(filter: Filter @cost(weight: "15.0")): [String] @cost(weight: "5.0") @listSize(assumedSize: 10)
          mostPopularProduct(approx: Approximate @cost(weight: "-3.0")): Product @cost(weight: "5.0")
        }
        """
    private static let films = """
        type Film { title: String }
        type FilmEdge { cursor: ID, node: Film }
        type PageInfo { hasNextPage: Boolean }
        type FilmConnection { edges: [FilmEdge], pageInfo: PageInfo }
        type Query {
          films(first: Int, after: ID, last: Int, before: ID): FilmConnection
            @listSize(slicingArguments: ["first", "last"], sizedFields: ["edges"])
        }
        """

    static let examples = [
        Example(
            name: "1 and 2 (chapter 3): users and their ages",
            sdl: """
                type User { name: String, age: Int @cost(weight: "2.0") }
                type Query { users(max: Int): [User] @listSize(slicingArguments: ["max"]) }
                """,
            query: "query Example { users(max: 5) { age } }", field: "11", type: "6"),
        Example(
            name: "10 (5.3.2.2): without the argument", sdl: products, query: "{ topProducts }", field: "5",
            type: "1"),
        Example(
            name: "10 (5.3.2.2): argument weights", sdl: products, query: "{ topProducts(filter: {}) }",
            field: "20",
            type: "1"),
        Example(
            name: "11 (5.3.2.2): without the argument", sdl: products,
            query: "{ mostPopularProduct { name } }",
            field: "5", type: "2"),
        Example(
            name: "11 (5.3.2.2): negative weights", sdl: products,
            query: "{ mostPopularProduct(approx: YES) { name } }", field: "2", type: "2"),
        Example(
            name: "12 (5.3.2.2): input field weights", sdl: products,
            query: "{ topProducts(filter: {approx: YES}) }",
            field: "8", type: "1"),
        Example(
            name: "13 (5.3.2.2): directive arguments", sdl: products,
            query: "{ topProducts @approx(tolerance: 0.5) }", field: "4", type: "1"),
        Example(
            name: "16 (8.1): assumedSize, with a weight on the list's type",
            sdl: """
                scalar Name @cost(weight: "0.25")
                type Query { topProducts: [Name] @listSize(assumedSize: 10) }
                """,
            query: "{ topProducts }", field: "0", type: "3.5"),
        Example(
            name: "17 (8.2): slicingArguments",
            sdl: """
                scalar Name @cost(weight: "0.5")
                type Query { users(max: Int!): [Name] @listSize(slicingArguments: ["max"]) }
                """,
            query: "{ users(max: 7) }", field: "0", type: "4.5"),
        Example(
            name: "18 (8.3): sizedFields", sdl: films,
            query: "{ films(first: 20) { edges { node { title } } pageInfo { hasNextPage } } }",
            // Fields: films, edges and pageInfo, and node for each edge. Types: Query, the connection, its
            // page, edges and films.
            field: "23", type: "43"),
    ]

    @Test("costs what the specification says", arguments: examples)
    func example(_ example: Example) throws {
        let cost = try LimitedSchema(example.sdl).cost(example.query)
        #expect(cost.field.description == example.field)
        #expect(cost.type.description == example.type)
    }

    @Test(
        "8.4: exactly one slicing argument is required",
        arguments: [
            ("{ films { pageInfo { hasNextPage } } }", "but it has none"),
            (
                "{ films(first: 1, last: 2) { pageInfo { hasNextPage } } }",
                "but it has \"first\" and \"last\""
            ),
        ])
    func required(_ query: String, _ finding: String) throws {
        let refusals = try LimitedSchema(CostSpecificationTests.films).refusals(of: query, .unlimited)
        #expect(
            refusals == [
                LimitRefusal(
                    "Field \"Query.films\" requires one of the arguments \"first\" or \"last\", \(finding). "
                        + "Give exactly one, which tells how long the list may get.", at: "1:3",
                    "SLICING_ARGUMENT_REQUIRED")
            ])
    }
}
