import Brokerage
import Foundation

/// Where an exchange's clock hangs: what a day means there.
enum ExchangeTimeZone: Sendable {
    /// By far the most common; Portico's own rules for it take no look-up.
    case newYork
    case other(TimeZone)
    /// No zone, or one that nobody knows.
    case utc

    /// By its IANA name.
    init(_ name: String?) {
        switch name {
        case nil, "UTC", "Etc/UTC": self = .utc
        case "America/New_York", "US/Eastern": self = .newYork
        case let name?: self = TimeZone(identifier: name).map(Self.other) ?? .utc
        }
    }
}

extension Instant {
    /// The day by the clock of an exchange.
    func date(in zone: ExchangeTimeZone) -> CalendarDate {
        switch zone {
        case .newYork: inNewYork.date
        case .utc: dateInUTC
        case .other(let zone):
            (self + .seconds(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(secondsSince1970)))))
                .dateInUTC
        }
    }
}
