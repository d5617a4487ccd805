package import Brokerage
package import Upstream

extension SaxoClient {
    /// The value of an account at the end of each market day: `hist/v4/performance/timeseries`.
    ///
    /// Saxo calculates it once a day, so that the current day is missing: `unsupported` are ``DateRange/oneDay``, and
    /// intervals other than a day. An account without performance (404) has no points.
    package func history(
        of account: String, _ range: DateRange, interval: Interval?, in context: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        guard range != .oneDay, interval == nil || interval == .oneDay else {
            throw ProviderFailure(.saxo, .unsupported)
        }
        let account = try await listedAccount(account, in: context)
        let today = clock.wallTime().dateInUTC
        var query: [(name: String, value: String?)] = [
            ("ClientKey", account.clientKey), ("AccountKey", account.key),
            ("FieldGroups", "Balance_AccountValue"),
        ]
        if let first = range.firstDay(until: today) {
            query += [("FromDate", first.description), ("ToDate", today.description)]
        } else {
            query.append(("StandardPeriod", "AllTime"))
        }
        let url = try address(.history, ["v4", "performance", "timeseries"], query)
        var series = SaxoPerformanceSeries()
        do throws(ProviderFailure) {
            series = try await get("history", .history, url, in: context) { response throws(JSONError) in
                try SaxoPerformanceSeries(json: response.body)
            }
        } catch {
            guard error.cause == .notFound else { throw error }
        }
        return series.history(of: account, range, fetchedAt: clock.wallTime())
    }
}

/// The response of `GET /hist/v4/performance/timeseries`, with the members that Portico uses.
package struct SaxoPerformanceSeries: JSONObjectDecodable {
    private var balance: Balance?

    package static let json = JSONFields(Self()) {
        $0.optional("Balance", \.balance)
    }

    struct Balance: JSONObjectDecodable {
        var accountValue = JSONRows<Point>()

        static let json = JSONFields(Self()) {
            $0.optional("AccountValue", \.accountValue) { reader throws(JSONError) in
                try reader.rows()
            }
        }
    }

    /// A value at the end of a day.
    struct Point: JSONObjectDecodable, Hashable {
        var date = CalendarDate.earliest
        var value = Decimal.zero

        static let json = JSONFields(Self()) {
            $0.required("Date", \.date) { reader throws(JSONError) in try reader.reportDateOrNil() }
            $0.required("Value", \.value)
        }
    }

    /// The history, oldest point first; the response promises no order.
    func history(of account: SaxoAccount, _ range: DateRange, fetchedAt: Instant) -> EquityHistory {
        let points = (balance?.accountValue.elements ?? []).sorted { $0.date < $1.date }.compactMap { point in
            Instant(secondsSince1970: Int64(point.date.daysSince1970) * 86_400).map { time in
                EquityPoint(
                    time: time, date: point.date, equity: point.value, profitLoss: nil, profitLossPercent: nil
                )
            }
        }
        var history = EquityHistory(
            range: range, interval: .oneDay, currency: account.currency, baseValue: nil, points: points,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        history.unreadable = balance?.accountValue.unreadable(in: "Balance.AccountValue") ?? []
        return history
    }
}
