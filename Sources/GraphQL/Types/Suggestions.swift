/// Suggestions of names similar to an unknown name, with the algorithm of the reference implementation.
package enum Suggestions {
    /// The maximum number of names in one message.
    private static let limit = 5

    /// Returns ` Did you mean "a", "b", or "c"?` with the names in `options` that mean the same as `input` or resemble it;
    /// empty if there are none.
    package static func didYouMean(
        _ input: String, among options: some Sequence<String>, _ synonyms: Synonyms = [:]
    ) -> String {
        didYouMean(names(for: input, among: options, synonyms))
    }

    /// Returns the options that mean the same as `input`, and then those that resemble it.
    static func names(
        for input: String, among options: some Sequence<String>, _ synonyms: Synonyms
    ) -> [String] {
        let same = synonyms.names(for: input, among: options)
        return same + resembling(input, among: options).filter { !same.contains($0) }
    }

    /// Returns ` Did you mean the enum value "a" or "b"?`, with `noun` before the names; empty if there are
    /// no names.
    static func didYouMean(_ names: [String], _ noun: String? = nil) -> String {
        if names.isEmpty { return "" }
        let quoted = names.prefix(limit).map { "\"\($0)\"" }
        return " Did you mean " + (noun.map { $0 + " " } ?? "") + list(quoted, conjunction: "or") + "?"
    }

    /// Returns a list such as `a, b, and c`.
    package static func list(_ items: [String], conjunction: String) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        if items.count == 2 { return "\(items[0]) \(conjunction) \(last)" }
        return items.dropLast().joined(separator: ", ") + ", \(conjunction) \(last)"
    }

    /// Returns the options within a number of edits of `input`, about two per five letters without one, closest first, then in
    /// natural order.
    package static func resembling(
        _ input: String, among options: some Sequence<String>, atMost edits: Int? = nil
    ) -> [String] {
        var distance = EditDistance(from: input)
        let threshold = edits ?? input.utf16.count * 2 / 5 + 1
        var seen: Set<String> = []
        var found: [(name: String, distance: Int)] = []
        for option in options where seen.insert(option).inserted {
            if let edits = distance.measure(to: option, atMost: threshold) { found.append((option, edits)) }
        }
        found.sort { one, other in
            one.distance == other.distance
                ? NaturalOrder.precedes(one.name, other.name) : one.distance < other.distance
        }
        return found.map(\.name)
    }
}

/// The Damerau–Levenshtein distance from one word to many; a change of case counts as one edit.
private struct EditDistance {
    private let input: String
    private let lowercased: [UInt16]
    /// The last three rows of the table, stored one after the other and reused cyclically.
    private var rows: [Int] = []

    init(from input: String) {
        self.input = input
        lowercased = EditDistance.lowercased(input)
    }

    /// Returns the number of edits; nil if it is above `threshold`.
    mutating func measure(to option: String, atMost threshold: Int) -> Int? {
        if input == option { return 0 }
        var long = EditDistance.lowercased(option)
        if long == lowercased { return 1 }
        var short = lowercased
        if long.count < short.count { swap(&long, &short) }
        if long.count - short.count > threshold { return nil }
        let width = short.count + 1
        rows = (0..<(3 * width)).map { $0 % width }
        for index in long.indices where fillRow(index, long, short) > threshold { return nil }
        let edits = rows[(long.count % 3 + 1) * width - 1]
        return edits <= threshold ? edits : nil
    }

    /// Fills the row after the letter at `index` of the longer word; returns the row's smallest cell.
    private mutating func fillRow(_ index: Int, _ long: [UInt16], _ short: [UInt16]) -> Int {
        let width = short.count + 1
        let row = (index + 1) % 3 * width
        let above = index % 3 * width
        let twoAbove = (index + 2) % 3 * width
        rows[row] = index + 1
        var smallest = index + 1
        for column in short.indices {
            let substituted = rows[above + column] + (long[index] == short[column] ? 0 : 1)
            var cell = min(rows[above + column + 1] + 1, rows[row + column] + 1, substituted)
            let isSwap =
                index > 0 && column > 0 && long[index] == short[column - 1]
                && long[index - 1] == short[column]
            if isSwap { cell = min(cell, rows[twoAbove + column - 1] + 1) }
            rows[row + column + 1] = cell
            smallest = min(smallest, cell)
        }
        return smallest
    }

    private static func lowercased(_ text: String) -> [UInt16] {
        // Fast path: names are ASCII.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return Array(text.lowercased().utf16) }
        return text.utf8.map { UInt16((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) }
    }
}

/// The natural order of names with numbers: `field2` before `field10`.
package enum NaturalOrder {
    package static func precedes(_ one: String, _ other: String) -> Bool {
        var rest = one.utf16[...]
        var otherRest = other.utf16[...]
        while let unit = rest.first, let otherUnit = otherRest.first {
            if isDigit(unit), isDigit(otherUnit) {
                let digits = consumeNumber(from: &rest)
                let otherDigits = consumeNumber(from: &otherRest)
                if digits.count != otherDigits.count { return digits.count < otherDigits.count }
                if !digits.elementsEqual(otherDigits) { return digits.lexicographicallyPrecedes(otherDigits) }
            } else {
                if unit != otherUnit { return unit < otherUnit }
                rest.removeFirst()
                otherRest.removeFirst()
            }
        }
        return rest.count < otherRest.count
    }

    private static func isDigit(_ unit: UInt16) -> Bool { (48...57).contains(unit) }

    /// Removes and returns the digits of a number; a leading zero is a separate number, as in the reference
    /// implementation.
    private static func consumeNumber(from rest: inout Substring.UTF16View) -> Substring.UTF16View {
        let digits = rest.first == 48 ? rest.prefix(1) : rest.prefix(while: isDigit)
        rest.removeFirst(digits.count)
        return digits
    }
}
