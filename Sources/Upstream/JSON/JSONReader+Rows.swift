extension JSONReader {
    /// Reads an array whose elements are rows: the readable ones, and why the others could not be read.
    ///
    /// - Throws: The errors of ``JSONRows/add(_:at:)`` and ``row(_:)``.
    @inlinable
    package mutating func rows<Element: JSONDecodable & Sendable>(
        of type: Element.Type = Element.self
    ) throws(JSONError) -> JSONRows<Element> {
        var rows = JSONRows<Element>()
        var index = 0
        try array { reader throws(JSONError) in
            try rows.add(reader.row(Element.init(json:)), at: .index(index))
            index &+= 1
        }
        return rows
    }

    /// Reads a row of a list, so that an unreadable row does not remove the other ones.
    ///
    /// - Parameter read: Reads exactly one value.
    /// - Returns: The value, or the reason why `read` failed; the reader is after the row in both cases.
    /// - Throws: The error of a row that is not valid JSON: nothing after it can be read.
    @inlinable
    package mutating func row<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Result<Value, JSONError> {
        try row { reader throws(JSONError) in
            .success(try read(&reader))
        } otherwise: { error, reader throws(JSONError) in
            try reader.skipValue()
            return .failure(error)
        }
    }

    /// Reads a row of a list as `read` does, or if it cannot be read, once more as `otherwise` does.
    @inlinable
    package mutating func row<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value,
        otherwise: (JSONError, inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        let start = rowStart()
        do throws(JSONError) {
            return try read(&self)
        } catch {
            goBack(to: start, after: error)
            return try otherwise(error, &self)
        }
    }

    /// The state of the reader at the beginning of a row.
    @usableFromInline
    struct RowStart {
        fileprivate let position, depth, objectDepth, tableCount: Int
    }

    @usableFromInline
    mutating func rowStart() -> RowStart {
        skipWhitespace()
        return RowStart(
            position: position, depth: depth, objectDepth: objectDepth, tableCount: tables.count)
    }

    @usableFromInline
    mutating func goBack(to start: RowStart, after error: JSONError) {
        (position, depth, objectDepth) = (start.position, start.depth, start.objectDepth)
        note(.unreadable(error), at: position)
        tables.removeLast(tables.count - start.tableCount)
        // An object that was left in the middle has overwritten a part of the keys at its place.
        for place in unsafe stride(from: objectDepth * Self.slotWords, to: keys.count, by: Self.slotWords) {
            unsafe keys[place] = 0
        }
    }
}

/// The rows of a list.
@usableFromInline
package struct JSONRows<Element: Sendable>: Sendable {
    @usableFromInline package var elements: [Element] = []
    /// The errors of the rows that could not be read, in their order.
    @usableFromInline package private(set) var failures: [JSONError] = []

    @inlinable
    package init(_ elements: [Element] = []) {
        self.elements = elements
    }

    /// The most unreadable rows of a list: of a response of zeros, the errors would take a hundred times its memory.
    @inlinable package static var maximumFailures: Int { 1_000 }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - row: What was read of it.
    ///   - step: Its place in the list.
    /// - Throws: The error of the row, if the list has more than ``maximumFailures``.
    @inlinable
    package mutating func add(_ row: Result<Element, JSONError>, at step: JSONError.PathStep)
        throws(JSONError)
    {
        switch row {
        case .success(let element): elements.append(element)
        case .failure(let error):
            guard failures.count < Self.maximumFailures else { throw error }
            failures.append(error.inside(step))
        }
    }

    /// The errors with their places, for results that do not depend on `JSONError`.
    ///
    /// - Parameter list: The place of the list: `results`.
    /// - Returns: The errors as texts, with their places in the response.
    package func unreadable(in list: String) -> [String] {
        failures.map { $0.inside(.key(list)).description }
    }
}
