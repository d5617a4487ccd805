import Brokerage
import Upstream

/// The call for past prices.
struct ChartEndpoint: Sendable {
    let request: RequestTemplate
    /// The placeholders of each interval.
    let intervals: [Interval: [String: String]]
    /// The text of each adjustment, the default one first.
    let adjustments: [(adjustment: Adjustment, text: String)]
    /// Whether candles of less than a day have the trades outside of the regular hours; nil if it is unknown.
    let hasExtendedHours: Bool?
    let times: TimeForm
    let isNewestFirst: Bool
    let pages: Int
    /// Whether the times of candles are dates of the exchange.
    let hasDates: Bool
    let reader: ItemListReader<Candle>
    let delayMinutes: Int?

    /// The form of the ends of a range in an address.
    enum TimeForm: String, Sendable, CaseIterable {
        case seconds = "SECONDS"
        case milliseconds = "MILLISECONDS"
        case nanoseconds = "NANOSECONDS"
        case rfc3339 = "RFC3339"
        case date = "DATE"

        func text(_ instant: Instant) -> String {
            switch self {
            case .seconds: String(instant.secondsSince1970)
            case .milliseconds: String(instant.millisecondsSince1970)
            // A whole number of nanoseconds of any year does not fit into 64 bits, its digits do.
            case .nanoseconds: String(instant.secondsSince1970) + "000000000"
            case .rfc3339: instant.description
            case .date: instant.dateInUTC.description
            }
        }
    }

    static let maximumCandles = 100_000

    /// The interval of a call that tests a key.
    var checkInterval: Interval { intervals[.oneDay] == nil ? intervals.keys.first ?? .oneDay : .oneDay }

    /// The table of the values of a candle.
    static func reader(
        at items: JSONPath, status: StatusMember?, more: JSONPath?, fields: [String: ValueMapping]
    ) -> ItemListReader<Candle> {
        let zero = OHLC(open: .zero, high: .zero, low: .zero, close: .zero)
        let table = JSONPathFields(Candle(time: 0, prices: zero, volume: nil)) { builder in
            let prices: [(String, WritableKeyPath<Candle, Decimal>)] = [
                ("open", \.prices.open), ("high", \.prices.high), ("low", \.prices.low),
                ("close", \.prices.close),
            ]
            for (name, property) in prices { builder.required(fields[name], property) { $0.decimal } }
            builder.optional(fields["volume"], \.volume) { $0.decimal }
            builder.required(fields["time"], \.time) { $0.seconds }
        }
        return ItemListReader(at: items, status: status, next: more, maximum: maximumCandles, table)
    }

    /// The text of the adjustment of a window; nil if it has none to choose.
    func adjustment(of window: ChartWindow) -> (adjustment: Adjustment, text: String)? {
        guard let requested = window.adjustment else { return adjustments.first }
        return adjustments.first { $0.adjustment == requested }
    }

    /// The values of the placeholders.
    func values(_ spelling: String, _ window: ChartWindow, from: Instant, to: Instant) -> [String: String] {
        var values = intervals[window.interval] ?? [:]
        values["symbol"] = spelling
        values["from"] = times.text(from)
        values["to"] = times.text(to)
        values["adjustment"] = adjustment(of: window)?.text
        values["limit"] = String(window.maximumCandles)
        return values
    }

    /// The range of the calls, both ends included; nil where nothing can lie in the window.
    func range(_ window: ChartWindow, now: Instant) -> (from: Instant, to: Instant)? {
        let to = min(window.to.map { $0 - .milliseconds(1) } ?? now, now)
        // Weeks may begin a day before Portico's, and days may be counted in another zone.
        let from = window.from.map { $0 - .seconds(86_400) } ?? Self.reach(back: window, to: to)
        return from <= to ? (from, to) : nil
    }

    /// The start of a range that contains the requested number of candles.
    ///
    /// A share is traded in 6.5 of 24 hours and on five of seven days, except on holidays.
    private static func reach(back window: ChartWindow, to: Instant) -> Instant {
        let length = window.interval.length(on: to.dateInUTC)
        let share: Int64 = window.interval.isIntraday ? 6 : 2
        let seconds = Int64(window.maximumCandles) * length * share + 10 * 86_400
        return to - .seconds(seconds)
    }
}

/// The past prices of a provider file.
struct FileCharts: ChartSource {
    let client: FileProviderClient
    let endpoint: ChartEndpoint

    var chartCapabilities: ChartCapabilities {
        let intervals = Set(endpoint.intervals.keys)
        let extended = endpoint.hasExtendedHours == true ? intervals.intersection(Interval.intraday) : []
        return ChartCapabilities(
            intervals: intervals, adjustments: Set(endpoint.adjustments.map(\.adjustment)),
            extendedHours: extended, regularHours: intervals.subtracting(extended))
    }

    /// Reads the candles, which have the hours that the file names.
    ///
    /// If a response is empty and the provider has a call for one instrument, that is called too: an unknown symbol is not
    /// an empty chart.
    func charts(
        of symbols: [Symbol], _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window) else { throw ProviderFailure(client.id, .unsupported) }
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols {
            guard let spelling = client.symbols.providerSymbol(for: symbol) else { continue }
            charts[symbol] = try await chart(of: symbol, spelling, window, in: call)
        }
        return charts
    }

    private func chart(
        of symbol: Symbol, _ spelling: String, _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        var result = ItemList<Candle>()
        var candles: [Candle] = []
        if var range = endpoint.range(window, now: client.clock.wallTime()) {
            for _ in 1...max(endpoint.pages, 1) {
                let values = endpoint.values(spelling, window, from: range.from, to: range.to)
                guard let page = try await page(values, in: call) else { return nil }
                result.timeliness = page.timeliness
                result.next = page.next
                result.failures += page.failures
                // The oldest candle of a page that was cut may be incomplete: the next page has it again.
                let items = page.items
                let isCut = page.next != nil && endpoint.isNewestFirst && items.count > 1
                candles += isCut ? items.dropLast() : items[...]
                // A candle that could not be read is one of the requested candles.
                guard isCut, candles.count + result.failures.count < window.maximumCandles,
                    let oldest = candles.last,
                    let end = Instant(secondsSince1970: oldest.time).map({ $0 - .milliseconds(1) }),
                    range.from <= end, end < range.to
                else { break }
                range.to = end
            }
            if candles.isEmpty, result.failures.isEmpty, try await isUnknown(symbol, in: call) { return nil }
        }
        result.rows = JSONRows(candles)
        return try endpoint.series(
            of: symbol, result, window, client.symbols, source: client.id,
            fetchedAt: client.clock.wallTime())
    }

    /// Nil for a symbol that the provider does not know.
    private func page(
        _ values: [String: String], in call: CallContext
    ) async throws(ProviderFailure) -> ItemList<Candle>? {
        do throws(ProviderFailure) {
            return try await client.items("chart", endpoint.request, values, in: call, by: endpoint.reader)
        } catch {
            if error.cause == .notFound { return nil }
            throw error
        }
    }

    /// Whether the provider's call for one instrument does not know the symbol.
    ///
    /// - Throws: `ProviderFailure` if it fails: an unknown symbol is not an empty chart.
    private func isUnknown(_ symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> Bool {
        guard client.description.instrument != nil else { return false }
        do throws(ProviderFailure) {
            _ = try await FileInstruments(client: client).instrument(symbol, in: call)
            return false
        } catch {
            guard error.cause == .notFound else { throw error }
            return true
        }
    }
}

extension ChartEndpoint {
    /// The series of a response.
    ///
    /// - Throws: `ProviderFailure` if too many candles have a value with too many digits.
    func series(
        of symbol: Symbol, _ list: ItemList<Candle>, _ window: ChartWindow, _ symbols: FileSymbols,
        source: ProviderID, fetchedAt: Instant
    ) throws(ProviderFailure) -> CandleSeries {
        let candles = list.items
        let calendar = FileCalendar(
            symbols.form(of: symbol)?.days ?? .utc, window.interval, candles, hasDates: hasDates)
        var series = CandleSeries(
            symbol: symbol, interval: window.interval,
            provenance: Provenance(source: source, fetchedAt: fetchedAt), reserving: candles.count)
        series.currency = symbols.currency(of: symbol)
        series.adjustment = adjustment(of: window)?.adjustment
        series.isExtendedHours = window.interval.isIntraday ? hasExtendedHours : nil
        series.timeZone = calendar.timeZone
        series.unreadable = list.unreadable
        do throws(Decimal.Overflow) {
            try series.append(calendar.oldestFirst(candles, isNewestFirst: isNewestFirst), in: window)
        } catch {
            throw ProviderFailure(source, .invalidResponse(nil))
        }
        // Trades of a delayed plan are known some time later.
        let delay = list.timeliness == .delayed ? delayMinutes ?? StatusMember.standardDelay : 0
        let known = fetchedAt - .seconds(60 * delay)
        series.isLastComplete = series.isLastOver(at: known, offset: calendar.offset(at: fetchedAt))
        if list.next != nil { series.isTruncated = true }
        return series
    }
}

/// The days of a series.
private struct FileCalendar {
    private let interval: Interval
    private let isUTC: Bool
    private let hasDates: Bool

    init(_ days: FileSymbols.Days, _ interval: Interval, _ candles: [Candle], hasDates: Bool) {
        self.interval = interval
        self.hasDates = hasDates
        isUTC =
            switch days {
            case .newYork: false
            case .utc: true
            case .candles:
                interval.isIntraday || candles.first.map { $0.time.isMultiple(of: 86_400) } ?? true
            }
    }

    /// An IANA name.
    var timeZone: String { isUTC ? "Etc/UTC" : "America/New_York" }

    func offset(at moment: Instant) -> Int { isUTC ? 0 : moment.newYorkOffset }

    /// The candles in the order of time, each under the beginning of its interval.
    func oldestFirst(_ items: [Candle], isNewestFirst: Bool) -> [Candle] {
        var candles = isNewestFirst ? Array(items.reversed()) : items
        if hasDates || interval == .oneWeek {
            for index in candles.indices { candles[index].time = start(of: candles[index].time) }
        }
        // Providers are in order, but few guarantee it.
        let isSorted = zip(candles, candles.dropFirst()).allSatisfy { $0.time <= $1.time }
        return isSorted ? candles : candles.sorted { $0.time < $1.time }
    }

    /// The start of the interval: of a date midnight of the exchange, of a week its Monday.
    ///
    /// A week that begins on a Sunday is that of the next day.
    private func start(of time: Int64) -> Int64 {
        guard let instant = Instant(secondsSince1970: time) else { return time }
        var date = isUTC || hasDates ? instant.dateInUTC : instant.inNewYork.date
        if interval == .oneWeek {
            if date.weekday == .sunday { date = date.adding(days: 1) ?? date }
            date = interval.firstDay(around: date)
        }
        guard !isUTC, let midnight = LocalTime(date: date, hour: 0) else {
            return Int64(date.daysSince1970) * 86_400
        }
        return Instant(newYork: midnight).secondsSince1970
    }
}
