extension CalendarDate: CustomStringConvertible {
    /// `2026-11-20`.
    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the ten bytes of ``description``.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 10) { (output: inout OutputSpan<UInt8>) in
            output.appendDate(self)
        }
    }

    /// Reads `2026-11-20`, the full-date of RFC 3339, section 5.6; nil for anything else or no such day.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let date: CalendarDate? = text.withUTF8 { bytes in CalendarDate(utf8: unsafe bytes.span) }
        guard let date else { return nil }
        self = date
    }

    /// Reads the whole of `bytes`, as ``init(_:)`` does.
    package init?(utf8 bytes: Span<UInt8>) {
        guard bytes.count == 10, let date = try? RFC3339.date(bytes) else { return nil }
        self = date
    }
}
