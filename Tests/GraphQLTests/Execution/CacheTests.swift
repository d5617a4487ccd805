import Testing

@testable import GraphQL

@Suite("The bounded cache")
struct CacheTests {
    @Test("never holds more than its capacity, and forgets what was not used")
    func isBounded() {
        let cache = GenerationalCache<Int, Int>(capacity: 10)
        for key in 0..<1000 {
            cache[key] = key
            #expect(cache[0] == 0, "it is used all the time")
            #expect(cache.count <= 10)
        }
        #expect(cache[1] == nil)
        #expect(cache[999] == 999)
    }

    @Test("documents are told apart by their bytes, not by how they look")
    func bytes() throws {
        let schema = try ExecutableSchema(Schema.build(librarySDL), query: Query(), context: Library.self)
        let composed = "{ echo(filter: {words: [\"\u{E9}\"]}) }"
        let decomposed = "{ echo(filter: {words: [\"e\u{301}\"]}) }"
        #expect(composed == decomposed, "Swift's strings are equal")
        for (document, word) in [(composed, "\u{E9}"), (decomposed, "e\u{301}")] {
            guard case .ready(let response) = schema.respond(to: Request(document), context: Library()) else {
                Issue.record("it had to be waited for")
                continue
            }
            #expect(response.body.firstRange(of: Array("[\\\"\(word)\\\"]".utf8)) != nil)
        }
    }

    @Test("texts of one length that differ in one byte are two keys", arguments: [0, 7, 8, 15, 16, 17])
    func differingByte(_ position: Int) {
        var bytes = Array("{ account { id } }".utf8)
        let one = DocumentKey(String(decoding: bytes, as: UTF8.self))
        #expect(one == DocumentKey(String(decoding: bytes, as: UTF8.self)))
        bytes[position] ^= 1
        #expect(one != DocumentKey(String(decoding: bytes, as: UTF8.self)))
    }

    @Test("replaces and removes")
    func replaces() {
        let cache = GenerationalCache<String, Int>(capacity: 4)
        cache["a"] = 1
        cache["a"] = 2
        #expect(cache["a"] == 2)
        #expect(cache.count == 1)
        cache["a"] = nil
        #expect(cache["a"] == nil)
    }
}
