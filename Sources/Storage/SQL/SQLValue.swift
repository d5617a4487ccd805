package import Foundation

/// A value of a column or of a placeholder, as all engines have it.
///
/// There is no floating point: amounts are texts with all their digits, times are whole milliseconds.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes(Data)
    /// PostgreSQL only; SQLite has 0 and 1.
    case boolean(Bool)
}

/// A type that a column stores, and a placeholder takes.
package protocol SQLConvertible {
    var sqlValue: SQLValue { get }

    /// - Throws: `CorruptedRow` if a column with this value cannot have the type.
    init(sqlValue: SQLValue) throws(CorruptedRow)
}

extension Int64: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self) }

    package init(sqlValue: SQLValue) throws(CorruptedRow) {
        guard case .integer(let number) = sqlValue else { throw CorruptedRow() }
        self = number
    }
}

extension Int: SQLConvertible {
    package var sqlValue: SQLValue { .integer(Int64(self)) }

    package init(sqlValue: SQLValue) throws(CorruptedRow) {
        guard case .integer(let number) = sqlValue, let number = Int(exactly: number) else {
            throw CorruptedRow()
        }
        self = number
    }
}

extension String: SQLConvertible {
    package var sqlValue: SQLValue { .text(self) }

    package init(sqlValue: SQLValue) throws(CorruptedRow) {
        guard case .text(let text) = sqlValue else { throw CorruptedRow() }
        self = text
    }
}

extension Data: SQLConvertible {
    package var sqlValue: SQLValue { .bytes(self) }

    package init(sqlValue: SQLValue) throws(CorruptedRow) {
        guard case .bytes(let bytes) = sqlValue else { throw CorruptedRow() }
        self = bytes
    }
}

extension Bool: SQLConvertible {
    package var sqlValue: SQLValue { .boolean(self) }

    package init(sqlValue: SQLValue) throws(CorruptedRow) {
        switch sqlValue {
        case .boolean(let flag): self = flag
        case .integer(let number): self = number != 0
        case .null, .text, .bytes: throw CorruptedRow()
        }
    }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }

    package init(sqlValue: SQLValue) throws(CorruptedRow) {
        if case .null = sqlValue {
            self = nil
        } else {
            self = try Wrapped(sqlValue: sqlValue)
        }
    }
}

/// The values of a statement's placeholders, in their order.
package struct SQLArguments: ExpressibleByArrayLiteral, Sendable {
    package private(set) var values: [SQLValue]

    package init(arrayLiteral elements: any SQLConvertible...) {
        values = elements.map(\.sqlValue)
    }

    package init(_ values: [SQLValue]) {
        self.values = values
    }

    package static func + (left: SQLArguments, right: SQLArguments) -> SQLArguments {
        SQLArguments(left.values + right.values)
    }

    package static func += (left: inout SQLArguments, right: SQLArguments) {
        left.values += right.values
    }
}

/// Texts for `IN (…)`.
///
/// The number of placeholders is a power of two, so that there are few statements to prepare; the last text fills
/// the rest. Without a text, the list contains NULL, which equals nothing.
package struct SQLList: Sendable {
    package let arguments: SQLArguments

    package init(_ texts: some Sequence<String>) {
        var values = texts.map(\.sqlValue)
        var count = 1
        while count < values.count { count *= 2 }
        values += Array(repeating: values.last ?? .null, count: count - values.count)
        arguments = SQLArguments(values)
    }

    /// `?, ?, …`.
    package var placeholders: String {
        Array(repeating: "?", count: arguments.values.count).joined(separator: ", ")
    }
}
