extension JSONReader {
    /// Reads an object: `member` is called for each key, and must read or ``skip()`` exactly one value.
    ///
    /// - Throws: `duplicateKey` if a key occurs twice, before its second value is read; the errors of
    ///   `member`.
    package mutating func object(
        _ member: (JSONKey, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        try enter(UInt8(ascii: "{"), .object)
        if byte(at: position) == UInt8(ascii: "}") { return leave() }
        var seen = beginKeys()
        while true {
            let key = try key(in: &seen)
            skipWhitespace()
            guard byte(at: position) == UInt8(ascii: ":") else { throw unexpected(at: position) }
            position &+= 1
            do throws(JSONError) {
                try member(key, &self)
            } catch {
                throw error.inside(.key(key.printable))
            }
            skipWhitespace()
            switch byte(at: position) {
            case UInt8(ascii: ","): position &+= 1
            case UInt8(ascii: "}"):
                endKeys(seen)
                return leave()
            default: throw unexpected(at: position)
            }
        }
    }

    /// Reads an object for the value of one key; nil if the object does not have it.
    package mutating func member<Value>(
        _ name: StaticString, _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value? {
        var value: Value?
        try object { key, reader throws(JSONError) in
            if name ~= key { value = try read(&reader) } else { try reader.skip() }
        }
        return value
    }

    /// Reads an array: `element` is called at each element, and must read or ``skip()`` exactly one value.
    @usableFromInline
    package mutating func array(
        _ element: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        if notes != nil { skipWhitespace() }
        let start = position
        let isEmpty = try elements(element) == 0
        note(.list(isEmpty: isEmpty), at: start)
    }

    /// Reads an array as ``array(_:)`` does, but without a note, and returns the number of its elements.
    private mutating func elements(
        _ element: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) -> Int {
        try enter(UInt8(ascii: "["), .array)
        if byte(at: position) == UInt8(ascii: "]") {
            leave()
            return 0
        }
        var index = 0
        while true {
            do throws(JSONError) {
                try element(&self)
            } catch {
                throw error.inside(.index(index))
            }
            index &+= 1
            skipWhitespace()
            switch byte(at: position) {
            case UInt8(ascii: ","): position &+= 1
            case UInt8(ascii: "]"):
                leave()
                return index
            default: throw unexpected(at: position)
            }
        }
    }

    /// Reads an array of values that each read themselves.
    @inlinable
    package mutating func array<Element: JSONDecodable>(of type: Element.Type) throws(JSONError) -> [Element]
    {
        var elements: [Element] = []
        try array { reader throws(JSONError) in
            elements.append(try Element(json: &reader))
        }
        return elements
    }

    /// Consumes a null if there is one: `if try reader.null() { … } else { price = try reader.decimal() }`.
    @usableFromInline
    package mutating func null() throws(JSONError) -> Bool {
        skipWhitespace()
        guard byte(at: position) == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    /// Nil for null, else what `read` reads.
    @inlinable
    package mutating func optional<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value? {
        try null() ? nil : try read(&self)
    }

    /// `value`, which an object must have had under `key`; to be called right behind the object.
    @inlinable
    package func required<Value>(_ value: Value?, _ key: StaticString) throws(JSONError) -> Value {
        guard let value else { throw missing("\(key)") }
        return value
    }

    /// The error for a value that has just been read, or that follows.
    package func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(reason, at: position) }

    /// The error for an object without a key; to be called right behind the object.
    @usableFromInline
    func missing(_ key: String) -> JSONError { JSONError(.missing(key: key), at: position) }

    /// Passes over one value of any kind that no reader needs, and checks it, except for duplicate keys within it.
    package mutating func skip() throws(JSONError) {
        if notes != nil {
            skipWhitespace()
            note(.unread, at: position)
        }
        try skipValue()
    }

    /// Adds a note for the inspection, if there is one.
    mutating func note(_ kind: JSONNote.Kind, at position: Int) {
        notes?.append(JSONNote(position: position, kind: kind))
    }

    /// Passes over a value as ``skip()`` does, but without a note: for a row that a reader has tried to read.
    @usableFromInline
    mutating func skipValue() throws(JSONError) {
        switch try kind() {
        case .object: try skipObject()
        case .array: _ = try elements { reader throws(JSONError) in try reader.skipValue() }
        case .string: try skipString()
        case .number: try skipNumber()
        case .true: try literal("true")
        case .false: try literal("false")
        case .null: try literal("null")
        }
    }

    private mutating func skipObject() throws(JSONError) {
        try enter(UInt8(ascii: "{"), .object)
        if byte(at: position) == UInt8(ascii: "}") { return leave() }
        while true {
            skipWhitespace()
            guard byte(at: position) == UInt8(ascii: "\"") else { throw unexpected(at: position) }
            let start = position &+ 1
            try skipString(isKey: true)
            let end = position &- 1
            skipWhitespace()
            guard byte(at: position) == UInt8(ascii: ":") else { throw unexpected(at: position) }
            position &+= 1
            do throws(JSONError) {
                try skipValue()
            } catch {
                let key = (try? unescapedKey(start..<end, isStrict: true)) ?? key(start..<end)
                throw error.inside(.key(key.printable))
            }
            skipWhitespace()
            switch byte(at: position) {
            case UInt8(ascii: ","): position &+= 1
            case UInt8(ascii: "}"): return leave()
            default: throw unexpected(at: position)
            }
        }
    }

    /// Reads `true`, `false` or `null`, whose first letter has been seen.
    mutating func literal(_ name: StaticString) throws(JSONError) {
        for offset in 0..<name.utf8CodeUnitCount {
            // Inside of a static string by the loop's bound.
            let expected = unsafe name.utf8Start[offset]
            guard byte(at: position + offset) == expected else {
                throw unexpected(at: position + offset)
            }
        }
        position += name.utf8CodeUnitCount
    }
}

/// A type that reads itself from JSON.
@usableFromInline
package protocol JSONDecodable: SendableMetatype {
    /// Reads exactly one value.
    init(json reader: inout JSONReader) throws(JSONError)
}

extension JSONDecodable {
    /// Reads a whole text, such as the body of a response, which must hold one value and nothing else.
    ///
    /// - Parameter text: UTF-8, without a byte order mark.
    /// - Throws: The first fault of the text.
    package init(json text: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(text) { reader throws(JSONError) in try Self(json: &reader) }
    }
}
