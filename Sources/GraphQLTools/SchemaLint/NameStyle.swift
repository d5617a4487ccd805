import GraphQL

/// The case style of a name.
enum NameStyle: String {
    case upperCamel = "UpperCamelCase"
    case lowerCamel = "lowerCamelCase"
    case upperSnake = "UPPER_CASE"

    /// Returns true if a name has this style; digits and acronyms may occur anywhere after the first letter.
    func fits(_ name: String) -> Bool {
        let letters = name.utf8
        guard let first = letters.first else { return false }
        switch self {
        case .upperCamel: return first.isUppercase && letters.allSatisfy(\.isLetterOrDigit)
        case .lowerCamel: return first.isLowercase && letters.allSatisfy(\.isLetterOrDigit)
        case .upperSnake: return first.isUppercase && !letters.contains(where: \.isLowercase)
        }
    }

    /// Returns the name in this style; nil if it has no first letter.
    func rewritten(_ name: String) -> String? {
        let words = NameStyle.words(of: name)
        let text =
            switch self {
            case .upperCamel: words.map(\.capitalizedFirst).joined()
            case .lowerCamel: (words.prefix(1) + words.dropFirst().map(\.capitalizedFirst)).joined()
            case .upperSnake: words.map { $0.uppercased() }.joined(separator: "_")
            }
        return fits(text) ? text : nil
    }

    /// Returns the words of a name in lower case: they end at an underscore, and before a capital after a
    /// small letter.
    private static func words(of name: String) -> [String] {
        var words = [""]
        var previous: UInt8?
        for letter in name.utf8 {
            let startsWord = letter.isUppercase && previous?.isUppercase == false
            if letter == UInt8(ascii: "_") || startsWord { words.append("") }
            if letter != UInt8(ascii: "_") {
                words[words.count - 1].unicodeScalars.append(Unicode.Scalar(letter))
            }
            previous = letter
        }
        return words.filter { !$0.isEmpty }.map { $0.lowercased() }
    }
}

extension SchemaElement.Kind {
    /// The conventional style of such names.
    var nameStyle: NameStyle {
        switch self {
        case .type: .upperCamel
        case .field, .argument, .inputField, .directive: .lowerCamel
        case .enumValue: .upperSnake
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension UInt8 {
    fileprivate var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isLetterOrDigit: Bool {
        isUppercase || isLowercase || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
