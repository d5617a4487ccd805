/// The codings that a client accepts (RFC 9110, section 12.5.3).
enum AcceptEncoding {
    /// Whether gzip is accepted, and liked no less than the body as it is.
    static func prefersGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var gzip: Int?
        var identity: Int?
        var others: Int?
        for member in field.listMembers {
            let parts = member.split(separator: ";").map(\.trimmed)
            guard let name = parts.first, let quality = quality(parts.dropFirst()) else { continue }
            if name.matches("gzip") || name.matches("x-gzip") {
                gzip = quality
            } else if name.matches("identity") {
                identity = quality
            } else if name == "*" {
                others = quality
            }
        }
        let liking = gzip ?? others ?? 0
        return liking > 0 && liking >= identity ?? 0
    }

    /// The weight among the parameters of a member; nil where it is none.
    private static func quality(_ parameters: some Sequence<Substring.SubSequence>) -> Int? {
        for parameter in parameters {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0].trimmed.matches("q") {
                return QualityValue.thousandths(pair[1].trimmed)
            }
        }
        return 1000
    }
}
