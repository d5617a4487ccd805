import GraphQL
import Testing

/// A tree whose nodes have three types in rotation; the children of each type can have any of them.
private enum Shape: GraphQLAbstract {
    case a(Int)
    case b(Int)
    case c(Int)

    init(_ number: Int) {
        switch number % 3 {
        case 0: self = .a(number)
        case 1: self = .b(number)
        default: self = .c(number)
        }
    }

    static let graphQL = AbstractType<Shape>("Shape") {
        PossibleType(ShapeA.self) { if case .a(let number) = $0 { ShapeA(number: number) } else { nil } }
        PossibleType(ShapeB.self) { if case .b(let number) = $0 { ShapeB(number: number) } else { nil } }
        PossibleType(ShapeC.self) { if case .c(let number) = $0 { ShapeC(number: number) } else { nil } }
    }
}

private struct Factor: GraphQLArguments {
    let by: Int

    init(_ arguments: ArgumentReader) throws {
        by = try arguments["by"]
    }
}

private protocol ShapeMember: GraphQLObject where Context == EmptyContext {
    var number: Int { get }
}

extension ShapeMember {
    static var fields: [Field<Self>] {
        [
            Field("number") { $0.number },
            Field("times", Factor.self) { $0.number * $1.by },
            Field("square", load: { shapes, _ in .ready(shapes.map { .success($0.number * $0.number) }) }),
            Field("below") { [Shape($0.number + 1), Shape($0.number + 2)] },
            Field(
                "next",
                load: { shapes, _ in
                    .async { shapes.map { .success($0.number < 20 ? Shape($0.number * 2 + 1) : nil) } }
                }),
        ]
    }
}

private struct ShapeA: ShapeMember {
    let number: Int
    static let graphQL = ObjectType<ShapeA>("A") { fields }
}

private struct ShapeB: ShapeMember {
    let number: Int
    static let graphQL = ObjectType<ShapeB>("B") { fields }
}

private struct ShapeC: ShapeMember {
    let number: Int
    static let graphQL = ObjectType<ShapeC>("C") { fields }
}

private struct Shapes: GraphQLObject {
    typealias Context = EmptyContext

    static let graphQL = ObjectType<Shapes>("Query") {
        Field("shapes") { _ in (0..<3).map(Shape.init) }
        Field("shape") { _ in Shape(0) }
    }
}

@Suite("Selections on interfaces and unions")
struct AbstractTypeTests {
    private static let fields =
        "number: Int! times(by: Int!): Int! square: Int! below: [Shape!]! next: Shape"

    private func answer(
        _ document: String, variables: InputObject = [:], limits: OperationLimits? = nil
    ) async throws -> String {
        let schema = try Schema.build(
            """
            type Query { shapes: [Shape!]! shape: Shape! }
            interface Shape { \(AbstractTypeTests.fields) }
            type A implements Shape { \(AbstractTypeTests.fields) }
            type B implements Shape { \(AbstractTypeTests.fields) }
            type C implements Shape { \(AbstractTypeTests.fields) }
            """)
        var options = ExecutionOptions()
        options.limits.cost = .max
        if let limits { options.limits = limits }
        let executable = try ExecutableSchema(
            schema, query: Shapes(), context: EmptyContext.self, options: options)
        let response = try await executable.respond(
            to: GraphQLRequest(document, variables: variables), context: EmptyContext.shared
        ).value()
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test(
        "values of each type have what is loaded for them, wherever the same selection stands",
        arguments: [
            (
                "{ shapes { __typename square } }",
                #"""
                {"data":{"shapes":[{"__typename":"A","square":0},{"__typename":"B","square":1},\#
                {"__typename":"C","square":4}]}}
                """#
            ),
            // The selection of `below` has one plan for A, B and C; each of its three locations has separate
            // numbers.
            (
                "{ shapes { below { square times(by: 10) } } }",
                #"""
                {"data":{"shapes":[{"below":[{"square":1,"times":10},{"square":4,"times":20}]},\#
                {"below":[{"square":4,"times":20},{"square":9,"times":30}]},\#
                {"below":[{"square":9,"times":30},{"square":16,"times":40}]}]}}
                """#
            ),
            (
                "{ shape { next { number next { number square next { next { next { next { number } } } } } } } }",
                #"""
                {"data":{"shape":{"next":{"number":1,"next":{"number":3,"square":9,"next":{"next":\#
                {"next":{"next":null}}}}}}}}
                """#
            ),
            (
                """
                query ($by: Int! = 3) { shapes { ... on A { times(by: $by) } ... on B { times(by: 5) } ... on C \
                { next { times(by: $by) } } } }
                """,
                #"{"data":{"shapes":[{"times":0},{"times":5},{"next":{"times":15}}]}}"#
            ),
        ])
    func answers(_ document: String, _ expected: String) async throws {
        #expect(try await answer(document) == expected)
    }

    @Test("a value within a value within a value is planned once for each type, not for each way to it")
    func plansOnce() async throws {
        // Three types on each of fourteen levels: 3^14 paths.
        let document =
            "{ shape " + String(repeating: "{ next ", count: 13) + "{ number }"
            + String(repeating: "}", count: 14)
        #expect(try await answer(document).hasPrefix(#"{"data":{"shape":{"next":{"next":"#))
    }

    @Test("a plan of more than 100,000 fields is refused")
    func largestPlan() async throws {
        // Each chain is restricted to type A on one level, and open to all types on the others. On the
        // twelfth level each of 2^12 sets of chains can therefore apply, and each set selects different
        // fields.
        let levels = 12
        let chains = (0..<levels).map { chain in
            let fields = (0..<8).map { "f\(chain)x\($0): number" }.joined(separator: " ")
            return (0..<levels).reversed().reduce(fields) { selected, level in
                let next = "next { \(selected) }"
                return level == chain ? "... on A { \(next) }" : next
            }
        }
        #expect(
            try await answer("query Deep { shape { \(chains.joined(separator: " ")) } }", limits: .unlimited)
                == #"""
                {"errors":[{"message":"The operation selects more than 100000 fields on the types that it meets; \#
                select less at once.","locations":[{"line":1,"column":1}],\#
                "extensions":{"code":"FIELD_LIMIT_EXCEEDED","limit":100000}}]}
                """#)
    }
}
