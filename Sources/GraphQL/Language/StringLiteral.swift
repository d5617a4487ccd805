/// Strings in quotes (specification, section 2.9.4).
public enum StringLiteral {
    /// A text in double quotes, with escapes for what may not stand there and for control characters.
    public static func quoted(_ text: String) -> String {
        var literal = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if let escape = escape(for: scalar) {
                literal.append(contentsOf: escape.unicodeScalars)
            } else {
                literal.append(scalar)
            }
        }
        literal.append("\"")
        return String(literal)
    }

    private static func escape(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": return #"\""#
        case "\\": return #"\\"#
        case "\u{8}": return #"\b"#
        case "\t": return #"\t"#
        case "\n": return #"\n"#
        case "\u{C}": return #"\f"#
        case "\r": return #"\r"#
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: return nil
        }
    }
}
