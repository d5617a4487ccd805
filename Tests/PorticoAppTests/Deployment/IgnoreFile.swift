/// What `.dockerignore` keeps out of the image's context: of patterns that match, the last one decides.
struct IgnoreFile {
    private let patterns: [Substring]

    init(_ text: String) {
        patterns = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    /// Whether a path, relative to the repository, is kept out.
    func ignores(_ path: String) -> Bool {
        var isIgnored = false
        for pattern in patterns {
            let isException = pattern.hasPrefix("!")
            let name = isException ? pattern.dropFirst() : pattern
            if matches(path, name) { isIgnored = !isException }
        }
        return isIgnored
    }

    private func matches(_ path: String, _ pattern: Substring) -> Bool {
        if pattern == "*" { return true }
        if pattern.hasPrefix("**/") {
            return path.split(separator: "/").contains { $0 == pattern.dropFirst(3) }
        }
        return path == pattern || path.hasPrefix(pattern + "/")
    }
}
