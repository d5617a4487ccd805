/// A name that a user signs in with.
///
/// It is ASCII, so that no two names look alike; names that differ in the case of letters only are the same name.
package struct Username: Sendable {
    package let text: String
    /// As names are compared: the letters in lower case, which for ASCII is all the normalisation there is.
    let key: String

    package static let lengths = 3...64

    /// - Throws: `Refusal` for a text that is no name.
    package init(_ text: String) throws(Refusal) {
        guard let wrong = text.first(where: { !Self.isAllowed($0) }) else {
            guard Self.lengths.contains(text.count) else { throw .length(text.count) }
            guard text.first?.isLetter == true || text.first?.isNumber == true else { throw .beginning }
            self.text = text
            key = text.lowercased()
            return
        }
        throw .character(wrong)
    }

    private static func isAllowed(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-@+".contains(character))
    }

    /// Why a text is no name.
    package enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case character(Character)
        case length(Int)
        case beginning

        package var description: String {
            switch self {
            case .character(let character):
                "A username has letters A to Z, digits, and . _ - @ +; \"\(character)\" is none of them."
            case .length(let length):
                """
                A username has \(Username.lengths.lowerBound) to \(Username.lengths.upperBound) characters; this one has \
                \(length).
                """
            case .beginning: "A username begins with a letter or a digit."
            }
        }
    }
}
