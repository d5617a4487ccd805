extension InputValue {
    /// Reads a JSON text (RFC 8259), strictly: one value and white space around it.
    ///
    /// Integers of 64 bits become `.int`; every other number keeps its digits in `.number`. Strings stay strings,
    /// also where an enum value is meant.
    ///
    /// - Throws: `JSONError`, also for an object that gives a name twice.
    public init(json bytes: Span<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        do {
            var reader = try JSONReader(bytes, limits: limits)
            self = try reader.value(in: bytes)
            try reader.end(in: bytes)
        } catch {
            throw JSONError(error, in: bytes)
        }
    }

    /// Reads a JSON text from an array of bytes.
    ///
    /// - Throws: `JSONError`, also for an object that gives a name twice.
    public init(json bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        try self.init(json: bytes.span, limits: limits)
    }

    /// The value as JSON text in UTF-8, without white space.
    public var json: [UInt8] {
        ResponseWriter.bytes(expecting: 256) { $0.write(self) }
    }
}
