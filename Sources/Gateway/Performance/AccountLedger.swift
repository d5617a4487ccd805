import Brokerage
import Performance

/// The booked activities of an account.
struct AccountBookings: Sendable {
    let account: ConnectedAccount
    /// Oldest first.
    let activities: [Activity]
    /// The first day with complete activities; nil if all of the account are known.
    let knownFrom: CalendarDate?
    /// Whether the latest read of the activities failed.
    let isStale: Bool
}

/// The booked activities of an account, by their effect on return and cost.
struct AccountLedger: Sendable {
    let account: ConnectedAccount
    /// Oldest first.
    let activities: [ClassifiedActivity]
    /// The first day with complete activities; nil if all of the account are known.
    let knownFrom: CalendarDate?
    /// Whether the latest read of the activities failed.
    let isStale: Bool

    init(_ bookings: AccountBookings, _ classifier: ActivityClassifier) {
        account = bookings.account
        activities = classifier.classify(bookings.activities)
        (knownFrom, isStale) = (bookings.knownFrom, bookings.isStale)
    }

    /// The day of the first activity, before which the account was empty; nil if it is unknown.
    var openedOn: CalendarDate? { knownFrom == nil ? activities.first?.date : nil }

    /// The account with its values at the end of days.
    func record(_ valuations: [Valuation], currency: String) -> AccountRecord {
        AccountRecord(
            id: account.globalID, currency: currency, valuations: valuations, activities: activities,
            knownFrom: knownFrom, openedOn: openedOn)
    }

    /// What the account holds of an instrument, as an account of its own, valued by daily prices.
    ///
    /// `position` is the quantity that is held now, by which the quantity before the known activities is determined.
    func record(
        of symbol: Symbol, currency: String, position: Decimal, prices: DailyPrices?
    ) throws -> AccountRecord {
        let account = record([], currency: currency)
        let opening =
            knownFrom == nil ? [:] : try ActivityTotals.opening(of: [symbol: position], before: activities)
        let valuations =
            try prices.map {
                try account.valuations(
                    of: symbol, closes: $0.closes, isAdjusted: $0.isAdjusted, opening: opening)
            } ?? []
        var record = try account.position(in: symbol, currency: currency, valuations: valuations)
        if knownFrom == nil { record.openedOn = record.activities.first?.date }
        return record
    }

    /// The purchases that are still held, and the profits of those that were sold.
    ///
    /// `positions` are the quantities that are held now: the cost of units that are not among the activities is unknown.
    func lots(
        _ method: TaxLots.Method, positions: [Symbol: Decimal], in currency: Currency,
        rates: ExchangeRateHistory
    ) throws -> TaxLots {
        try TaxLots(
            method, activities: activities, in: currency.code, rates: rates,
            opening: ActivityTotals.opening(of: positions, before: activities), knownFrom: knownFrom)
    }
}

extension AccountRecord {
    /// The conversions between currencies that a calculation in a currency needs since a day; nil for all days.
    func conversions(to target: Currency, since start: CalendarDate?) throws -> Set<CurrencyPair> {
        var pairs: Set<CurrencyPair> = []
        func add(_ from: String, _ to: String) {
            // A code that is none of ISO 4217 has no rate.
            guard from != to, let from = try? Currency(from), let to = try? Currency(to) else { return }
            pairs.insert(CurrencyPair(from: from, to: to))
        }
        add(currency, target.code)
        for activity in activities where start.map({ $0 < activity.date }) ?? true {
            var moved = try activity.cash
            if case .trade(let trade) = activity.kind { moved = try trade.amount }
            guard let amount = moved else { continue }
            // A booked amount is preferred; see ``ExchangeRateHistory``.
            let booked = amount.converted?.currency ?? amount.currency
            for wanted in [currency, target.code] where amount.currency != wanted { add(booked, wanted) }
        }
        return pairs
    }
}
