import PorticoCore
import TestSupport
import Testing

@Suite("A table that owners share")
struct SharedTableTests {
    /// An addition of the next entry of an owner, and the owner's entries after it.
    private static let cases: [(owners: String, entries: [String: [Int]])] = [
        // Three entries of one owner; the oldest makes room.
        ("aaa", ["a": [0, 1, 2]]), ("aaaa", ["a": [1, 2, 3]]),
        // A full table: the owner with the most entries makes room, and not the one with the oldest entry.
        ("baaac", ["b": [0], "a": [2, 3], "c": [4]]), ("baaacc", ["b": [0], "a": [3], "c": [4, 5]]),
        // No other owner has more.
        ("abca" + "a", ["a": [3, 4], "b": [1], "c": [2]]),
    ]

    @Test(
        "removes the oldest entry of an owner with its share, or of the owner with the most", arguments: cases
    )
    func room(owners: String, entries: [String: [Int]]) {
        var table = SharedTable<Character, Int, Int>(maximum: 4, share: 3)
        for (number, owner) in owners.enumerated() { table.insert(number, for: number, of: owner) }
        #expect(table.values.sorted() == entries.values.flatMap(\.self).sorted())
        #expect(Set(table.owners) == Set(entries.keys.flatMap(\.self)))
    }

    /// The same by arrays.
    private struct Model {
        var items: [(owner: Int, key: Int)] = []

        func keys(of owner: Int) -> [Int] { items.filter { $0.owner == owner }.map(\.key) }

        var largest: Int { Set(items.map(\.owner)).map { keys(of: $0).count }.max() ?? 0 }
    }

    @Test(
        "never removes an entry of an owner with as many as the new one's, over random uses",
        arguments: [(1, 12, 5), (2, 40, 40), (3, 3, 1), (4, 1, 9)] as [(UInt64, Int, Int)])
    func model(seed: UInt64, maximum: Int, share: Int) {
        var random = SplitMix(seed: seed)
        var table = SharedTable<Int, Int, Int>(maximum: maximum, share: share)
        var model = Model()
        for step in 0..<5_000 {
            let owner = Int.random(in: 0..<8, using: &random) * Int.random(in: 0...1, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<8:
                let (own, largest) = (model.keys(of: owner), model.largest)
                let isFull = model.items.count >= maximum
                let removed = table.insert(step, for: step, of: owner)
                #expect(removed.count == (own.count >= share || isFull ? 1 : 0), "\(step)")
                for key in removed {
                    let loser = model.items.first { $0.key == key }?.owner ?? -1
                    #expect(model.keys(of: loser).first == key, "\(step): not the oldest")
                    if own.count >= share || own.count >= largest {
                        #expect(loser == owner, "\(step)")
                    } else {
                        #expect(model.keys(of: loser).count == largest, "\(step)")
                    }
                    model.items.removeAll { $0.key == key }
                }
                model.items.append((owner, step))
            case 8:
                let key = model.items.randomElement(using: &random)?.key ?? -1
                #expect(table.remove(key) == (key < 0 ? nil : key), "\(step)")
                model.items.removeAll { $0.key == key }
            default:
                let isRemoved: (Int) -> Bool = { $0.isMultiple(of: 3) }
                #expect(table.removeAll(where: isRemoved).count == model.items.count { isRemoved($0.key) })
                model.items.removeAll { isRemoved($0.key) }
                #expect(table.removeAll(of: owner) == model.keys(of: owner), "\(step)")
                model.items.removeAll { $0.owner == owner }
            }
            #expect(table.count == model.items.count, "\(step)")
            #expect(Set(table.values) == Set(model.items.map(\.key)), "\(step)")
            for owner in 0..<8 { #expect(table.count(of: owner) == model.keys(of: owner).count, "\(step)") }
            let largest = model.largest
            #expect(table.oldestKey(ofOwnersWithMoreThan: largest) == nil, "\(step)")
            #expect((table.oldestKey(ofOwnersWithMoreThan: largest - 1) == nil) == (largest == 0), "\(step)")
        }
    }
}
