package import Brokerage

/// The purchases that are still held, and the profit of those that were sold, by one method of cost.
///
/// Transaction fees are part of the cost of a purchase, and reduce the proceeds of a sale. A split, a change of the
/// symbol and a spin-off carry the cost and the dates over. Short positions have negative quantities and costs. This
/// is no tax advice.
package struct TaxLots: Sendable, Hashable {
    package let method: Method
    /// The lots of each instrument with a quantity, the earliest purchase first; one lot with the average cost.
    package private(set) var lots: [Symbol: [TaxLot]] = [:]
    /// The sales, and the purchases that cover short positions, in the order of dates.
    package private(set) var disposals: [LotDisposal] = []
    /// The securities whose cost is unknown, because the activities do not reach back to their purchase.
    package private(set) var missing: [MissingCost] = []

    /// The symbols that the instruments had one after the other.
    package let symbols: SymbolHistory

    /// The instruments of which units were bought before the first activity.
    private var incomplete: Set<Symbol>
    private let firstKnown: CalendarDate?
    private let target: String
    private let rates: ExchangeRateHistory
    private var currencies: [Symbol: String] = [:]
    /// The lots of each instrument with a quantity, until all activities are added.
    private var open: [Symbol: OpenLots] = [:]

    /// How the cost of a sale is determined.
    package enum Method: String, Sendable, CaseIterable {
        /// The earliest lots are sold first.
        case fifo = "FIFO"
        /// All units of an instrument have the same cost.
        case averageCost = "AVERAGE_COST"
    }

    /// Securities without a known cost.
    package struct MissingCost: Sendable, Hashable {
        /// That of the day on which they were received or sold.
        package var symbol: Symbol
        package var quantity: Decimal
        /// The day; the earliest one if they were held before all activities.
        fileprivate var date = CalendarDate.earliest
        /// Their purchase is before this day; nil if they were transferred without a cost.
        package var before: CalendarDate?
    }

    /// Calculates the lots and the profits of an account.
    ///
    /// `opening` contains the quantities before the first activity (``ActivityTotals/opening(of:before:)``), whose cost is
    /// unknown, and `knownFrom` the first day with known activities; without both the activities of an instrument are
    /// complete since the account was opened. Throws ``Undetermined`` if trades of an instrument are in several currencies, and the
    /// errors of ``Decimal``.
    package init(
        _ method: Method, activities: [ClassifiedActivity], in currency: String, rates: ExchangeRateHistory,
        opening: [Symbol: Decimal] = [:], knownFrom: CalendarDate? = nil
    ) throws {
        (self.method, self.rates, target) = (method, rates, currency)
        (incomplete, firstKnown) = (Set(opening.keys), knownFrom)
        symbols = SymbolHistory(activities)
        for (symbol, quantity) in opening.sorted(by: { $0.key.text < $1.key.text }) where !quantity.isZero {
            open[symbol] = try OpenLots([TaxLot(quantity: quantity)])
            missing.append(MissingCost(symbol: symbol, quantity: quantity, before: knownFrom))
        }
        let fees = try TransactionFees(activities, symbols, in: currency, rates: rates)
        for activity in activities.inOrderOfEffect {
            try add(activity, fee: fees[activity.id])
        }
        lots = open.mapValues { Array($0.lots) }
        open = [:]
    }

    private mutating func add(_ activity: ClassifiedActivity, fee: TransactionFees.Amount) throws {
        let date = activity.date
        switch activity.kind {
        case .trade(var trade):
            trade.symbol = symbols.held(trade.symbol, on: date)
            try setCurrency(trade.currency, of: trade.symbol, on: date)
            try add(trade, fee: fee, on: date)
        case .securitiesTransfer(var transfer):
            transfer.symbol = symbols.held(transfer.symbol, on: date)
            if let currency = transfer.currency { try setCurrency(currency, of: transfer.symbol, on: date) }
            try self.transfer(transfer, on: date)
        case .exchange(let from, let to, let new, let old):
            try exchange(from, to: to, new: new, old: old, on: date)
        case .spinOff(let spinOff): try add(spinOff, on: date)
        case .returnOfCapital(let amount, let symbol):
            try reduceCost(of: symbols.held(symbol, on: date), by: amount.amount, on: date)
        case .stockDividend(let symbol, let quantity):
            try addUnits(quantity, of: symbols.held(symbol, on: date), on: date)
        case .unknownAmount(let unknown):
            guard unknown.effect == .returnOfCapital, let symbol = unknown.symbol else { break }
            try forgetCost(of: symbols.held(symbol, on: date))
        case .cashFlow, .income, .tax, .fee, .unclassified: break
        }
    }

    /// The sales of an instrument, also under its earlier symbols.
    package func disposals(of symbol: Symbol) -> [LotDisposal] {
        disposals.filter { symbols.latest($0.symbol, on: $0.date) == symbol }
    }

    /// The units of an instrument without a known cost, also under its earlier symbols.
    package func missing(of symbol: Symbol) -> [MissingCost] {
        missing.filter { symbols.latest($0.symbol, on: $0.date) == symbol }
    }

    private mutating func setCurrency(_ currency: String, of symbol: Symbol, on date: CalendarDate) throws {
        guard currencies[symbol, default: currency] == currency else {
            throw Undetermined(.mixedCurrencies, date: date, symbol: symbol, currency: currency)
        }
        currencies[symbol] = currency
    }

    /// The amount in the currency of the result; nil without a rate.
    private func converted(_ amount: CurrencyAmount, on date: CalendarDate) throws -> Decimal? {
        do {
            return try rates.convert(amount, to: target, on: date)
        } catch is Undetermined {
            return nil
        }
    }

    // MARK: Trades

    private mutating func add(
        _ trade: ClassifiedActivity.Trade, fee: TransactionFees.Amount, on date: CalendarDate
    ) throws {
        let (symbol, quantity) = (trade.symbol, trade.quantity)
        guard !quantity.isZero else { return }
        let booked = try trade.amount.map { amount in
            TransactionFees.Amount(own: amount.amount, converted: try converted(amount, on: date))
        }
        let amount = try (booked ?? .unknown) + fee
        // What closes lots of the other sign; the rest opens a lot.
        let held = open[symbol]?.quantity ?? .zero
        var closing = Decimal.zero
        if held.isNegative != quantity.isNegative, !held.isZero {
            // All lots are removed with their own digits.
            closing =
                try held.magnitude < quantity.magnitude
                ? (open[symbol]?.lots ?? []).map(\.quantity).sum().negated : quantity
        }
        let opening = try quantity - closing
        let (closingAmount, openingAmount) = try amount.split(closing, of: quantity)
        if !closing.isZero {
            let sold = try take(closing.negated, of: symbol)
            try dispose(sold, of: symbol, proceeds: closingAmount, on: date)
        }
        if opening.isNegative, !trade.isShortSale, firstKnown != nil || incomplete.contains(symbol) {
            // The units were bought before the known activities.
            let unknown = TaxLot(quantity: try opening.magnitude)
            missing.append(
                MissingCost(symbol: symbol, quantity: unknown.quantity, date: date, before: firstKnown))
            try dispose([unknown], of: symbol, proceeds: openingAmount, on: date)
        } else if !opening.isZero {
            try append(
                TaxLot(
                    acquired: date, quantity: opening, cost: openingAmount.own?.negated,
                    convertedCost: openingAmount.converted?.negated),
                to: symbol)
        }
    }

    private mutating func dispose(
        _ sold: [TaxLot], of symbol: Symbol, proceeds: TransactionFees.Amount, on date: CalendarDate
    ) throws {
        var rest = proceeds
        var remaining = try sold.map(\.quantity).sum()
        for lot in sold {
            let (share, next) = try rest.split(lot.quantity, of: remaining)
            (rest, remaining) = (next, try remaining - lot.quantity)
            disposals.append(
                LotDisposal(
                    lot, of: symbol, in: currencies[symbol] ?? target, proceeds: share.own, on: date,
                    converted: try lot.convertedProfit(proceeds: share.own, converted: share.converted)))
        }
    }

    // MARK: Lots

    /// Adds a lot, to the only lot with the average cost.
    private mutating func append(_ lot: TaxLot, to symbol: Symbol) throws {
        guard method == .averageCost, let pool = open[symbol]?.lots.last else {
            return try open[symbol, default: OpenLots()].append(lot)
        }
        func sum(_ first: Decimal?, _ second: Decimal?) throws -> Decimal? {
            guard let first, let second else { return nil }
            return try first + second
        }
        open[symbol] = try OpenLots([
            TaxLot(
                acquired: pool.acquired.flatMap { first in lot.acquired.map { min(first, $0) } },
                quantity: try pool.quantity + lot.quantity, cost: try sum(pool.cost, lot.cost),
                convertedCost: try sum(pool.convertedCost, lot.convertedCost))
        ])
    }

    /// Removes units of the earliest lots, at most all of them.
    private mutating func take(_ quantity: Decimal, of symbol: Symbol) throws -> [TaxLot] {
        var remaining = quantity
        var taken: [TaxLot] = []
        // Removed, so that its lots are changed in place.
        guard var held = open.removeValue(forKey: symbol) else { return [] }
        while !remaining.isZero, let lot = held.lots.first {
            guard try remaining.magnitude < lot.quantity.magnitude else {
                taken.append(lot)
                try held.removeFirst()
                remaining = try remaining - lot.quantity
                continue
            }
            let (part, rest) = try lot.split(at: remaining)
            taken.append(part)
            try held.replaceFirst(by: rest)
            break
        }
        if !held.lots.isEmpty { open[symbol] = held }
        return taken
    }

    private mutating func transfer(
        _ transfer: ClassifiedActivity.SecuritiesTransfer, on date: CalendarDate
    ) throws {
        let (symbol, quantity) = (transfer.symbol, transfer.quantity)
        guard !quantity.isNegative else {
            _ = try take(quantity.magnitude, of: symbol)
            return
        }
        if transfer.cost == nil {
            missing.append(MissingCost(symbol: symbol, quantity: quantity, date: date))
        }
        try append(
            TaxLot(
                acquired: transfer.cost.map { _ in date }, quantity: quantity, cost: transfer.cost,
                convertedCost: try transfer.cost.flatMap { cost in
                    try transfer.currency.flatMap { try converted(CurrencyAmount(cost, $0), on: date) }
                }),
            to: symbol)
    }

    // MARK: Corporate actions

    private mutating func exchange(
        _ from: Symbol, to: Symbol, new: Decimal, old: Decimal, on date: CalendarDate
    ) throws {
        let before = open.removeValue(forKey: from)?.lots ?? []
        if incomplete.contains(from) { incomplete.insert(to) }
        if let currency = currencies[from], !before.isEmpty { try setCurrency(currency, of: to, on: date) }
        let after = try before.map { lot in
            var lot = lot
            lot.quantity = try lot.quantity.quantityProportion(new, of: old)
            return lot
        }
        if from == to {
            open[to] = after.isEmpty ? nil : try OpenLots(after)
        } else {
            try carry(after, to: to)
        }
    }

    /// Adds units without a cost, as if each unit that is held became more of them; the dates are kept.
    private mutating func addUnits(_ quantity: Decimal, of symbol: Symbol, on date: CalendarDate) throws {
        guard let before = open[symbol], !before.quantity.isZero else {
            // They are those of units that were bought before the known activities.
            missing.append(MissingCost(symbol: symbol, quantity: quantity, date: date, before: firstKnown))
            try append(TaxLot(quantity: quantity), to: symbol)
            return
        }
        var rest = quantity
        var after: [TaxLot] = []
        for (index, lot) in before.lots.enumerated() {
            let isLast = index == before.lots.count - 1
            let share =
                isLast ? rest : try quantity.quantityProportion(lot.quantity, of: before.quantity)
            rest = try rest - share
            var lot = lot
            lot.quantity = try (lot.quantity + share).withoutTrailingZeros
            if !lot.quantity.isZero { after.append(lot) }
        }
        open[symbol] = after.isEmpty ? nil : try OpenLots(after)
    }

    /// Adds lots of another symbol with their dates: the earliest lots are sold first, whatever their symbol was.
    private mutating func carry(_ carried: [TaxLot], to symbol: Symbol) throws {
        switch method {
        case .fifo where !carried.isEmpty: try open[symbol, default: OpenLots()].merge(carried)
        case .fifo: break
        case .averageCost: for lot in carried { try append(lot, to: symbol) }
        }
    }

    private mutating func add(_ spinOff: ClassifiedActivity.SpinOff, on date: CalendarDate) throws {
        let parent = spinOff.parent.flatMap { heldParent($0, on: date) }
        let parents = parent.flatMap { open[$0]?.lots } ?? []
        let held = try parents.map(\.quantity).sum()
        func isMissing(_ symbol: Symbol, _ quantity: Decimal, before: CalendarDate?) -> MissingCost {
            MissingCost(symbol: symbol, quantity: quantity, date: date, before: before)
        }
        guard let parent, !held.isZero else {
            try append(TaxLot(quantity: spinOff.quantity), to: spinOff.child)
            missing.append(isMissing(spinOff.child, spinOff.quantity, before: firstKnown))
            return
        }
        if let currency = currencies[parent] {
            currencies[spinOff.child] = currencies[spinOff.child] ?? currency
        }
        var values: (parent: Decimal, child: Decimal)?
        if let parentPrice = spinOff.parentPrice, let childPrice = spinOff.childPrice {
            values = (try held * parentPrice, try spinOff.quantity * childPrice)
        } else {
            missing.append(isMissing(spinOff.child, spinOff.quantity, before: date))
            missing.append(isMissing(parent, held, before: date))
        }
        var rest = spinOff.quantity
        var kept: [TaxLot] = []
        var received: [TaxLot] = []
        for (index, var lot) in parents.enumerated() {
            let isLast = index == parents.count - 1
            let quantity = isLast ? rest : try lot.quantity.quantityProportion(spinOff.quantity, of: held)
            rest = try (rest - quantity).withoutTrailingZeros
            func share(_ cost: Decimal?) throws -> Decimal? {
                guard let cost, let values else { return nil }
                return try cost.proportion(values.child, of: values.parent + values.child)
            }
            let (cost, converted) = (try share(lot.cost), try share(lot.convertedCost))
            received.append(
                TaxLot(acquired: lot.acquired, quantity: quantity, cost: cost, convertedCost: converted))
            lot.cost = try lot.cost.flatMap { whole in try cost.map { try whole - $0 } }
            lot.convertedCost = try lot.convertedCost.flatMap { whole in
                try converted.map { try whole - $0 }
            }
            kept.append(lot)
        }
        open[parent] = try OpenLots(kept)
        try carry(received, to: spinOff.child)
    }

    /// The symbol under which a parent is held: the source of the spin-off may name it by an earlier or a later one.
    private func heldParent(_ symbol: Symbol, on date: CalendarDate) -> Symbol? {
        if open[symbol] != nil { return symbol }
        let latest = symbols.latest(symbol, on: date)
        return open.keys.filter { symbols.latest($0, on: date) == latest }.min { $0.text < $1.text }
    }

    /// The cost after a return of capital of an unknown amount is unknown.
    private mutating func forgetCost(of symbol: Symbol) throws {
        guard let held = open[symbol]?.lots else { return }
        open[symbol] = try OpenLots(
            held.map { TaxLot(acquired: $0.acquired, quantity: $0.quantity, cost: nil, convertedCost: nil) })
    }

    /// Lowers the cost in proportion to the quantities; what exceeds the cost is a profit.
    private mutating func reduceCost(
        of symbol: Symbol, by amount: Decimal, on date: CalendarDate
    ) throws {
        let before = open[symbol]?.lots ?? []
        let held = try before.map(\.quantity).sum()
        guard !held.isZero else { return }
        var rest = amount
        var after: [TaxLot] = []
        for (index, lot) in before.enumerated() {
            let share = index == before.count - 1 ? rest : try amount.proportion(lot.quantity, of: held)
            rest = try rest - share
            var lot = lot
            if let cost = lot.cost {
                let reduced = try max(cost - share, min(cost, .zero))
                let excess = try reduced - (cost - share)
                if let converted = lot.convertedCost, !cost.isZero {
                    lot.convertedCost = try converted.proportion(reduced, of: cost)
                }
                lot.cost = reduced
                if !excess.isZero {
                    let none = TaxLot(
                        acquired: lot.acquired, quantity: .zero, cost: .zero, convertedCost: .zero)
                    let currency = currencies[symbol] ?? target
                    let value = try converted(CurrencyAmount(excess, currency), on: date)
                    disposals.append(
                        LotDisposal(
                            none, of: symbol, in: currency, proceeds: excess, on: date,
                            converted: try none.convertedProfit(proceeds: excess, converted: value)))
                }
            }
            after.append(lot)
        }
        open[symbol] = try OpenLots(after)
    }
}
