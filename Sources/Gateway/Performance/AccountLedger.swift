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
    private let unreadableSpinOffs: [UnreadableSpinOff]
    /// Why the spin-offs of an instrument could not be read.
    private let spinOffFailures: [Symbol: FieldError]

    init(
        _ bookings: AccountBookings, _ spinOffs: SpinOffReferences, multipliers: [Symbol: Decimal]
    ) {
        account = bookings.account
        activities = ActivityClassifier(spinOffs: spinOffs.known, multipliers: multipliers)
            .classify(bookings.activities)
        (knownFrom, isStale, spinOffFailures) = (bookings.knownFrom, bookings.isStale, spinOffs.failures)
        unreadableSpinOffs = UnreadableSpinOff.all(in: activities, spinOffs.failures)
    }

    /// Checks that the spin-offs of an instrument are known.
    ///
    /// Without the parent of a spin-off, the cost and the return of each instrument that can be the parent would be wrong.
    ///
    /// - Parameters:
    ///   - symbol: The instrument.
    ///   - position: The quantity that is held now.
    /// - Throws: The failure of the source of spin-offs, if a spin-off in the account can be one of the instrument.
    func checkSpinOffs(of symbol: Symbol, position: Decimal) throws {
        for spinOff in unreadableSpinOffs {
            if let failure = spinOff.failures[symbol] { throw failure }
            // It can have been held before all known activities.
            guard knownFrom != nil, !position.isZero, let failure = spinOffFailures[symbol] else { continue }
            let opening = try ActivityTotals.opening(of: [symbol: position], before: activities)
            if !opening.isEmpty { throw failure }
        }
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
    /// `position` is the quantity that is held now, by which the quantity before the known activities is determined. Without
    /// `multiplier`, the number by which quantity times price is multiplied, there are no values.
    func record(
        of symbol: Symbol, currency: String, position: Decimal, multiplier: Decimal?, prices: DailyPrices?
    ) throws -> AccountRecord {
        let account = record([], currency: currency)
        let opening =
            knownFrom == nil ? [:] : try ActivityTotals.opening(of: [symbol: position], before: activities)
        var valuations: [Valuation] = []
        if let multiplier, let prices {
            valuations = try account.valuations(
                of: symbol, closes: prices.closes, isAdjusted: prices.isAdjusted, multiplier: multiplier,
                opening: opening)
        }
        var record = try account.position(
            in: symbol, currency: currency, valuations: valuations, opening: opening)
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

/// A spin-off whose parent could not be read.
private struct UnreadableSpinOff {
    /// By the latest symbols of the new company and of the instruments that can be the parent.
    let failures: [Symbol: FieldError]

    /// Those of an account; `spinOffFailures` has the failures of the reads by symbol.
    static func all(
        in activities: [ClassifiedActivity], _ spinOffFailures: [Symbol: FieldError]
    ) -> [UnreadableSpinOff] {
        if spinOffFailures.isEmpty { return [] }
        let symbols = SymbolHistory(activities)
        return activities.compactMap { activity in
            guard case .spinOff(let spinOff) = activity.kind, spinOff.parent == nil else { return nil }
            var failures: [Symbol: FieldError] = [:]
            for earlier in activities where earlier.date <= activity.date {
                guard let symbol = earlier.receivedSymbol, symbol != spinOff.child,
                    let failure = spinOffFailures[symbol]
                else { continue }
                failures[symbols.latest(symbol, on: earlier.date)] = failure
            }
            guard let failure = spinOffFailures[spinOff.child] ?? failures.values.first else { return nil }
            failures[symbols.latest(spinOff.child, on: activity.date)] = failure
            return UnreadableSpinOff(failures: failures)
        }
    }
}

extension ClassifiedActivity {
    /// The instrument of the activity; of a spin-off the new company.
    fileprivate var receivedSymbol: Symbol? {
        if case .spinOff(let spinOff) = kind { spinOff.child } else { symbol }
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
            if case .securitiesTransfer(let transfer) = activity.kind, let from = transfer.currency {
                for wanted in [currency, target.code] { add(from, wanted) }
            }
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
