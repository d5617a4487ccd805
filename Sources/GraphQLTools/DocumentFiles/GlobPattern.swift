import Foundation

/// A pattern of paths, as in `graphql.config`: `*` and `?` within a name, `**` for any folders, `{a,b}` for
/// alternatives, `[abc]` for one character.
struct GlobPattern {
    /// The names of each alternative.
    private let alternatives: [[String]]
    /// The folder that contains all matching paths: the names before the first one with a special character.
    let root: String

    /// Creates a pattern; `./` at its begin has no meaning.
    init(_ text: String) {
        let pattern = text.hasPrefix("./") ? String(text.dropFirst(2)) : text
        alternatives = GlobPattern.expanding(pattern).map { $0.split(separator: "/").map(String.init) }
        let names = pattern.split(separator: "/", omittingEmptySubsequences: false)
        let fixed = names.prefix { name in !name.contains { "*?[{".contains($0) } }
        root = fixed.count == names.count ? "" : fixed.joined(separator: "/")
    }

    /// True if the text has a character with a meaning in patterns.
    static func isPattern(_ text: String) -> Bool { text.contains { "*?[{".contains($0) } }

    /// Returns true if the pattern matches the path.
    func matches(_ path: String) -> Bool {
        let names = path.split(separator: "/").map(String.init)
        return alternatives.contains { GlobPattern.matches(names[...], $0[...]) }
    }

    private static func matches(_ names: ArraySlice<String>, _ pattern: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return names.isEmpty }
        if first == "**" {
            let rest = pattern.dropFirst()
            return (names.startIndex...names.endIndex).contains { matches(names[$0...], rest) }
        }
        // SAFETY: fnmatch reads both strings up to their ends, which Swift adds for the duration of the call.
        guard let name = names.first, unsafe fnmatch(first, name, 0) == 0 else { return false }
        return matches(names.dropFirst(), pattern.dropFirst())
    }

    /// Returns the alternatives of `{a,b}`, which may be nested.
    private static func expanding(_ text: String) -> [String] {
        guard let open = text.firstIndex(of: "{") else { return [text] }
        var depth = 0
        var parts = [""]
        for index in text[open...].indices {
            switch text[index] {
            case "{" where depth == 0: depth = 1
            case "}" where depth == 1:
                let (before, after) = (text[..<open], text[text.index(after: index)...])
                // The number of alternatives doubles with each pair of braces.
                return parts.flatMap { expanding(before + $0 + after) }
            case "," where depth == 1: parts.append("")
            default:
                if text[index] == "{" { depth += 1 }
                if text[index] == "}" { depth -= 1 }
                parts[parts.count - 1].append(text[index])
            }
        }
        return [text.replacing("{", with: "[{]")]
    }
}
