package import Tracing

/// The position of a span in a trace (W3C Trace Context, level 1).
package struct TraceContext: Sendable, Hashable {
    /// The trace, which a client may have begun.
    package let traceID: TraceID
    /// The id of the span, never 0; calls that it makes have it as their parent.
    package let spanID: UInt64
    /// Whether the origin of the trace records it.
    package let isSampled: Bool
    /// The data of tracing systems, forwarded unchanged; nil if there is none.
    package let state: TraceState?

    /// 16 bytes, not all of them zero.
    package struct TraceID: Sendable, Hashable, CustomStringConvertible {
        let high: UInt64
        let low: UInt64

        /// 32 hexadecimal digits.
        package var description: String { high.sixteenDigits + low.sixteenDigits }
    }

    /// A trace that begins here.
    package static func root(isSampled: Bool) -> TraceContext {
        let id = TraceID(high: .random(in: 1...(.max)), low: .random(in: 0...(.max)))
        return TraceContext(traceID: id, spanID: .random(in: 1...(.max)), isSampled: isSampled, state: nil)
    }

    /// A span below this one.
    package var child: TraceContext {
        TraceContext(
            traceID: traceID, spanID: .random(in: 1...(.max)), isSampled: isSampled, state: state)
    }

    /// The `traceparent` header for calls of this span (section 3.2).
    package var traceparent: String {
        "00-\(traceID)-\(spanID.sixteenDigits)-\(isSampled ? "01" : "00")"
    }
}

extension TraceContext {
    /// Parses the headers of a client: `00-<32 digits>-<16 digits>-<2 digits>` in lower case; later versions
    /// may have more text.
    ///
    /// Nil if `traceparent` is malformed; a malformed `tracestate` alone is dropped (section 3.3).
    package init?(traceparent: String, tracestate: String?) {
        let parts = traceparent.trimmed.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = UInt8(hexadecimal: parts[0], digits: 2), version != 0xFF,
            version > 0 || parts.count == 4,
            let high = UInt64(hexadecimal: parts[1].prefix(16), digits: 16),
            let low = UInt64(hexadecimal: parts[1].dropFirst(16), digits: 16), high | low != 0,
            let span = UInt64(hexadecimal: parts[2], digits: 16), span != 0,
            let flags = UInt8(hexadecimal: parts[3], digits: 2)
        else { return nil }
        self.init(
            traceID: TraceID(high: high, low: low), spanID: span, isSampled: flags & 1 == 1,
            state: tracestate.flatMap(TraceState.init))
    }
}

extension ServiceContext {
    private enum TraceKey: ServiceContextKey {
        typealias Value = TraceContext
    }

    /// The trace context; nil without a trace.
    package var trace: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }
}

extension FixedWidthInteger {
    /// Parses exactly this number of digits in lower case; nil for any other text.
    fileprivate init?(hexadecimal text: Substring, digits: Int) {
        let isHexadecimal = text.utf8.allSatisfy { byte in
            byte &- UInt8(ascii: "0") < 10 || byte &- UInt8(ascii: "a") < 6
        }
        guard text.utf8.count == digits, isHexadecimal else { return nil }
        self.init(text, radix: 16)
    }
}

extension UInt64 {
    /// In hexadecimal digits, with zeros before it.
    package var sixteenDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The `tracestate` field (W3C Trace Context, section 3.3): members of tracing systems, `key=value` with commas between.
///
/// It is handed on as it came, or not at all.
package struct TraceState: Sendable, Hashable {
    package let text: String

    /// Returns nil if the text is malformed, empty, or has more than 32 members or 512 characters, the
    /// minimum that must be propagated.
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
