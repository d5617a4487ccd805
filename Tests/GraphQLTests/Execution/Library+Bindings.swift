import GraphQL

extension Query: GraphQLObject {
    typealias Context = Library

    static let graphQL = ObjectType<Query>("Query") {
        Field(
            "books", BooksArguments.self,
            once: { arguments, library in
                library.record("books")
                let tagged = library.books.filter { book in arguments.tag.map(book.tags.contains) ?? true }
                return .ready(Optional(Array(tagged.prefix(max(0, arguments.first)))))
            })
        Field(
            "book", BookArguments.self,
            once: { arguments, library in
                .ready(library.books.first { $0.id == arguments.id })
            })
        Field("broken", throwing: { _ -> String in throw Refusal(message: "out of order") })
        Field("maybeBroken", throwing: { _ -> String? in throw Refusal(message: "out of order") })
        Field("secret", throwing: { _ -> String? in throw Leak() })
        Field(
            "shelf",
            once: { library in
                .ready(
                    Optional(
                        [
                            .success(Item.magazine(Magazine(title: "Weekly", issue: 7))),
                            .failure(Refusal(message: "item 1 is lost")),
                            .success(Item.book(library.books[0])),
                            .success(Item.magazine(Magazine(title: nil, issue: 8))),
                        ] as BatchResults<Item>))
            })
        Field(
            "grid",
            once: { library in
                .ready(
                    Optional([
                        Optional([library.books[0], nil]), nil,
                        Optional([library.books[1], library.books[2]]),
                    ]))
            })
        Field(
            "strictGrid",
            once: { _ in
                .ready(
                    Optional([Optional([Strict(id: "a"), Strict(id: "b")]), Optional([Strict(id: "c")])]))
            })
        Field("echo", EchoArguments.self) { _, arguments in arguments.filter.map { "\($0)" } }
        Field(
            "later",
            once: { library in
                .async {
                    await Task.yield()
                    return Optional(library.books[0])
                }
            })
        Field("none", once: { _ in .ready(Book?.none) })
    }
}

extension Book: GraphQLObject {
    typealias Context = Library

    static let graphQL = ObjectType<Book>("Book") {
        Field("id", \.id)
        Field("title", \.title)
        Field("pages", \.pages)
        Field("price") { $0.price }
        Field("tags", \.tags)
        Field(
            "author",
            load: { books, library in
                library.record("authors of \(books.map(\.id).joined(separator: ","))")
                return .ready(
                    books.map { book in
                        book.id == "2"
                            ? .failure(Refusal(message: "no author of 2"))
                            : .success(Author(name: "A\(book.id)"))
                    } as BatchResults<Author?>)
            })
        Field(
            "strictAuthor",
            load: { books, library in
                .async {
                    await Task.yield()
                    return books.map { book in
                        book.id == "2"
                            ? .failure(Refusal(message: "no author of 2"))
                            : .success(Author(name: "A\(book.id)"))
                    } as BatchResults<Author>
                }
            })
        Field(
            "related",
            load: { books, library in
                .ready(books.map { _ in .success(Optional(library.books)) } as BatchResults<[Book]?>)
            })
    }
}

extension Magazine: GraphQLObject {
    typealias Context = Library

    static let graphQL = ObjectType<Magazine>("Magazine") {
        Field("title", \.title)
        Field("issue", \.issue)
        Field(
            "editor",
            load: { magazines, library in
                library.record("editors of \(magazines.compactMap(\.issue))")
                return .ready(
                    magazines.map { .success(Optional(Author(name: "E\($0.issue ?? 0)"))) }
                        as BatchResults<Author?>)
            })
    }
}

extension Author: GraphQLObject {
    typealias Context = Library

    static let graphQL = ObjectType<Author>("Author") {
        Field("name", \.name)
        Field(
            "flaw",
            throwing: { author -> String in
                if author.name == "Aa" || author.name == "A1" {
                    throw Refusal(message: "flaw of \(author.name)")
                }
                return "none"
            })
        Field(
            "books",
            load: { authors, library in
                library.record("books of \(authors.map(\.name).joined(separator: ","))")
                return .ready(
                    authors.map { author in
                        .success(Optional(library.books.filter { "A\($0.id)" == author.name }))
                    } as BatchResults<[Book]?>)
            })
    }
}

extension Strict: GraphQLObject {
    typealias Context = Library

    static let graphQL = ObjectType<Strict>("Strict") {
        Field("id", \.id)
        Field(
            "author",
            load: { stricts, _ in
                .ready(stricts.map { .success(Optional(Author(name: "A\($0.id)"))) } as BatchResults<Author?>)
            })
        Field(
            "flaw",
            throwing: { strict -> String in
                if strict.id == "a" { throw Refusal(message: "flaw of a") }
                return "none"
            })
    }
}

extension Item: GraphQLAbstract {
    static let graphQL = AbstractType<Item>("Item") {
        PossibleType(Book.self) { if case .book(let book) = $0 { book } else { nil } }
        PossibleType(Magazine.self) { if case .magazine(let magazine) = $0 { magazine } else { nil } }
    }
}
