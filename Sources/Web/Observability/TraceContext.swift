/// Where a request stands in a trace that spans services (W3C Trace Context, level 1).
package struct TraceContext: Sendable, Hashable {
    /// The trace, which a client may have begun.
    package let traceID: TraceID
    /// The span of this request: what is called because of it names it as its parent.
    package let spanID: UInt64
    /// The client's span; nil where the trace begins here.
    package let parentID: UInt64?
    /// Whether the client records the trace.
    package let isSampled: Bool

    /// 16 bytes, not all of them zero.
    package struct TraceID: Sendable, Hashable, CustomStringConvertible {
        fileprivate let high: UInt64
        fileprivate let low: UInt64

        /// 32 hexadecimal digits.
        package var description: String { high.sixteenDigits + low.sixteenDigits }
    }

    /// Goes on with the trace of a `traceparent` field; begins one where there is none, or one that is malformed.
    init(traceparent: String?, of request: RequestID) {
        spanID = max(1, request.scattered(salt: 1))
        if let traceparent, let parent = Parent(traceparent) {
            traceID = parent.traceID
            parentID = parent.spanID
            isSampled = parent.isSampled
        } else {
            traceID = TraceID(high: max(1, request.scattered(salt: 2)), low: request.scattered(salt: 3))
            parentID = nil
            isSampled = false
        }
    }

    /// The `traceparent` field for what is called because of the request.
    package var traceparent: String {
        "00-\(traceID)-\(spanID.sixteenDigits)-\(isSampled ? "01" : "00")"
    }

    /// What a client says.
    private struct Parent {
        let traceID: TraceID
        let spanID: UInt64
        let isSampled: Bool

        /// `00-<32 digits>-<16 digits>-<2 digits>`, in small letters; later versions may have more behind it.
        init?(_ text: String) {
            let parts = text.trimmed.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count >= 4, let version = UInt8(hexadecimal: parts[0], digits: 2), version != 0xFF,
                version > 0 || parts.count == 4,
                let high = UInt64(hexadecimal: parts[1].prefix(16), digits: 16),
                let low = UInt64(hexadecimal: parts[1].dropFirst(16), digits: 16), high | low != 0,
                let span = UInt64(hexadecimal: parts[2], digits: 16), span != 0,
                let flags = UInt8(hexadecimal: parts[3], digits: 2)
            else { return nil }
            traceID = TraceID(high: high, low: low)
            spanID = span
            isSampled = flags & 1 == 1
        }
    }
}

extension FixedWidthInteger {
    /// Reads exactly so many digits, in small letters; nil for anything else.
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
    var sixteenDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
