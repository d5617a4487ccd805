/// Words that clients use for words of a schema, for suggestions about unknown names.
///
/// A word is a part of a name in camel case or with underscores: `cancelledAt` has the words `cancelled` and `at`. Without
/// synonyms, only names with a similar spelling are suggested.
public struct Synonyms: Sendable, ExpressibleByDictionaryLiteral {
    /// The schema's words for each word, or for the whole name, in lower case without separators.
    private let words: [String: [String]]

    /// - Parameter elements: Words or whole names, such as `timestamp` or `addgoal`, with the words or names of the schema,
    ///   all in lower case and without separators.
    public init(dictionaryLiteral elements: (String, [String])...) {
        words = Dictionary(elements, uniquingKeysWith: +)
    }

    /// The words and names of the schema in the table.
    package var meanings: Set<String> { Set(words.values.joined()) }

    /// The most bytes of a name that is compared.
    private static let longestName = 64

    /// Returns the options that mean the same as a name, in their own order.
    func names(for name: String, among options: some Sequence<String>) -> [String] {
        guard !words.isEmpty, name.utf8.count <= Self.longestName else { return [] }
        let parts = Self.words(of: name)
        var meanings = Set(words[parts.joined()] ?? [])
        for (index, part) in parts.enumerated() {
            for word in words[part] ?? [] {
                meanings.insert((parts[..<index] + [word] + parts[(index + 1)...]).joined())
            }
        }
        return meanings.isEmpty
            ? [] : options.filter { meanings.contains(Self.words(of: $0).joined()) }
    }

    /// The words of a name, in lower case.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var isAfterLowercase = false
        for character in name.unicodeScalars {
            let isUppercase = ("A"..."Z").contains(character)
            if character == "_" || words.isEmpty || (isUppercase && isAfterLowercase) { words.append("") }
            isAfterLowercase = !isUppercase && character != "_"
            if character != "_" { words[words.count - 1].unicodeScalars.append(character) }
        }
        return words.map { $0.lowercased() }.filter { !$0.isEmpty }
    }
}
