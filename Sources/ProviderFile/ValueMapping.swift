import Brokerage
import Upstream

/// Where a value is in an item, and how it is converted.
struct ValueMapping: Sendable {
    /// Nil for a constant.
    var path: JSONPath?
    var constant: String?
    var times: Decimal?
    var plus: Decimal?
    var date: DateForm?
    var choices: [String: String]?
    var otherwise = Otherwise.failure
    /// The path of the text in each element of a list.
    var each: JSONPath?

    /// The meaning of a text that is none of the choices.
    enum Otherwise: Sendable {
        case failure
        case value(String?)
    }

    enum DateForm: String, Sendable, CaseIterable {
        case rfc3339 = "RFC3339"
        case seconds = "SECONDS"
        case milliseconds = "MILLISECONDS"
        case nanoseconds = "NANOSECONDS"
        case date = "DATE"
        case newYorkTime = "NEW_YORK_TIME"
    }

    typealias Read<Value> = @Sendable (inout JSONReader) throws(JSONError) -> Value

    /// Reads a number or a numeric text, exact to the digit.
    var decimal: Read<Decimal> {
        guard times != nil || plus != nil else {
            return { reader throws(JSONError) in try reader.decimal() }
        }
        let (times, plus) = (times ?? 1, plus ?? .zero)
        return { reader throws(JSONError) in
            let value = try reader.decimal()
            do throws(Decimal.Overflow) {
                return try value * times + plus
            } catch {
                throw reader.failure(.outOfRange(.decimal))
            }
        }
    }

    /// Reads a text.
    var text: Read<String> { { reader throws(JSONError) in try reader.string() } }

    /// Reads a text; nil for an empty one.
    var optionalText: Read<String?> {
        { reader throws(JSONError) in
            let text = try reader.string()
            return text.isEmpty ? nil : text
        }
    }

    /// Reads a whole number.
    var integer: Read<Int> { { reader throws(JSONError) in try reader.int() } }

    /// Reads a text, or a number as its digits.
    var scalarText: Read<String> {
        { reader throws(JSONError) in try reader.scalarText() }
    }

    /// Reads a text that is one of the choices.
    func choice<Value: RawRepresentable<String> & Sendable>(_ type: Value.Type) -> Read<Value?> {
        guard let choices else {
            return { reader throws(JSONError) in
                guard let value = Value(rawValue: try reader.scalarText()) else {
                    throw reader.failure(.unreadable(.oneOf("the values of the schema")))
                }
                return value
            }
        }
        let values = choices.compactMapValues(Value.init(rawValue:))
        let names = choices.keys.sorted().joined(separator: ", ")
        let otherwise = otherwise
        return { reader throws(JSONError) in
            if let value = values[try reader.scalarText()] { return value }
            switch otherwise {
            case .failure: throw reader.failure(.unreadable(.oneOf(names)))
            case .value(let name): return name.flatMap(Value.init(rawValue:))
            }
        }
    }

    /// Reads a time.
    var instant: Read<Instant> {
        switch date ?? .rfc3339 {
        case .rfc3339: return { reader throws(JSONError) in try reader.instant() }
        case .seconds: return { reader throws(JSONError) in try reader.instant(since1970: .seconds) }
        case .milliseconds:
            return { reader throws(JSONError) in try reader.instant(since1970: .milliseconds) }
        case .nanoseconds: return { reader throws(JSONError) in try reader.instant(since1970: .nanoseconds) }
        case .date:
            return { reader throws(JSONError) in
                let date = try reader.date()
                guard let time = Instant(secondsSince1970: Int64(date.daysSince1970) * 86_400) else {
                    throw reader.failure(.outOfRange(.date))
                }
                return time
            }
        case .newYorkTime:
            return { reader throws(JSONError) in
                guard let local = LocalTime(text: try reader.string()) else {
                    throw reader.failure(.unreadable(.instant))
                }
                return Instant(newYork: local)
            }
        }
    }

    /// Reads a time as the seconds since 1970.
    var seconds: Read<Int64> {
        let read = instant
        return { reader throws(JSONError) in try read(&reader).secondsSince1970 }
    }

    /// Reads a list of texts, at most as many as an article may have.
    var texts: Read<[String]> {
        let element: Read<String?>
        if let each {
            let fields = JSONPathFields(TextRecord()) {
                $0.optional(each, \.text) { reader throws(JSONError) in try reader.string() }
            }
            element = { reader throws(JSONError) in try fields.read(from: &reader).text }
        } else {
            element = { reader throws(JSONError) in try reader.string() }
        }
        return { reader throws(JSONError) in
            var texts: [String] = []
            try reader.array { reader throws(JSONError) in
                if let text = try element(&reader), texts.count < Self.maximumTexts { texts.append(text) }
            }
            return texts
        }
    }

    private static let maximumTexts = 200

    private struct TextRecord: Sendable {
        var text: String?
    }
}

extension JSONPathFields.Builder {
    /// Adds a property that must have a value, if the file maps it to a path.
    mutating func required<Value>(
        _ mapping: ValueMapping?, _ property: WritableKeyPath<Object, Value>,
        _ conversion: (ValueMapping) -> ValueMapping.Read<Value>
    ) {
        guard let mapping, let path = mapping.path else { return }
        required(path, property, conversion(mapping))
    }

    /// Adds a property whose value may be missing or null, if the file maps it to a path.
    mutating func optional<Value>(
        _ mapping: ValueMapping?, _ property: WritableKeyPath<Object, Value?>,
        _ conversion: (ValueMapping) -> ValueMapping.Read<Value>
    ) {
        guard let mapping, let path = mapping.path else { return }
        let read = conversion(mapping)
        optional(path, property) { reader throws(JSONError) in try read(&reader) }
    }

    /// Adds a property whose value may also be nil after its conversion.
    mutating func optional<Value>(
        _ mapping: ValueMapping?, _ property: WritableKeyPath<Object, Value?>,
        orNil conversion: (ValueMapping) -> ValueMapping.Read<Value?>
    ) {
        guard let mapping, let path = mapping.path else { return }
        optional(path, property, conversion(mapping))
    }
}

extension JSONReader {
    /// Reads a text, or a number or a boolean as a text.
    fileprivate mutating func scalarText() throws(JSONError) -> String {
        switch try kind() {
        case .number: try decimal().description
        case .true, .false: String(try bool())
        case .string, .null, .array, .object: try string()
        }
    }
}

extension LocalTime {
    /// `2026-11-20 16:00:00`, with a space or a T, with or without seconds; nil for another text.
    fileprivate init?(text: String) {
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }
        guard halves.count == 2, let date = CalendarDate(halves[0]) else { return nil }
        let parts = halves[1].split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.allSatisfy({ $0.utf8.count == 2 }),
            let hour = Int(parts[0]),
            let minute = Int(parts[1]), let second = parts.count == 3 ? Int(parts[2]) : 0
        else { return nil }
        self.init(date: date, hour: hour, minute: minute, second: second)
    }
}
