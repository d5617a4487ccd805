package import Brokerage

/// A user.
package struct User: Hashable, Sendable {
    package let id: OwnerID
    package let kind: Kind
    package let isAdmin: Bool
    package let createdAt: Instant

    package init(id: OwnerID, kind: Kind, isAdmin: Bool, createdAt: Instant) {
        self.id = id
        self.kind = kind
        self.isAdmin = isAdmin
        self.createdAt = createdAt
    }

    package enum Kind: Hashable, Sendable {
        /// Named by the settings: the owner of the server's broker keys, or the sandbox's demo user.
        case configured
        /// A user without a name, deleted with the last session.
        case guest
        case named(String)
    }

    /// Nil for a guest, and for one whom the settings name.
    package var username: String? {
        switch kind {
        case .configured, .guest: nil
        case .named(let name): name
        }
    }
}

extension User {
    init(_ row: SQLRow) throws {
        let name: String? = try row["username"]
        let kind: Kind? =
            switch try (row["kind"] as String, name) {
            case ("CONFIGURED", nil): .configured
            case ("GUEST", nil): .guest
            case ("NAMED", let name?): .named(name)
            default: nil
            }
        guard let id = try OwnerID(row["id"]), let kind, let createdAt = try row.instant("created_at")
        else { throw CorruptedRow() }
        self.init(id: id, kind: kind, isAdmin: try row["is_admin"], createdAt: createdAt)
    }
}

/// A name that a user signs in with.
///
/// It is ASCII, so that no two names look alike; names that differ in the case of letters only are the same name.
package struct Username: Sendable {
    package let text: String
    /// As names are compared: the letters in lower case, which for ASCII is all the normalisation there is.
    package let key: String

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

    /// The reason why a text is not a valid name.
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
