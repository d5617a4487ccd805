package import Brokerage

/// A row of a result.
package struct SQLRow: Sendable {
    package let columns: [String]
    package let values: [SQLValue]

    package init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// A row with these columns.
    package init(_ values: KeyValuePairs<String, any SQLConvertible>) {
        self.init(columns: values.map(\.key), values: values.map(\.value.sqlValue))
    }

    /// The value of a column; an optional type if the column can be null.
    ///
    /// - Throws: `CorruptedRow` if there is no such column, or its value does not have the type: only another program
    ///   can have written it.
    package subscript<Value: SQLConvertible>(_ name: String) -> Value {
        get throws(CorruptedRow) {
            guard let index = columns.firstIndex(of: name), index < values.count else { throw CorruptedRow() }
            return try Value(sqlValue: values[index])
        }
    }

    /// A decimal number, which is stored as text with all its digits; nil if the column is null.
    package func decimal(_ name: String) throws(CorruptedRow) -> Decimal? {
        guard let text: String = try self[name] else { return nil }
        guard let number = Decimal(text) else { throw CorruptedRow() }
        return number
    }

    /// A time, which is stored in milliseconds since 1970; nil if the column is null.
    package func instant(_ name: String) throws(CorruptedRow) -> Instant? {
        guard let milliseconds: Int64 = try self[name] else { return nil }
        guard let instant = Instant(millisecondsSince1970: milliseconds) else { throw CorruptedRow() }
        return instant
    }

    /// A time in two columns: milliseconds since 1970, and the nanoseconds after them; nil if the first one is null.
    package func instant(_ name: String, _ nanoseconds: String) throws(CorruptedRow) -> Instant? {
        guard let milliseconds: Int64 = try self[name] else { return nil }
        let time = Instant(millisecondsSince1970: milliseconds, nanoseconds: try self[nanoseconds])
        guard let time else { throw CorruptedRow() }
        return time
    }

    /// A value of a closed set, which is stored as text; nil if the column is null, or if this version does not know
    /// the value.
    package func value<Value: RawRepresentable<String>>(_ name: String) throws(CorruptedRow) -> Value? {
        guard let text: String = try self[name] else { return nil }
        return Value(rawValue: text)
    }
}

/// The values of the current row of a result, read one after the other in the order of the statement's columns.
///
/// For long lists: no array of the row's values is made, and no column is looked up by its name.
package struct SQLRowReader: ~Copyable {
    private let result: any SQLResult
    private let count: Int
    private var column = 0

    init(_ result: any SQLResult) {
        self.result = result
        count = result.columnCount
    }

    /// Continues at the first column, after the result has moved to its next row.
    mutating func restart() { column = 0 }

    /// The value of the next column; an optional type if the column can be null.
    ///
    /// - Throws: `CorruptedRow` if there is no further column, or its value does not have the type.
    package mutating func next<Value: SQLConvertible>() throws(CorruptedRow) -> Value {
        guard column < count else { throw CorruptedRow() }
        defer { column += 1 }
        return try Value(sqlValue: result.value(column))
    }

    /// The value of the next column, which is stored as text.
    ///
    /// - Parameter value: Returns the value of a text; nil for a text that Portico does not write.
    /// - Returns: The value; nil if the column is null.
    /// - Throws: `CorruptedRow` for such a text, and as ``next()`` does.
    package mutating func next<Value>(_ value: (String) -> Value?) throws(CorruptedRow) -> Value? {
        guard let text: String = try next() else { return nil }
        guard let value = value(text) else { throw CorruptedRow() }
        return value
    }

    /// The names of the columns.
    var columns: [String] { result.columns }

    /// The whole row.
    func row(_ columns: [String]) throws(CorruptedRow) -> SQLRow {
        var values: [SQLValue] = []
        values.reserveCapacity(count)
        for column in 0..<count { values.append(try result.value(column)) }
        return SQLRow(columns: columns, values: values)
    }
}

/// A row that Portico cannot have written: another program has changed the database.
///
/// Such a row is not skipped, because missing data would look like data that does not exist.
package struct CorruptedRow: Error {
    package init() {}
}
