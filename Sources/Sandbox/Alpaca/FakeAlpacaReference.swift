import Brokerage

/// Alpaca's reference data: assets, clock and calendar.
struct FakeAlpacaReference: Sendable {
    let host: FakeAlpacaHost
    let settings: FakeAlpacaSettings

    var routes: [SandboxRoute] {
        [
            host.get("/v2/assets") { context in
                .array(try assets(context.request).map { Self.asset($0, settings) })
            },
            host.get("/v2/assets/{symbol_or_asset_id}") { context in
                let wanted = context.request.parameters["symbol_or_asset_id"] ?? ""
                guard let instrument = Self.instrument(wanted) else {
                    throw FakeAlpacaError.assetNotFound(wanted)
                }
                return Self.asset(instrument, settings)
            },
            host.get("/v2/clock") { context in clock(context.view) },
            host.get("/v2/calendar") { context in try calendar(context) },
        ]
    }

    /// Returns the instrument of a symbol or an asset id.
    static func instrument(_ symbolOrID: String) -> FakeInstrument? {
        FakeInstrument.listing.first { $0.symbol == symbolOrID || $0.id == symbolOrID }
    }

    private func assets(_ request: SandboxRequest) throws(FakeAlpacaError) -> [FakeInstrument] {
        if try request.choice("status", of: ["active", "inactive"]) == "inactive" { return [] }
        let assetClass = try request.choice("asset_class", of: ["us_equity", "us_option", "crypto"])
        guard assetClass == nil || assetClass == "us_equity" else { return [] }
        let exchange = request[query: "exchange"]
        let attributes = request[query: "attributes"]?.split(separator: ",").map(String.init) ?? []
        guard attributes.allSatisfy(Self.attributes.contains) else { return [] }
        return FakeInstrument.listing.filter { exchange == nil || $0.exchange.rawValue == exchange }
    }

    private static let attributes = ["fractional_eh_enabled", "has_options"]

    static func asset(_ instrument: FakeInstrument, _ settings: FakeAlpacaSettings) -> JSONDocument {
        [
            "id": .string(instrument.id), "class": "us_equity",
            "exchange": .string(instrument.exchange.rawValue), "symbol": .string(instrument.symbol),
            "name": .string(instrument.name), "status": "active",
            "tradable": .bool(!settings.untradable.contains(instrument.symbol)), "marginable": true,
            "maintenance_margin_requirement": 30, "margin_requirement_long": "30",
            "margin_requirement_short": "30", "shortable": true, "easy_to_borrow": true,
            "borrow_status": "easy_to_borrow",
            "fractionable": .bool(instrument.isFractionable),
            "attributes": .array(attributes.map { .string($0) }),
        ]
    }

    private func clock(_ view: MarketView) -> JSONDocument {
        let running = view.marketDay.flatMap { $0.phase(at: view.now) == .regular ? $0 : nil }
        let today = Instant(secondsSince1970: Int64(view.now))?.inNewYork.date
        let ahead = today.flatMap { date in
            view.market.exchanges.session(on: date).flatMap { view.now < $0.open ? $0 : nil }
                ?? view.market.exchanges.session(after: date)
        }
        return [
            "timestamp": Self.stamp(view.now),
            "is_open": .bool(running != nil),
            "next_open": Self.stamp(ahead?.open ?? view.now),
            "next_close": Self.stamp((running ?? ahead)?.close ?? view.now),
        ]
    }

    /// Writes a time with New York's offset, as in Alpaca's clock.
    private static func stamp(_ second: Int) -> JSONDocument {
        let instant = Instant(secondsSince1970: Int64(second)) ?? .earliest
        let local = instant.inNewYork
        return .string(
            "\(local.date)T\(twoDigits(local.hour)):\(twoDigits(local.minute)):\(twoDigits(local.second))"
                + "-\(twoDigits(-instant.newYorkOffset / 3600)):00")
    }

    private func calendar(_ context: FakeAlpacaHost.AuthenticatedRequest) throws(FakeAlpacaError)
        -> JSONDocument
    {
        func date(_ name: String, else other: CalendarDate) throws(FakeAlpacaError) -> CalendarDate {
            guard let text = context.request[query: name] else { return other }
            guard let date = CalendarDate(String(text.prefix(10))) else {
                throw .unprocessable("invalid \(name): \(text)")
            }
            return date
        }
        let type = try context.request.choice("date_type", of: ["TRADING", "SETTLEMENT"]) ?? "TRADING"
        // Alpaca's calendar covers the days from 1970 to 2029; a wider range is not an error.
        let first = max(try date("start", else: Self.firstDay), Self.firstDay)
        let last = min(try date("end", else: Self.lastDay), Self.lastDay)
        let exchanges = context.view.market.exchanges
        let days = exchanges.sessions(from: first, through: last).filter { session in
            type == "TRADING"
                || Self.settlement(of: session, exchanges).map { first <= $0 && $0 <= last } ?? false
        }
        return .array(days.map { Self.day($0, exchanges) })
    }

    private static let firstDay = CalendarDate(year: 1970, month: 1, day: 1) ?? .earliest
    private static let lastDay = CalendarDate(year: 2029, month: 12, day: 31) ?? .latest

    /// Returns the settlement date of a session: the next trading day.
    private static func settlement(of session: TradingSession, _ exchanges: TradingHours) -> CalendarDate? {
        exchanges.session(after: session.date)?.date
    }

    private static func day(_ session: TradingSession, _ exchanges: TradingHours) -> JSONDocument {
        [
            "date": .string(session.date.description), "open": time(session.open, separator: ":"),
            "close": time(session.close, separator: ":"),
            "session_open": time(session.preMarketOpen, separator: ""),
            "session_close": time(session.postMarketClose, separator: ""),
            "settlement_date": .string((settlement(of: session, exchanges) ?? session.date).description),
        ]
    }

    /// Writes hours and minutes in New York.
    private static func time(_ second: Int, separator: String) -> JSONDocument {
        let local = (Instant(secondsSince1970: Int64(second)) ?? .earliest).inNewYork
        return .string(twoDigits(local.hour) + separator + twoDigits(local.minute))
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}

extension FakeInstrument {
    /// True if fractions of a share can be traded: below 100,000 dollars a share.
    var isFractionable: Bool { anchor < 100_000_00 }
}
