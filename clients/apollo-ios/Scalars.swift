// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: f96fc8080cea90fe91b6c0d2b63e817888466c5ec87550f1b87e95d33f2d8e70
//
// Add this file to the target PorticoAPI. In PorticoAPI/Sources/Schema/CustomScalars, which the code
// generator writes once, replace the type alias of each scalar:
//
//   Date: public typealias Date = String
//   DateTime: public typealias DateTime = PorticoInstant
//   Decimal: public typealias Decimal = PorticoDecimal
//   Number: public typealias Number = PorticoDecimal
//   ProviderName: public typealias ProviderName = String
//   UnixTime: public typealias UnixTime = Int

import ApolloAPI
import Foundation

/// A decimal number: Foundation's `Decimal` has 38 digits, which is enough for every value of Portico.
public struct PorticoDecimal: CustomScalarType, Hashable, Sendable {
    public let value: Foundation.Decimal

    public init(_ value: Foundation.Decimal) {
        self.value = value
    }

    public init(_jsonValue value: JSONValue) throws {
        // A `Decimal` of the schema is a string, a `Number` is a JSON number.
        let text = (value as? String) ?? (value as? NSNumber)?.stringValue ?? ""
        guard let number = Foundation.Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
            throw JSONDecodingError.couldNotConvert(value: value, to: PorticoDecimal.self)
        }
        self.init(number)
    }

    public var _jsonValue: JSONValue { NSDecimalNumber(decimal: value).stringValue }
}

/// An instant with up to nine decimals of a second.
public struct PorticoInstant: CustomScalarType, Hashable, Sendable {
    public let date: Date

    public init(_ date: Date) {
        self.date = date
    }

    public init(_jsonValue value: JSONValue) throws {
        guard let text = value as? String, let date = PorticoInstant.date(from: text) else {
            throw JSONDecodingError.couldNotConvert(value: value, to: PorticoInstant.self)
        }
        self.init(date)
    }

    public var _jsonValue: JSONValue { date.formatted(.iso8601) }

    private static func date(from text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
