import GraphQL
import Synchronization

// A small library of books: the shared schema of the execution tests, with a type for each way of binding.

let librarySDL = """
    type Query {
      books(first: Int! = 3, tag: Tag): [Book!]
      book(id: ID!): Book
      broken: String!
      maybeBroken: String
      secret: String
      shelf: [Item]
      grid: [[Book]]
      strictGrid: [[Strict!]]
      echo(filter: Filter): String
      later: Book
      none: Book
    }

    interface Item {
      title: String
    }

    type Book implements Item {
      id: ID!
      title: String
      pages: Int
      price: Float
      tags: [Tag!]!
      author: Author
      strictAuthor: Author!
      related: [Book!]
    }

    type Magazine implements Item {
      title: String
      issue: Int
      editor: Author
    }

    type Author {
      name: String!
      flaw: String!
      books: [Book!]
    }

    type Strict {
      id: ID!
      author: Author
      flaw: String!
    }

    enum Tag {
      FICTION
      SCIENCE
    }

    input Filter {
      words: [String!]! = ["a"]
      limit: Int
      nested: Filter
    }
    """

enum Tag: String, GraphQLEnum, GraphQLInput {
    case fiction = "FICTION"
    case science = "SCIENCE"

    static var sample: Tag { .fiction }
}

/// The context of the library's resolvers: the books, and the number of runs of each load.
final class Library: Sendable {
    let books: [Book] = [
        Book(id: "1", title: "One", pages: 10, price: 1.5, tags: [.fiction]),
        Book(id: "2", title: nil, pages: 20, price: 2.25, tags: []),
        Book(id: "3", title: "Three \"quoted\"\n", pages: nil, price: nil, tags: [.science, .fiction]),
    ]
    private let calls = Mutex<[String]>([])

    func record(_ call: String) {
        calls.withLock { $0.append(call) }
    }

    var recorded: [String] { calls.withLock { $0 } }
}

/// An error whose message is visible to clients.
struct Refusal: ClientVisibleError {
    let message: String
    var extensions: InputObject { ["code": .string("REFUSED")] }
}

/// An error that must not be visible to clients.
struct Leak: Error {
    let token = "hunter2"
}

struct Query: Sendable {}
struct Book: Sendable {
    var id: String
    var title: String?
    var pages: Int?
    var price: Double?
    var tags: [Tag]
}
struct Magazine: Sendable {
    var title: String?
    var issue: Int?
}
struct Author: Sendable { var name: String }
struct Strict: Sendable { var id: String }

enum Item: Sendable {
    case book(Book)
    case magazine(Magazine)
}

struct BooksArguments: GraphQLArguments {
    let first: Int
    let tag: Tag?

    init(_ arguments: ArgumentReader) throws {
        first = try arguments["first"]
        tag = try arguments["tag"]
    }
}

struct BookArguments: GraphQLArguments {
    let id: String

    init(_ arguments: ArgumentReader) throws {
        id = try arguments["id"]
    }
}

struct Filter: GraphQLInputObject {
    let words: [String]
    let limit: Int?
    let nested: [Filter]

    init(words: [String], limit: Int?, nested: [Filter]) {
        self.words = words
        self.limit = limit
        self.nested = nested
    }

    init(_ arguments: ArgumentReader) throws {
        words = try arguments["words"]
        limit = try arguments["limit"]
        let inner: Filter? = try arguments["nested"]
        nested = inner.map { [$0] } ?? []
    }
}

struct EchoArguments: GraphQLArguments {
    let filter: Filter?

    init(_ arguments: ArgumentReader) throws {
        filter = try arguments["filter"]
    }
}
