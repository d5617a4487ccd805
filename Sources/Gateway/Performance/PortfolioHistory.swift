import Brokerage
package import GraphQL
package import Performance
import Upstream

/// The value of all accounts of a user at the ends of days, in one currency.
struct PortfolioHistory: Sendable {
    let currency: Currency
    /// In the smallest unit of the currency.
    let points: [DatedValue]
    /// Why the points do not cover the range; nil if they do.
    let undetermined: Undetermined?
    let provenances: [Provenance]
}

struct PortfolioHistoryArguments: GraphQLArguments {
    let period: PerformancePeriod
    let points: PointsArguments

    init(_ arguments: ArgumentReader) throws {
        period = PerformancePeriod(try arguments["range"])
        points = try PointsArguments(arguments)
    }
}

extension PerformanceService {
    /// The values of all accounts together, on each day on which all are known.
    func history(
        of portfolio: Portfolio, _ arguments: PortfolioHistoryArguments
    ) async throws -> PortfolioHistory? {
        // If all values are in memory, nothing below waits, and the task can still be on the event loop of the request.
        await Task.yield()
        let accounts = try portfolio.accounts()
        let results = await dailyHistories(of: accounts)
        let histories = try accounts.compactMap { try results[$0.globalID]?.get() }
        // Values need no activities. Before its first value an account was empty.
        let records = histories.filter { !$0.points.isEmpty }.enumerated().map { index, history in
            AccountRecord(
                id: String(index), currency: history.currency, valuations: history.valuations,
                activities: [], openedOn: history.valuations.first?.date)
        }
        let today = self.today(of: accounts)
        let last = records.compactMap { $0.valuations.last?.date }.min()
        let (start, end) = try arguments.period.days(on: today, last: last)
        let first = start ?? records.compactMap(\.openedOn).min() ?? today
        let day = first.adding(days: -7) ?? .earliest
        let pairs = try records.reduce(into: Set<CurrencyPair>()) { pairs, record in
            pairs.formUnion(try record.conversions(to: portfolio.currency, since: start))
        }
        let rates = try await DailyPriceService(scope).rates(
            of: pairs, from: CalendarDate(year: day.year, month: 1, day: 1) ?? day)
        let report = PerformanceReport.calculate(
            records, in: portfolio.currency.code, from: start, through: end, rates: rates.history)
        // The period begins with 0 if it begins before the first account was opened.
        let points = report.series.drop { $0.value.isZero }.map {
            DatedValue($0.date, $0.value.rounded(in: portfolio.currency.code))
        }
        return PortfolioHistory(
            currency: portfolio.currency, points: try arguments.points.thinned(Array(points)),
            undetermined: report.gain.undetermined, provenances: histories.map(\.provenance))
    }
}

extension PortfolioHistory: GraphQLObject {
    static let graphQL = ObjectType<PortfolioHistory>("PortfolioHistory") {
        Field("currency") { $0.currency.code }
        Field("points", \.points)
        Field("undetermined", \.undetermined)
        Field("asOf") { $0.provenances.asOf }
        Field("fetchedAt") { $0.provenances.map(\.fetchedAt).min() }
        Field("source") { $0.provenances.commonSource }
        Field("stale") { $0.provenances.contains(where: \.isStale) }
    }
}

extension DatedValue: GraphQLObject {
    package static let graphQL = ObjectType<DatedValue>("PortfolioPoint") {
        Field("date", \.date)
        Field("value", \.value)
    }
}
