/// The `tracestate` field (W3C Trace Context, section 3.3): members of tracing systems, `key=value` with commas between.
///
/// It is handed on as it came, or not at all.
package struct TraceState: Sendable, Hashable {
    package let text: String

    /// Nil where it is malformed, empty, of more than 32 members or longer than 512 characters, which is as much as anybody
    /// has to hand on.
    init?(_ text: String) {
        guard text.utf8.count <= 512 else { return nil }
        let members = text.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
        guard (1...32).contains(members.count), members.allSatisfy(TraceState.isMember),
            Set(members.map { $0.prefix { $0 != "=" } }).count == members.count
        else { return nil }
        self.text = members.joined(separator: ",")
    }

    private static func isMember(_ text: Substring) -> Bool {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let (key, value) = (parts[0].utf8, parts[1].utf8)
        // A tenant's key has an @ in it.
        guard let first = key.first, isLetterOrDigit(first), key.count <= 256,
            key.allSatisfy({ isLetterOrDigit($0) || "_-*/@".utf8.contains($0) })
        else { return false }
        return (1...256).contains(value.count) && value.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
    }
}
