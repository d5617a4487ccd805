import PorticoCore
import TestSupport
import Testing

@Suite("Least recently used")
struct LRUCacheTests {
    /// The same by the most obvious means: an array, the least recently used first.
    struct Model {
        var items: [(key: Int, value: Int, weight: Int)] = []
        let maximumCount: Int
        let maximumWeight: Int

        var weight: Int { items.map(\.weight).reduce(0, +) }

        mutating func value(for key: Int) -> Int? {
            guard let index = items.firstIndex(where: { $0.key == key }) else { return nil }
            items.append(items.remove(at: index))
            return items.last?.value
        }

        mutating func insert(_ value: Int, for key: Int, weight: Int) {
            items.removeAll { $0.key == key }
            guard weight <= maximumWeight, maximumCount > 0 else { return }
            while items.count >= maximumCount || self.weight + weight > maximumWeight { items.removeFirst() }
            items.append((key, value, weight))
        }
    }

    @Test(
        "keeps what a plain list would keep, over random uses",
        arguments: [(1, 8, 100), (2, 5, 12), (3, 1, 10), (4, 0, 10), (5, 100, 0), (6, 4, .max)]
            as [(UInt64, Int, Int)])
    func model(seed: UInt64, count: Int, weight: Int) {
        var random = SplitMix(seed: seed)
        var cache = LRUCache<Int, Int>(maximumCount: count, maximumWeight: weight)
        var model = Model(maximumCount: count, maximumWeight: weight)
        for step in 0..<5_000 {
            let key = Int.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let value = cache.value(for: key)
                let expected = model.value(for: key)
                #expect(value == expected)
            case 5..<8:
                let weight = Int.random(in: 0..<15, using: &random)
                cache.insert(step, for: key, weight: weight)
                model.insert(step, for: key, weight: weight)
            case 8:
                cache.remove(key)
                model.items.removeAll { $0.key == key }
            default:
                if step % 50 == 0 {
                    cache.removeAll { key, _ in key.isMultiple(of: 3) }
                    model.items.removeAll { $0.key.isMultiple(of: 3) }
                }
            }
            let newest = model.items.last
            #expect(cache.newestValue(for: key) == (newest?.key == key ? newest?.value : nil))
            #expect(cache.count == model.items.count)
            #expect(cache.weight == model.weight)
        }
    }

    @Test("removes unneeded values, beginning with the least recently used one, up to a limit")
    func useless() {
        var cache = LRUCache<Int, Int>(maximumCount: 10, maximumWeight: 100)
        for key in 0..<6 { cache.insert(key, for: key, weight: 1) }
        _ = cache.value(for: 0)
        cache.removeOldest(atMost: 2) { $0 < 4 }
        #expect(cache.count == 4)
        let removed = (1...2).compactMap { cache.value(for: $0) }
        #expect(removed.isEmpty)
        // The next is 3, then comes 4, which is kept, and so is 0 after it.
        cache.removeOldest(atMost: 10) { $0 < 4 }
        #expect(cache.count == 3)
        #expect(cache.weight == 3)
        let latest = cache.value(for: 0)
        #expect(latest == 0)
    }
}
