import NIOCore

/// Looks for the end of a request's head as it arrives, and never at the same byte twice.
///
/// Each line must end with CR LF: RFC 9112, section 2.2, lets a reader take LF alone for it, and then two readers may
/// see different lines.
struct HeaderEndScanner {
    /// The number of bytes that are known to contain no end of the head.
    private var searched = 0
    /// The start of the current line.
    private var lineStart = 0
    /// The start of the fields, once the request line has ended.
    private var fieldsStart: Int?
    /// Whether the empty line that is allowed before a request was skipped.
    private var hasSkippedEmptyLine = false

    /// Returns the length of the head, with the empty line that ends it; nil if more bytes are needed.
    ///
    /// - Throws: A defect that is visible already, so that the server does not wait for the end of a
    ///   malformed or too long head.
    mutating func find(in bytes: inout ByteBuffer, _ limits: ServerLimits) throws(HTTPError) -> Int? {
        if searched == 0 {
            skipEmptyLine(in: &bytes)
            guard try begins(bytes) else { return nil }
        }
        return try search(bytes.readableBytesUInt8Span, limits)
    }

    /// RFC 9112, section 2.2: some clients send an empty line behind a body.
    private mutating func skipEmptyLine(in bytes: inout ByteBuffer) {
        guard !hasSkippedEmptyLine, HeaderEndScanner.beginsWithEmptyLine(bytes.readableBytesUInt8Span) else {
            return
        }
        hasSkippedEmptyLine = true
        bytes.moveReaderIndex(forwardBy: 2)
    }

    private static func beginsWithEmptyLine(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 1 && bytes[0] == .carriageReturn && bytes[1] == .lineFeed
    }

    /// Whether there is a first byte; it is a method's, or may be of an empty line.
    private func begins(_ bytes: ByteBuffer) throws(HTTPError) -> Bool {
        guard bytes.readableBytes > 0 else { return false }
        let first = bytes.readableBytesUInt8Span[0]
        if first == .carriageReturn, bytes.readableBytes == 1, !hasSkippedEmptyLine { return false }
        guard first &- UInt8(ascii: "A") < 26 else { throw .malformed(.syntax("the method is unknown")) }
        return true
    }

    /// The result is independent of how many bytes arrive at a time.
    private mutating func search(_ bytes: Span<UInt8>, _ limits: ServerLimits) throws(HTTPError) -> Int? {
        var next = searched
        defer { searched = next }
        while true {
            let bound = self.bound(limits)
            next = HeaderEndScanner.lineFeed(in: bytes, next..<max(next, min(bytes.count, bound)))
            guard next < bytes.count else { return nil }
            guard next < bound else { throw tooLong(limits) }
            let start = lineStart
            guard next > start, bytes[next - 1] == .carriageReturn else {
                throw .malformed(.syntax("a line does not end with CR LF"))
            }
            next += 1
            if next == start + 2, fieldsStart != nil { return next }
            lineStart = next
            if fieldsStart == nil { fieldsStart = next }
        }
    }

    /// The index of the first line feed; the end of the range if there is none.
    private static func lineFeed(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        for index in range where bytes[index] == .lineFeed { return index }
        return range.upperBound
    }

    /// The limit for the end of the current part of the head; the empty line is not a field.
    private func bound(_ limits: ServerLimits) -> Int {
        fieldsStart.map { $0 + limits.headers + 2 } ?? limits.uri + RequestLine.maximumLengthWithoutTarget
    }

    private func tooLong(_ limits: ServerLimits) -> HTTPError {
        fieldsStart == nil ? .uriTooLong(limit: limits.uri) : .headersTooLarge(limit: limits.headers)
    }
}

extension UInt8 {
    static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    static var lineFeed: UInt8 { UInt8(ascii: "\n") }
}
