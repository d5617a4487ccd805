extension JSONReader {
    /// Reads a string from its opening quote.
    mutating func string(in bytes: Span<UInt8>) throws(JSONFailure) -> String {
        let start = offset + 1
        let end = JSONReader.endOfPlainText(from: start, in: bytes)
        guard byte(at: end, in: bytes) == UInt8(ascii: "\"") else {
            return try stringWithEscapes(from: start, firstAt: end, in: bytes)
        }
        let text = try JSONReader.text(bytes.extracting(start..<end), at: start)
        move(to: end + 1)
        return text
    }

    /// Reads the rest of a string from `special`, the first byte that is neither plain text nor the closing
    /// quote.
    private mutating func stringWithEscapes(
        from start: Int, firstAt special: Int, in bytes: Span<UInt8>
    ) throws(JSONFailure) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(min(bytes.count - start, 4_096))
        var runStart = start
        var runEnd = special
        while true {
            let run = bytes.extracting(runStart..<runEnd)
            try JSONReader.validate(run, at: runStart)
            unsafe run.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
            move(to: runEnd)
            switch byte(at: runEnd, in: bytes) {
            case UInt8(ascii: "\""):
                move(to: runEnd + 1)
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape(in: bytes).utf8)
            case .some(let control):
                throw JSONFailure(reason: .controlCharacter(control), offset: runEnd)
            case nil: throw unexpected(.closingQuote, in: bytes)
            }
            runStart = offset
            runEnd = JSONReader.endOfPlainText(from: runStart, in: bytes)
        }
    }

    /// Reads the escape sequence at the current position and returns its character.
    private mutating func escape(in bytes: Span<UInt8>) throws(JSONFailure) -> Unicode.Scalar {
        let start = offset
        guard let kind = byte(at: start + 1, in: bytes) else {
            move(to: start + 1)
            throw unexpected(.closingQuote, in: bytes)
        }
        move(to: start + 2)
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start, in: bytes)
        default: throw JSONFailure(reason: .invalidEscape, offset: start)
        }
    }

    /// Reads the digits after `\u`, including both halves of a surrogate pair.
    private mutating func unicodeEscape(from start: Int, in bytes: Span<UInt8>) throws(JSONFailure)
        -> Unicode.Scalar
    {
        let first = try hexadecimal(ofEscapeAt: start, in: bytes)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let isPairAhead =
            UTF16.isLeadSurrogate(first) && byte(at: offset, in: bytes) == UInt8(ascii: "\\")
            && byte(at: offset + 1, in: bytes) == UInt8(ascii: "u")
        guard isPairAhead else { throw JSONFailure(reason: .loneSurrogate, offset: start) }
        let secondStart = offset
        move(to: secondStart + 2)
        let second = try hexadecimal(ofEscapeAt: secondStart, in: bytes)
        guard UTF16.isTrailSurrogate(second) else { throw JSONFailure(reason: .loneSurrogate, offset: start) }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func hexadecimal(ofEscapeAt start: Int, in bytes: Span<UInt8>) throws(JSONFailure)
        -> UInt16
    {
        var code: UInt16 = 0
        for position in offset..<offset + 4 {
            guard
                let digit = byte(at: position, in: bytes).flatMap({
                    Character(Unicode.Scalar($0)).hexDigitValue
                })
            else { throw JSONFailure(reason: .invalidEscape, offset: start) }
            code = code << 4 | UInt16(digit)
        }
        move(to: offset + 4)
        return code
    }

    private static func text(_ bytes: Span<UInt8>, at offset: Int) throws(JSONFailure) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw JSONFailure(error, at: offset)
        }
    }

    private static func validate(_ bytes: Span<UInt8>, at offset: Int) throws(JSONFailure) {
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw JSONFailure(error, at: offset)
        }
    }

    /// Returns the offset of the first quote, backslash or control character, or the end of the text.
    ///
    /// Reads eight bytes at a time.
    private static func endOfPlainText(from start: Int, in bytes: Span<UInt8>) -> Int {
        var position = start
        while bytes.count - position >= 8 {
            // In bounds: the condition above leaves eight bytes.
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let special = bytesToEscape(in: UInt64(littleEndian: word))
            if special != 0 { return position + special.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            position += 1
        }
        return position
    }
}

extension JSONFailure {
    /// Creates an error for invalid UTF-8 in a range of bytes that begins at an offset.
    fileprivate init(_ error: UTF8.ValidationError, at offset: Int) {
        self.init(reason: .invalidUTF8, offset: offset + error.byteOffsets.lowerBound)
    }
}
