import GraphQL
import Testing

/// A request to the library, and the exact response.
struct Exchange: CustomTestStringConvertible, Sendable {
    let name: String
    let document: String
    var variables = InputObject()
    let response: String

    var testDescription: String { name }
}

@Suite("Execution")
struct ExecutionTests {
    private let library = Library()

    private func respond(_ request: GraphQLRequest) async throws -> String {
        let schema = try ExecutableSchema(
            Schema.build(librarySDL), query: Query(), context: Library.self)
        let response = try await schema.respond(to: request, context: library).value()
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test("answers as the specification says", arguments: Exchange.all)
    func answers(_ exchange: Exchange) async throws {
        let answer = try await respond(GraphQLRequest(exchange.document, variables: exchange.variables))
        #expect(answer == exchange.response)
    }

    @Test("loads a layer at once, however many objects it has")
    func loadsByLayer() async throws {
        _ = try await respond(GraphQLRequest("{ books { author { books { author { name } } } } }"))
        #expect(
            library.recorded == [
                "books", "authors of 1,2,3", "books of A1,A3", "authors of 1,3",
            ])
    }

    @Test("loads of an interface are asked for each possible type at once")
    func loadsByPossibleType() async throws {
        _ = try await respond(
            GraphQLRequest(
                "{ shelf { ... on Book { author { name } } ... on Magazine { editor { name } } } }"))
        #expect(library.recorded.sorted() == ["authors of 1", "editors of [7, 8]"])
    }

    @Test("is ready at once where all loads are")
    func isReady() throws {
        let schema = try ExecutableSchema(Schema.build(librarySDL), query: Query(), context: Library.self)
        let ready = schema.respond(to: GraphQLRequest("{ books { author { name } } }"), context: library)
        guard case .ready = ready else {
            Issue.record("it had to be waited for")
            return
        }
        let pending = schema.respond(to: GraphQLRequest("{ later { id } }"), context: library)
        guard case .async = pending else {
            Issue.record("it was said to be ready")
            return
        }
    }
}

extension Exchange {
    static let all: [Exchange] = [
        Exchange(
            name: "fields, aliases and __typename",
            document: "{ a: book(id: 1) { __typename id t: title pages price tags } }",
            response:
                #"""
                {"data":{"a":{"__typename":"Book","id":"1","t":"One","pages":10,"price":1.5,\#
                "tags":["FICTION"]}}}
                """#
        ),
        Exchange(
            name: "strings are escaped, nulls stay",
            document: "{ book(id: \"3\") { title pages price } }",
            response: #"{"data":{"book":{"title":"Three \"quoted\"\n","pages":null,"price":null}}}"#),
        Exchange(
            name: "defaults, variables and enums",
            document:
                "query Q($n: Int!, $t: Tag = SCIENCE) { books(first: $n, tag: $t) { id } all: books { id } }",
            variables: ["n": .int(1)],
            response: #"{"data":{"books":[{"id":"3"}],"all":[{"id":"1"},{"id":"2"},{"id":"3"}]}}"#),
        Exchange(
            name: "fragments and inline fragments merge",
            document: """
                { book(id: 1) { ...A ... on Book { pages author { name } } ... @include(if: true) { price } } }
                fragment A on Book { id author { __typename } }
                """,
            response:
                #"""
                {"data":{"book":{"id":"1","author":{"__typename":"Author","name":"A1"},"pages":10,\#
                "price":1.5}}}
                """#
        ),
        Exchange(
            name: "@skip and @include by variable",
            document:
                """
                query Q($y: Boolean!, $n: Boolean!) { book(id: 1) { id @skip(if: $y) title @include(if: \
                $n) pages } }
                """,
            variables: ["y": .boolean(true), "n": .boolean(false)],
            response: #"{"data":{"book":{"pages":10}}}"#),
        Exchange(
            name: "a condition that is null fails the objects whose fields it decides about",
            document:
                "query ($v: Boolean = true) { books(first: 2) { id @include(if: $v) } book(id: 1) { pages } }",
            variables: ["v": .null],
            response:
                #"""
                {"data":{"books":null,"book":{"pages":10}},\#
                "errors":[{"message":"Argument \"if\" has invalid value: Expected variable \"$v\" provided to \#
                non-null type \"Boolean!\" not to be null.","locations":[{"line":1,"column":64}],\#
                "path":["books",0],"extensions":{"code":"BAD_USER_INPUT"}}]}
                """#
        ),
        Exchange(
            name: "at the root, a condition that is null leaves nothing to run",
            document:
                "query ($v: Boolean = true) { ... @skip(if: $v) { none { id } } book(id: 1) { pages } }",
            variables: ["v": .null],
            response:
                #"""
                {"errors":[{"message":"Argument \"if\" has invalid value: Expected variable \"$v\" provided to \#
                non-null type \"Boolean!\" not to be null.","locations":[{"line":1,"column":44}],\#
                "extensions":{"code":"BAD_USER_INPUT"}}]}
                """#
        ),
        Exchange(
            name: "what @skip leaves out has no other condition",
            document:
                "query ($v: Boolean = true) { book(id: 1) { id @include(if: $v) @skip(if: true) pages } }",
            variables: ["v": .null],
            response: #"{"data":{"book":{"pages":10}}}"#),
        Exchange(
            name: "a condition that is not given is its default",
            document: "query ($v: Boolean = true) { book(id: 1) { id @skip(if: $v) pages } }",
            response: #"{"data":{"book":{"pages":10}}}"#),
        Exchange(
            name: "a selection that is skipped whole is an empty object",
            document: "{ book(id: 1) { id @skip(if: true) } }",
            response: #"{"data":{"book":{}}}"#),
        Exchange(
            name: "a failed nullable field is null, with path, place and code",
            document: "{ maybeBroken book(id: 1) { id } }",
            response:
                #"""
                {"data":{"maybeBroken":null,"book":{"id":"1"}},\#
                "errors":[{"message":"out of order","locations":[{"line":1,"column":3}],\#
                "path":["maybeBroken"],"extensions":{"code":"REFUSED"}}]}
                """#
        ),
        Exchange(
            name: "a failed non-null field takes its parent along, up to data",
            document: "{ book(id: 1) { id } broken }",
            response:
                #"""
                {"data":null,\#
                "errors":[{"message":"out of order","locations":[{"line":1,"column":22}],\#
                "path":["broken"],"extensions":{"code":"REFUSED"}}]}
                """#
        ),
        Exchange(
            name: "what is thrown and not public is masked",
            document: "{ secret }",
            response:
                #"""
                {"data":{"secret":null},\#
                "errors":[{"message":"Internal server error","locations":[{"line":1,"column":3}],\#
                "path":["secret"],"extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}
                """#
        ),
        Exchange(
            name: "one object's load may fail without the others'",
            document: "{ books { id author { name } } }",
            response:
                #"""
                {"data":{"books":[{"id":"1","author":{"name":"A1"}},{"id":"2","author":null},{"id":"3",\#
                "author":{"name":"A3"}}]},\#
                "errors":[{"message":"no author of 2","locations":[{"line":1,"column":14}],\#
                "path":["books",1,"author"],"extensions":{"code":"REFUSED"}}]}
                """#
        ),
        Exchange(
            name: "a non-null load that fails takes the list's items along as far as the types say",
            document: "{ books { strictAuthor { name } } none { id } }",
            response:
                #"""
                {"data":{"books":null,"none":null},\#
                "errors":[{"message":"no author of 2","locations":[{"line":1,"column":11}],\#
                "path":["books",1,"strictAuthor"],"extensions":{"code":"REFUSED"}}]}
                """#
        ),
        Exchange(
            name: "items of an interface, one of them failed",
            document:
                """
                { shelf { __typename title ... on Book { author { name } } ... on Magazine { issue editor \
                { name } } } }
                """,
            response:
                #"""
                {"data":{"shelf":[{"__typename":"Magazine","title":"Weekly","issue":7,\#
                "editor":{"name":"E7"}},null,{"__typename":"Book","title":"One","author":{"name":"A1"}},\#
                {"__typename":"Magazine","title":null,"issue":8,"editor":{"name":"E8"}}]},\#
                "errors":[{"message":"item 1 is lost","locations":[{"line":1,"column":3}],\#
                "path":["shelf",1],"extensions":{"code":"REFUSED"}}]}
                """#
        ),
        Exchange(
            name: "lists in lists keep their rows",
            document: "{ grid { id author { name } } }",
            response:
                #"""
                {"data":{"grid":[[{"id":"1","author":{"name":"A1"}},null],null,[{"id":"2","author":null},\#
                {"id":"3","author":{"name":"A3"}}]]},\#
                "errors":[{"message":"no author of 2","locations":[{"line":1,"column":13}],\#
                "path":["grid",2,0,"author"],"extensions":{"code":"REFUSED"}}]}
                """#
        ),
        Exchange(
            name: "a list that failed half-way does not shift the rows of the next",
            document: "{ strictGrid { flaw author { name } } }",
            response:
                #"""
                {"data":{"strictGrid":[null,[{"flaw":"none","author":{"name":"Ac"}}]]},\#
                "errors":[{"message":"flaw of a","locations":[{"line":1,"column":16}],\#
                "path":["strictGrid",0,0,"flaw"],"extensions":{"code":"REFUSED"}}]}
                """#
        ),
        Exchange(
            name: "input objects with defaults and nesting",
            document: "query Q($f: Filter) { echo(filter: $f) none: echo }",
            variables: [
                "f": .object(["limit": .int(2), "nested": .object(["words": .list([.string("b")])])])
            ],
            response:
                #"""
                {"data":{"echo":"Filter(words: [\"a\"], limit: Optional(2), nested: \#
                [GraphQLTests.Filter(words: [\"b\"], limit: nil, nested: [])])","none":null}}
                """#
        ),
        Exchange(
            name: "a load that must be waited for",
            document: "{ later { id author { books { id } } } book(id: 2) { related { id } } }",
            response:
                #"""
                {"data":{"later":{"id":"1","author":{"books":[{"id":"1"}]}},"book":{"related":[{"id":"1"},\#
                {"id":"2"},{"id":"3"}]}}}
                """#
        ),
    ]
}
