import Brokerage

extension SandboxRequest {
    /// A whole number of the query; throws where it is none or outside of the range.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(FakeAlpacaError) -> Int? {
        guard let text = self[query: name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badRequest("invalid \(name): must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// One of a few words of the query, or several with commas between them; throws for any other.
    func choice(_ name: String, of words: [String], isList: Bool = false) throws(FakeAlpacaError) -> String? {
        guard let text = self[query: name] else { return nil }
        let parts = isList ? text.split(separator: ",").map(String.init) : [text]
        guard !parts.isEmpty, parts.allSatisfy(words.contains) else {
            throw .badRequest("invalid \(name): \(text)")
        }
        return text
    }

    /// A time of the query in seconds: RFC 3339, or a date, which is midnight UTC, as an end the last second of
    /// that day.
    func timestamp(_ name: String, isEnd: Bool) throws(FakeAlpacaError) -> Int? {
        guard let text = self[query: name] else { return nil }
        if let date = CalendarDate(text) { return date.daysSince1970 * 86_400 + (isEnd ? 86_399 : 0) }
        guard let instant = Instant(text) else { throw .badRequest("invalid \(name): \(text)") }
        // What begins inside a second begins after it.
        let isLater = !isEnd && instant.nanoseconds > 0
        return Int(instant.secondsSince1970) + (isLater ? 1 : 0)
    }

    /// `true` or `false`; false where it is not given.
    func flag(_ name: String) throws(FakeAlpacaError) -> Bool {
        try choice(name, of: ["true", "false"]) == "true"
    }
}
