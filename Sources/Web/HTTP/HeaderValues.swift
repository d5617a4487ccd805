extension StringProtocol {
    /// Without spaces and tabs around it.
    var trimmed: SubSequence {
        let end = lastIndex { $0 != " " && $0 != "\t" }
        guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }), let end else {
            return self[endIndex...]
        }
        return self[start...end]
    }

    /// The members of a comma-separated list.
    var listMembers: some Sequence<SubSequence.SubSequence> {
        split(separator: ",").lazy.map(\.trimmed)
    }
}

/// The quality value of a media type or coding (RFC 9110, section 12.4.2).
enum QualityValue {
    /// `0.85` is 850; nil for a text that is not a quality value.
    static func thousandths(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == "0" || parts[0] == "1" else { return nil }
        let decimals = parts.count > 1 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
            return nil
        }
        let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0
        let quality = (parts[0] == "1" ? 1000 : 0) + thousandths
        return quality <= 1000 ? quality : nil
    }
}

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
