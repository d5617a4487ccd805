import Testing

@testable import GraphQL

@Suite("The bounded cache")
struct CacheTests {
    private let schema = Result { try Schema.build("type Query { a(x: [Int]): Int }") }

    private func prepared(_ text: String) throws -> PreparedDocument {
        PreparedDocument(try validate(parse(text), against: schema.get()))
    }

    @Test("never holds more than its capacity, and forgets what was not used", arguments: [10, 11, 64, 200])
    func isBounded(_ capacity: Int) throws {
        let cache = DocumentCache(capacity: capacity)
        let documents = try (0..<1000).map { try prepared("{ a } # \($0)") }
        for document in documents {
            cache.store(document)
            #expect(cache.document("{ a } # 0") === documents[0], "it is used all the time")
            #expect(cache.count <= capacity)
        }
        #expect(cache.document("{ a } # 1") == nil)
        #expect(cache.document("{ a } # 999") === documents[999])
    }

    @Test("holds half its capacity at least, whatever else comes")
    func holds() throws {
        let cache = DocumentCache(capacity: 100)
        let documents = try (0..<500).map { try prepared("{ a } # \($0)") }
        for (position, document) in documents.enumerated() {
            cache.store(document)
            for recent in max(0, position - 49)...position {
                #expect(cache.document("{ a } # \(recent)") === documents[recent])
            }
        }
    }

    @Test("the smallest capacity there is still keeps the last document", arguments: [-1, 0, 1, 2])
    func smallest(_ capacity: Int) throws {
        let cache = DocumentCache(capacity: capacity)
        for text in ["{ a }", "{ b: a }", "{ a }"] {
            let document = try prepared(text)
            cache.store(document)
            #expect(cache.document(text) != nil)
            #expect(cache.count <= 2)
        }
    }

    @Test(
        "never exceeds its limit in bytes, and stores no document above that limit",
        arguments: [1 << 20, 4 << 20])
    func weighs(_ bytes: Int) throws {
        let cache = DocumentCache(capacity: 1_000, bytes: bytes)
        let documents = try (0..<100).map {
            try prepared("{ a } # \($0)\(String(repeating: "x", count: 100_000))")
        }
        for document in documents {
            cache.store(document)
            #expect(cache.weight <= bytes)
            #expect(cache.document(String(decoding: document.text, as: UTF8.self)) === document)
        }
        #expect(cache.count >= bytes / 2 / 110_000)
        let heavy = try prepared("{ a } # \(String(repeating: "x", count: bytes / 2))")
        cache.store(heavy)
        #expect(cache.document(String(decoding: heavy.text, as: UTF8.self)) == nil)
    }

    @Test("the weight of a document includes its text, its nodes and its plans")
    func weight() throws {
        let small = try prepared("{ a }").weight
        #expect(try prepared("{ a } # \(String(repeating: "x", count: 50_000))").weight >= small + 50_000)
        let wide = try prepared("{ \((0..<1_000).map { "b\($0): a" }.joined(separator: " ")) }")
        #expect(wide.weight >= small + 100_000)
        let schema = try ExecutableSchema(Schema.build(librarySDL), query: Query(), context: Library.self)
        let request = schema.prepare(
            GraphQLRequest(
                "query($a: Boolean!) { __typename b: __typename @include(if: $a) }",
                variables: ["a": .boolean(true)]))
        let before = try #require(request.retained.document).bytes
        _ = schema.respond(to: request, context: Library())
        #expect(try #require(request.retained.document).bytes > before + 1_000)
    }

    @Test("a plan counts the size of each of its response keys")
    func keys() throws {
        let schema = try ExecutableSchema(Schema.build(librarySDL), query: Query(), context: Library.self)
        func planWeight(aliasOf length: Int) throws -> Int {
            let places = (0..<14).map { "b\($0): book(id: \"1\") { ...F }" }.joined(separator: " ")
            let alias = String(repeating: "k", count: length)
            let document = "{ \(places) } fragment F on Book { \(alias): id }"
            let request = schema.prepare(GraphQLRequest(document))
            let before = try #require(request.retained.document).bytes
            _ = schema.respond(to: request, context: Library())
            return try #require(request.retained.document).bytes - before
        }
        #expect(try planWeight(aliasOf: 250) >= planWeight(aliasOf: 5) + 14 * 200)
    }

    @Test("stores plans of a document within its share, the latest of an operation at least")
    func plans() throws {
        var options = ExecutionOptions()
        options.documentCacheBytes = 256 << 10
        let schema = try ExecutableSchema(
            Schema.build(librarySDL), query: Query(), context: Library.self, options: options)
        let fields = (0..<25).map { "b\($0): __typename @include(if: $v\($0 % 4))" }.joined(separator: " ")
        let document =
            "query(\((0..<4).map { "$v\($0): Boolean!" }.joined(separator: " "))) { __typename \(fields) }"
        var weights: [Int] = []
        for number in 0..<16 {
            let values = (0..<4).map { (name: "v\($0)", value: InputValue.boolean(number >> $0 & 1 == 1)) }
            let request = schema.prepare(GraphQLRequest(document, variables: InputObject(values)))
            _ = schema.respond(to: request, context: Library())
            weights.append(try #require(request.retained.document).bytes)
        }
        #expect(schema.parsedDocuments == 1)
        #expect(weights.allSatisfy { $0 <= weights[0] + options.documentCacheBytes / 8 })
        #expect(Set(weights).count > 1)
    }

    @Test("documents are told apart by their bytes, not by how they look")
    func bytes() throws {
        let schema = try ExecutableSchema(Schema.build(librarySDL), query: Query(), context: Library.self)
        let composed = "{ echo(filter: {words: [\"\u{E9}\"]}) }"
        let decomposed = "{ echo(filter: {words: [\"e\u{301}\"]}) }"
        #expect(composed == decomposed, "Swift's strings are equal")
        for (document, word) in [(composed, "\u{E9}"), (decomposed, "e\u{301}")] {
            guard case .ready(let response) = schema.respond(to: GraphQLRequest(document), context: Library())
            else {
                Issue.record("it had to be waited for")
                continue
            }
            #expect(response.body.firstRange(of: Array("[\\\"\(word)\\\"]".utf8)) != nil)
        }
    }

    @Test("texts of one length that differ in one byte are not the same", arguments: [0, 7, 8, 15, 16, 17])
    func differingByte(_ position: Int) {
        let text = Array("{ account { id } }".utf8)
        var other = text
        #expect(isSame(text, other))
        other[position] ^= 1
        #expect(!isSame(text, other))
        #expect(digest(text) != digest(other))
        #expect(!isSame(text, Array(text.dropLast())))
    }

    private func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.span.isSame(as: other) }

    private func digest(_ text: [UInt8]) -> UInt64 { SeededHash.digest(of: text.span) }

    @Test("another text with the digest of one that is kept is not taken for it, and takes its place")
    func sameDigest() throws {
        var table = DocumentHashTable(capacity: 4)
        let (one, other) = (try prepared("{ a }"), try prepared("{ b: a }"))
        table.insert(one, 7)
        #expect(table.document(one.text, 7) === one)
        #expect(table.document(other.text, 7) == nil)
        table.insert(other, 7)
        #expect(table.document(other.text, 7) === other)
        #expect(table.document(one.text, 7) == nil)
        #expect(table.count == 1)
    }

    @Test("documents whose digests lead to one place stand side by side")
    func samePlace() throws {
        var table = DocumentHashTable(capacity: 4)
        let documents = try (0..<4).map { try prepared("{ a } # \($0)") }
        // A table with capacity four has eight slots: all of these hash to the last one.
        for (number, document) in documents.enumerated() { table.insert(document, UInt64(number) * 8 + 7) }
        for (number, document) in documents.enumerated() {
            #expect(table.document(document.text, UInt64(number) * 8 + 7) === document)
        }
        #expect(table.document(documents[0].text, 4 * 8 + 7) == nil)
        #expect(table.count == 4)
    }
}

extension DocumentHashTable {
    fileprivate func document(_ text: [UInt8], _ digest: UInt64) -> PreparedDocument? {
        document(text.span, digest)
    }
}
