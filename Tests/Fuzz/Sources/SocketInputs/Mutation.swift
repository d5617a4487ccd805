import TestSupport

extension SplitMix {
    /// Returns a number in `0 ..< bound`; 0 for a bound of 0.
    mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<max(bound, 1), using: &self)
    }

    /// Returns one of some elements, of which there must be at least one.
    mutating func element<Element>(of list: [Element]) -> Element {
        list[number(below: list.count)]
    }

    mutating func chance(oneIn chances: Int) -> Bool { number(below: chances) == 0 }

    /// Changes some bytes: removes, duplicates, overwrites, inserts tokens that are difficult for parsers.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to change.
    ///   - tokens: The tokens to insert.
    mutating func mutate(_ bytes: inout [UInt8], with tokens: [[UInt8]]) {
        let position = number(below: bytes.count + 1)
        let end = min(bytes.count, position + number(below: 16))
        switch number(below: 7) {
        case 0: bytes.insert(contentsOf: element(of: tokens), at: position)
        case 1: bytes.removeSubrange(position..<end)
        case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
        case 3: bytes.removeSubrange(position...)
        case 4: bytes.replaceSubrange(position..<end, with: element(of: tokens))
        case 5 where position < bytes.count: bytes[position] ^= 1 << UInt8(number(below: 8))
        default:
            if position < bytes.count { bytes[position] = UInt8(truncatingIfNeeded: next()) }
        }
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
