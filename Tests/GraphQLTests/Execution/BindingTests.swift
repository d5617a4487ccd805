import GraphQL
import Testing

@Suite("Binding of Swift types to a schema")
struct BindingTests {
    /// A change to the library's SDL, and the resulting difference.
    struct Difference: CustomTestStringConvertible, Sendable {
        let from: String
        let to: String
        let message: String

        var testDescription: String { message }
    }

    @Test(
        "says every difference",
        arguments: [
            Difference(
                from: "pages: Int\n", to: "pages: Int!\n",
                message: "Book.pages: the schema says Int!, the bound type is Int"),
            Difference(
                from: "pages: Int\n", to: "",
                message: "Book.pages: it is bound, but the schema does not have it"),
            Difference(
                from: "pages: Int\n", to: "pages: Int\n  isbn: String\n",
                message: "Book.isbn: the schema has it, but nothing is bound to it"),
            Difference(
                from: "tag: Tag)", to: "tag: String)",
                message: "Query.books(tag:): the schema says String, the bound type is Tag"),
            Difference(
                from: "first: Int! = 3", to: "first: Int = 3",
                message: "Query.books(first:): the schema says Int, the bound type is Int!"),
            Difference(
                from: "(id: ID!)", to: "(id: ID!, isbn: String)",
                message: "Query.book(isbn:): the schema has it, but nothing is bound to it"),
            Difference(
                from: "limit: Int\n", to: "",
                message: "Filter(limit:): it is bound, but the schema does not have it"),
            Difference(
                from: "type Magazine implements Item", to: "type Magazine",
                message: "Item → Magazine: it is bound, but the schema does not have it"),
        ])
    func differs(_ difference: Difference) throws {
        let sdl = librarySDL.replacing(difference.from, with: difference.to)
        #expect(sdl != librarySDL)
        let schema = try Schema.build(sdl)
        let error = #expect(throws: BindingError.self) {
            try ExecutableSchema(schema, query: Query(), context: Library.self)
        }
        #expect(error?.differences.map(\.description) == [difference.message])
    }

    @Test("lists all differences together")
    func listsAll() throws {
        let sdl =
            librarySDL
            .replacing("pages: Int\n", with: "")
            .replacing("issue: Int\n", with: "issue: Int\n  printed: Boolean\n")
        let schema = try Schema.build(sdl)
        let error = #expect(throws: BindingError.self) {
            try ExecutableSchema(schema, query: Query(), context: Library.self)
        }
        #expect(error?.differences.map(\.coordinate).sorted() == ["Book.pages", "Magazine.printed"])
    }

    @Test("refuses resolvers that want another context")
    func refusesOtherContext() throws {
        let schema = try Schema.build(librarySDL)
        let error = #expect(throws: BindingError.self) {
            try ExecutableSchema(schema, query: Query(), context: Ledger.self)
        }
        #expect(error?.differences.first?.reason == .context("Library"))
    }

    @Test("refuses another context also of a second Swift type for the same type of the schema")
    func refusesOtherContextOfSecondType() throws {
        let schema = try Schema.build("type Query { one: Part! other: Part! } type Part { name: String! }")
        let error = #expect(throws: BindingError.self) {
            try ExecutableSchema(schema, query: PartsQuery(), context: Library.self)
        }
        #expect(error?.differences.map(\.coordinate) == ["Part.name"])
        #expect(error?.differences.first?.reason == .context("Ledger"))
    }
}

private struct PartsQuery: GraphQLObject {
    static let graphQL = ObjectType<PartsQuery>("Query") {
        Field("one") { _ in LibraryPart() }
        Field("other") { _ in LedgerPart() }
    }
}

private struct LibraryPart: GraphQLObject {
    typealias Context = Library

    static let graphQL = ObjectType<LibraryPart>("Part") {
        Field("name", once: { _ in .ready("library") })
    }
}

private struct LedgerPart: GraphQLObject {
    typealias Context = Ledger

    static let graphQL = ObjectType<LedgerPart>("Part") {
        Field("name", once: { _ in .ready("ledger") })
    }
}
