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
    func values(_ spelling: String, _ window: ChartWindow, _ range: ChartQueryRange) -> [String: String] {
        var values = intervals[window.interval] ?? [:]
        values["symbol"] = spelling
        values["from"] = times.text(range.from)
        values["to"] = times.text(range.to)
        values["adjustment"] = adjustment(of: window)?.text
        values["limit"] = String(window.maximumCandles)
        return values
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
        if var range = ChartQueryRange(window, now: client.clock.wallTime()) {
            for _ in 1...max(endpoint.pages, 1) {
                let values = endpoint.values(spelling, window, range)
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
                    let oldest = candles.last, range.end(before: oldest)
                else { break }
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
        let calendar = CandleCalendar(
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
