import GraphQL
import TestSupport

/// What the values of a scalar look like in JSON.
enum ScalarForm: Sendable {
    case string
    case boolean
    case number
    case wholeNumber(ClosedRange<Int>)
    case decimal
    case dateTime
    case date

    /// Nil for a custom scalar whose form is not known here: whoever adds one says it.
    init?(_ name: String, _ scalar: ScalarType) {
        switch scalar.builtIn {
        case .int: self = .wholeNumber(-2_147_483_648...2_147_483_647)
        case .float: self = .number
        case .string, .id: self = .string
        case .boolean: self = .boolean
        case nil:
            switch name {
            case "Decimal": self = .decimal
            case "Number": self = .number
            case "UnixTime": self = .wholeNumber(-62_135_596_800...253_402_300_799)
            case "DateTime": self = .dateTime
            case "Date": self = .date
            case "ProviderName": self = .string
            default: return nil
            }
        }
    }

    func holds(_ value: JSONValue) -> Bool {
        switch self {
        case .string: return value.string != nil
        case .boolean:
            if case .bool = value { return true }
            return false
        case .number: return value.number != nil
        case .wholeNumber(let range): return value.digits.flatMap { Int($0) }.map(range.contains) ?? false
        case .decimal: return value.string?.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?/) != nil
        case .dateTime:
            return value.string?.wholeMatch(
                of: /[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3}([0-9]{3})?Z/)
                != nil
        case .date: return value.string?.wholeMatch(of: /[0-9]{4}-[01][0-9]-[0-3][0-9]/) != nil
        }
    }
}
