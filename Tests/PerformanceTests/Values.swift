import Brokerage
import Foundation
import TestSupport
import Testing

typealias Decimal = Brokerage.Decimal

func decimal(_ text: String) throws -> Decimal { try #require(Decimal(text), "\(text)") }

func decimal(_ value: JSONValue?) throws -> Decimal {
    let text = try #require(value?.string)
    return try decimal(text)
}

func date(_ text: String?) throws -> CalendarDate {
    let text = try #require(text)
    return try #require(CalendarDate(text), "\(text)")
}

func sum(_ values: [Decimal]) throws -> Decimal {
    try values.reduce(.zero) { try $0 + $1 }
}

/// A value that must exist; cheaper than the macro, for loops.
func unwrap<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw MissingValue() }
    return value
}

struct MissingValue: Error {}
