/// The media type of a request's body.
enum MediaType {
    /// Whether it is `application/json` in UTF-8, which it is when it names no character set.
    static func isJSON(_ text: String) -> Bool {
        if text.matches("application/json") { return true }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
        guard parts[0].matches("application/json") else { return false }
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0].matches("charset"), !isUTF8(pair[1]) { return false }
        }
        return true
    }

    /// Whether the value of a charset parameter, in quotes or not, is UTF-8.
    static func isUTF8(_ charset: some StringProtocol) -> Bool {
        charset.matches("utf-8") || charset.matches("\"utf-8\"") || charset.matches("utf8")
    }
}
