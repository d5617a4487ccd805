import Brokerage

/// Numbers and times as Saxo's servers write them.
struct FakeSaxoFormat: Sendable {
    let writesExponents: Bool

    /// A JSON number; below 0.0001 it has an exponent, as .NET writes binary numbers.
    func number(_ decimal: Decimal) -> JSONDocument {
        let shortest = decimal.withoutTrailingZeros
        guard writesExponents, shortest.scale > 4, !shortest.isZero,
            shortest.coefficient.magnitude.description.count <= shortest.scale - 4
        else { return .number(shortest) }
        return .scientific(shortest)
    }

    /// A price in ticks.
    func price(_ ticks: Int, of instrument: FakeInstrument) -> JSONDocument {
        number(instrument.price(ticks))
    }

    /// `2026-11-20T15:14:00.578000Z`.
    static func time(_ second: Int, microseconds: Int = 0) -> JSONDocument {
        let instant = Instant(secondsSince1970: Int64(second)) ?? .earliest
        let digits = String(min(max(microseconds, 0), 999_999))
        let fraction = String(repeating: "0", count: 6 - digits.count) + digits
        return .string("\(instant.description.dropLast()).\(fraction)Z")
    }

    static func time(_ instant: Instant) -> JSONDocument {
        time(Int(instant.secondsSince1970), microseconds: Int(instant.nanoseconds) / 1_000)
    }
}

extension JSONDocument {
    /// The decimal that this is; nil for anything but a number.
    var decimal: Decimal? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    var boolean: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    var elements: [JSONDocument]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var members: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
