import NIOCore

/// Decodes a body in chunks (RFC 9112, section 7.1).
///
/// Chunk extensions and trailers are checked and discarded; together they count against the limit of a
/// head's fields.
struct ChunkedDecoder {
    private var state = Place.size
    /// The length of extensions and trailers so far.
    private var padding = 0
    private var trailers = 0

    private enum Place {
        /// In the line with the length of a chunk.
        case size
        /// In a chunk, with the number of remaining bytes.
        case data(left: Int)
        /// At the end of line behind a chunk.
        case dataEnd
        /// Behind the last chunk.
        case trailer
    }

    /// The next part of the body.
    enum Step {
        case more
        case data(ByteBuffer)
        case end
    }

    /// The maximum number of digits of a size, so that no integer overflows.
    private static let maximumSizeDigits = 15

    mutating func next(in bytes: inout ByteBuffer, _ limits: ServerLimits) throws(HTTPError) -> Step {
        while true {
            switch state {
            case .size:
                guard let length = try lineLength(in: bytes, limits) else { return .more }
                let size = try readSize(bytes.readableBytesUInt8Span.extracting(first: length - 2), limits)
                bytes.moveReaderIndex(forwardBy: length)
                state = size == 0 ? .trailer : .data(left: size)
            case .data(let left):
                let length = min(left, bytes.readableBytes)
                guard length > 0, let data = bytes.readSlice(length: length) else { return .more }
                state = length == left ? .dataEnd : .data(left: left - length)
                return .data(data)
            case .dataEnd:
                guard try skipLineEnd(in: &bytes) else { return .more }
                state = .size
            case .trailer:
                guard let length = try lineLength(in: bytes, limits) else { return .more }
                if length > 2 { try readTrailer(bytes.readableBytesUInt8Span, length, limits) }
                bytes.moveReaderIndex(forwardBy: length)
                if length == 2 { return .end }
            }
        }
    }

    /// The length of the line that comes next, its CR LF included; nil where more must arrive.
    private func lineLength(in bytes: ByteBuffer, _ limits: ServerLimits) throws(HTTPError) -> Int? {
        let span = bytes.readableBytesUInt8Span
        var index = 0
        while index < span.count, span[index] != .lineFeed { index += 1 }
        guard index <= limits.headers - padding + ChunkedDecoder.maximumSizeDigits + 1 else {
            throw .malformed(.padding(limit: limits.headers))
        }
        guard index < span.count else { return nil }
        guard index > 0, span[index - 1] == .carriageReturn else {
            throw .malformed(.syntax("a line does not end with CR LF"))
        }
        return index + 1
    }

    private mutating func readSize(_ line: Span<UInt8>, _ limits: ServerLimits) throws(HTTPError) -> Int {
        var size = 0
        var index = 0
        while index < line.count, line[index] != UInt8(ascii: ";") {
            guard let digit = line[index].hexadecimalValue, index < ChunkedDecoder.maximumSizeDigits else {
                throw .malformed(.syntax("a chunk's size is no hexadecimal number"))
            }
            size = size << 4 | digit
            index += 1
        }
        guard index > 0 else { throw .malformed(.syntax("a chunk's size is no hexadecimal number")) }
        try add(line.count - index, limits)
        while index < line.count {
            guard line[index].isValueCharacter else {
                throw .malformed(.syntax("an extension of a chunk has a character that it may not have"))
            }
            index += 1
        }
        return size
    }

    private mutating func readTrailer(
        _ bytes: Span<UInt8>, _ length: Int, _ limits: ServerLimits
    ) throws(HTTPError) {
        trailers += 1
        guard trailers <= limits.headerFields else { throw .tooManyFields(limit: limits.headerFields) }
        try add(length, limits)
        _ = try HeaderLine(in: bytes.extracting(first: length), at: 0)
    }

    private mutating func add(_ length: Int, _ limits: ServerLimits) throws(HTTPError) {
        padding += length
        guard padding <= limits.headers else { throw .malformed(.padding(limit: limits.headers)) }
    }

    /// Returns false if the line end has not arrived yet.
    private func skipLineEnd(in bytes: inout ByteBuffer) throws(HTTPError) -> Bool {
        guard let first = bytes.readableBytesView.first else { return false }
        let isWrong =
            first != .carriageReturn
            || bytes.readableBytes > 1 && bytes.readableBytesUInt8Span[1] != .lineFeed
        guard !isWrong else { throw .malformed(.syntax("a chunk does not end where its size says")) }
        guard bytes.readableBytes > 1 else { return false }
        bytes.moveReaderIndex(forwardBy: 2)
        return true
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in upper or lower case; nil for any other byte.
    fileprivate var hexadecimalValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
