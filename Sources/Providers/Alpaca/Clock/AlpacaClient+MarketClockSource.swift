package import Brokerage
package import Upstream

extension AlpacaClient: MarketClockSource {
    /// Whether the American exchanges trade: `GET /v2/clock`, and while they do not, `GET /v2/calendar` for what is before the
    /// opening and after the close.
    package func clock(in context: CallContext) async throws(ProviderFailure) -> MarketClock {
        let told = try await get(
            "clock", from: .trading, { $0.appending(path: "v2", "clock") }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in try AlpacaClock(json: &reader) }
        }
        var clock = MarketClock(provider: .alpaca, isOpen: told.isOpen, now: told.now)
        clock.nextOpen = told.nextOpen
        clock.nextClose = told.nextClose
        clock.state = told.isOpen ? .open : await stateOutside(at: told.now, in: context)
        return clock
    }

    /// Nil where the calendar could not be read, or knows better: whether there is trade at all is known all the same.
    private func stateOutside(at now: Instant, in context: CallContext) async -> MarketState? {
        let local = now.inNewYork
        guard let days = try? await calendar(of: local.date.year, in: context) else { return nil }
        guard let day = days.first(where: { $0.date == local.date }), day.session.contains(local.secondOfDay)
        else {
            return .closed
        }
        if local.secondOfDay < day.regularHours.lowerBound { return .pre }
        // Within regular hours the clock and the calendar contradict each other.
        return day.regularHours.contains(local.secondOfDay) ? nil : .post
    }
}

/// The answer of `GET /v2/clock`.
struct AlpacaClock: JSONDecodable, Hashable {
    let now: Instant
    let isOpen: Bool
    let nextOpen: Instant?
    let nextClose: Instant?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (now, nextOpen, nextClose) = (Instant?.none, Instant?.none, Instant?.none)
        var isOpen: Bool?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "timestamp": now = try reader.instant()
            case "is_open": isOpen = try reader.bool()
            case "next_open": nextOpen = try reader.instantOrNil()
            case "next_close": nextClose = try reader.instantOrNil()
            default: try reader.skip()
            }
        }
        self.now = try reader.required(now, "timestamp")
        self.isOpen = try reader.required(isOpen, "is_open")
        self.nextOpen = nextOpen
        self.nextClose = nextClose
    }
}
