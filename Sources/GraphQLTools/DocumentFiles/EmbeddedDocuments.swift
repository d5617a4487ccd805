import GraphQL

/// The GraphQL documents in a file of source code: template literals and strings with the tag `gql` or `graphql`, or
/// after the comment `/* GraphQL */`.
///
/// A document keeps the length of its file: all bytes around it are spaces, and line ends remain. A position in the
/// document is therefore a position in the file.
///
/// Interpolations become spaces, because clients add the documents of `${FRAGMENT}` to the request. The scanner knows
/// strings and comments, but not the grammar of the languages, so a tag inside of a template literal is found, too.
struct EmbeddedDocuments {
    /// The language of a file, by the end of its name.
    enum Language: String, CaseIterable {
        case javaScript, swift, kotlin

        init?(fileName: String) {
            switch fileName.split(separator: ".").last {
            case "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte": self = .javaScript
            case "swift": self = .swift
            case "kt", "kts": self = .kotlin
            default: return nil
            }
        }
    }

    private let bytes: [UInt8]
    private let language: Language
    private var position = 0
    private var documents: [[UInt8]] = []

    /// Returns the documents of a file in their order.
    static func documents(in bytes: [UInt8], language: Language) -> [[UInt8]] {
        var scanner = EmbeddedDocuments(bytes: bytes, language: language)
        scanner.scan()
        return scanner.documents
    }

    private init(bytes: [UInt8], language: Language) {
        self.bytes = bytes
        self.language = language
    }

    private mutating func scan() {
        while position < bytes.count {
            switch bytes[position] {
            case ascii("/"): skipSlash()
            case ascii("'"), ascii("\""): skipString()
            case let byte where isIdentifier(byte): scanIdentifier()
            default: position += 1
            }
        }
    }

    // MARK: - Tags and comments

    private mutating func scanIdentifier() {
        let start = position
        while position < bytes.count, isIdentifier(bytes[position]) { position += 1 }
        let name = bytes[start..<position]
        guard name.elementsEqual("gql".utf8) || name.elementsEqual("graphql".utf8) else { return }
        let end = position
        skipSpace()
        if skipTypeArguments() { skipSpace() }
        if peek == ascii("(") { position += 1 }
        skipSpace()
        if skipComment() == .graphQL { skipSpace() }
        if !scanLiteral() { position = end }
    }

    private mutating func skipSlash() {
        let start = position
        switch skipComment() {
        case .graphQL:
            let end = position
            skipSpace()
            if !scanLiteral() { position = end }
        case .other: break
        case nil: position = start + 1
        }
    }

    private enum Comment { case graphQL, other }

    /// Skips a comment; nil if there is none.
    private mutating func skipComment() -> Comment? {
        // In JSX, // is also part of an address in a text.
        if hasPrefix("//"), position == 0 || bytes[position - 1] != ascii(":") {
            while position < bytes.count, !isLineEnd(bytes[position]) { position += 1 }
            return .other
        }
        guard hasPrefix("/*"), let end = index(of: "*/", from: position + 2) else { return nil }
        let text = bytes[(position + 2)..<end].filter { !isSpace($0) }
        position = end + 2
        return text.elementsEqual("GraphQL".utf8) ? .graphQL : .other
    }

    /// Skips `<Type>` between a tag and its literal.
    private mutating func skipTypeArguments() -> Bool {
        guard peek == ascii("<") else { return false }
        var depth = 0
        for index in position..<bytes.count {
            switch bytes[index] {
            case ascii("<"): depth += 1
            case ascii(">"):
                depth -= 1
                if depth == 0 {
                    position = index + 1
                    return true
                }
            case ascii("`"), ascii(";"): return false
            default: break
            }
        }
        return false
    }

    /// Skips a string on one line.
    ///
    /// An apostrophe in a text of JSX begins none.
    private mutating func skipString() {
        let quote = bytes[position]
        var index = position + 1
        while index < bytes.count, !isLineEnd(bytes[index]) {
            if bytes[index] == ascii("\\") {
                index += 2
            } else if bytes[index] == quote {
                position = index + 1
                return
            } else {
                index += 1
            }
        }
        position += 1
    }

    // MARK: - Literals

    /// Adds the document if a literal that contains GraphQL begins at the position.
    private mutating func scanLiteral() -> Bool {
        var quotes = Array("`".utf8)
        if language != .javaScript {
            let hashes = Array(bytes[position...].prefix { $0 == ascii("#") })
            quotes =
                hashes
                + (hasPrefix("\"\"\"", at: position + hashes.count) ? Array("\"\"\"".utf8) : [ascii("\"")])
        }
        guard hasPrefix(quotes, at: position) else { return false }
        let start = position + quotes.count
        let closing = Array(quotes.reversed())
        var mask: [Range<Int>] = []
        var index = start
        while index < bytes.count, !hasPrefix(closing, at: index) {
            let hidden = hidden(at: index)
            mask += hidden.ranges
            index = hidden.end
        }
        guard index < bytes.count else { return false }
        add(start..<index, masking: mask)
        position = index + closing.count
        return true
    }

    /// The bytes of an interpolation or escape that are not part of the document, and where the text continues.
    private func hidden(at index: Int) -> (ranges: [Range<Int>], end: Int) {
        let interpolation: Int? =
            switch language {
            case .javaScript, .kotlin: end(of: "${", closing: ascii("}"), at: index)
            case .swift: end(of: "\\(", closing: ascii(")"), at: index)
            }
        // In Kotlin, ${'$'} is a dollar sign.
        if language == .kotlin, hasPrefix("${'$'}", at: index) {
            return ([index..<(index + 3), (index + 4)..<(index + 6)], index + 6)
        }
        if let interpolation { return ([index..<interpolation], interpolation) }
        // The escaped character remains: \` and \" are the quote.
        return bytes[index] == ascii("\\") ? ([index..<(index + 1)], index + 2) : ([], index + 1)
    }

    private func end(of opening: String, closing: UInt8, at index: Int) -> Int? {
        guard hasPrefix(opening, at: index) else { return nil }
        var depth = 0
        for end in (index + opening.utf8.count - 1)..<bytes.count {
            if bytes[end] == closing {
                depth -= 1
                if depth == 0 { return end + 1 }
            } else if bytes[end] == ascii(closing == ascii("}") ? "{" : "(") {
                depth += 1
            }
        }
        return nil
    }

    private mutating func add(_ range: Range<Int>, masking mask: [Range<Int>]) {
        // A character becomes as many spaces as it has UTF-16 units, in which columns are counted.
        var document = bytes[..<range.lowerBound].flatMap(EmbeddedDocuments.space)
        var index = range.lowerBound
        for hidden in mask {
            document += bytes[index..<hidden.lowerBound]
            document += bytes[hidden].flatMap(EmbeddedDocuments.space)
            index = hidden.upperBound
        }
        document += bytes[index..<range.upperBound]
        documents.append(document)
    }

    private static func space(for byte: UInt8) -> [UInt8] {
        switch byte {
        case 0x0A, 0x0D: [byte]
        case 0x80...0xBF: []
        case 0xF0...0xFF: [0x20, 0x20]
        default: [0x20]
        }
    }
}

// MARK: - Bytes

extension EmbeddedDocuments {
    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    }

    private func hasPrefix(_ text: String, at index: Int? = nil) -> Bool {
        hasPrefix(Array(text.utf8), at: index ?? position)
    }

    private func hasPrefix(_ prefix: [UInt8], at index: Int) -> Bool {
        index <= bytes.count && bytes[index...].starts(with: prefix)
    }

    private func index(of text: String, from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        return (start..<bytes.count).first { hasPrefix(text, at: $0) }
    }

    private func ascii(_ scalar: Unicode.Scalar) -> UInt8 { UInt8(ascii: scalar) }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || isLineEnd(byte) }

    private func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case ascii("a")...ascii("z"), ascii("A")...ascii("Z"), ascii("0")...ascii("9"), ascii("_"),
            ascii("$"):
            true
        default: byte >= 0x80
        }
    }
}
