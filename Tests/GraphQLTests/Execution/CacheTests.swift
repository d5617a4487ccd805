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
