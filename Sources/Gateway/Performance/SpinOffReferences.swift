import Brokerage
import GraphQL
import Performance
import Upstream

/// The data of spin-offs that the activities of brokers do not contain, as far as it could be read.
struct SpinOffReferences: Sendable {
    /// By the symbols of the new companies; nothing for a spin-off that no source has, or whose parent could not be read.
    fileprivate(set) var known: [Symbol: ActivityClassifier.SpinOffReference] = [:]
    /// Why the spin-offs of an instrument, as the parent or as the new company, could not be read.
    fileprivate(set) var failures: [Symbol: FieldError] = [:]
}

extension PerformanceService {
    /// Reads the data of spin-offs that the activities of brokers do not contain: the parent, and the prices of the first
    /// regular day, by which the cost is divided.
    ///
    /// - Parameters:
    ///   - accounts: The activities of each account of one user.
    ///   - symbols: The instruments whose cost is calculated. Without one, nothing is read; spin-offs of others have no
    ///     prices.
    /// - Returns: The parents and the prices, as far as they could be read.
    func spinOffReferences(
        in accounts: [[Activity]], holding symbols: Set<Symbol>
    ) async -> SpinOffReferences {
        let activities = accounts.joined()
        let received = Dictionary(
            activities.filter { $0.kind == .spinOff }.compactMap { spinOff in
                spinOff.symbol.map { ($0, spinOff.date) }
            }
        ) { first, _ in first }
        var references = SpinOffReferences()
        if received.isEmpty || symbols.isEmpty { return references }
        var found = await references.add(
            received.keys.sorted { $0.text < $1.text }, through: CorporateActionService(scope))
        let missing = received.filter { found.spinOff(of: $0, near: $1) == nil }.keys
        if !missing.isEmpty {
            // A source may list a spin-off by its parent only, which is one of the instruments before it.
            let last = received.values.max() ?? .latest
            let parents = Set(activities.lazy.filter { $0.date <= last }.compactMap(\.symbol))
                .subtracting(received.keys).filter(\.isShareOrFund).sorted { $0.text < $1.text }
            if let failure = missing.lazy.compactMap({ references.failures[$0] }).first {
                // The source has just failed, so that it is not called again.
                for symbol in Set(parents).union(symbols)
                where CorporateActionService(scope).canHaveSpinOff(symbol) {
                    references.failures[symbol] = references.failures[symbol] ?? failure
                }
            } else {
                found += await references.add(
                    Array(parents.prefix(Self.maximumParents)), through: CorporateActionService(scope))
            }
        }
        // What is held can have another symbol by now.
        let histories = accounts.map { SymbolHistory(ActivityClassifier().classify($0)) }
        for (child, date) in received {
            guard let spinOff = found.spinOff(of: child, near: date) else { continue }
            let names = [child, spinOff.parent]
            let isHeld = histories.contains { history in
                names.contains { symbols.contains(history.latest($0, on: date)) }
            }
            let prices = isHeld ? await firstPrices(after: spinOff) : nil
            references.known[child] = .init(
                parent: spinOff.parent, parentPrice: prices?.parent, childPrice: prices?.child)
        }
        return references
    }

    /// Two calls of fifty.
    private static var maximumParents: Int { 100 }

    /// The closing prices of the first day with prices of both companies, as they were traded; nil if they are unknown.
    ///
    /// Prices that are corrected for later splits do not fit the quantities of the day.
    private func firstPrices(after spinOff: SpinOff) async -> (parent: Decimal, child: Decimal)? {
        let day = Int64(spinOff.exDate.daysSince1970)
        guard
            let arguments = try? ChartArguments(
                interval: .oneDay, range: nil, from: Instant(secondsSince1970: day * 86_400),
                to: Instant(secondsSince1970: (day + 7) * 86_400), last: 7, adjustment: .raw,
                isExtendedHours: nil, provider: nil),
            let results = try? await ChartService(scope).charts(
                for: [spinOff.parent, spinOff.child], arguments, as: { $0.series }
            ).value(),
            let parent = results.first.flatMap({ try? $0.get() }).map(DailyPrices.init),
            let child = results.last.flatMap({ try? $0.get() }).map(DailyPrices.init),
            parent.currency == child.currency
        else { return nil }
        for price in child.closes where price.date >= spinOff.exDate {
            if let other = parent.closes.first(where: { $0.date == price.date }) {
                return (other.value, price.value)
            }
        }
        return nil
    }
}

extension [SpinOff] {
    /// The spin-off of a company whose shares were booked on a day, which may be some days after the ex-date.
    fileprivate func spinOff(of child: Symbol, near date: CalendarDate) -> SpinOff? {
        func distance(_ spinOff: SpinOff) -> Int { abs(spinOff.exDate.daysSince1970 - date.daysSince1970) }
        return filter { $0.child == child && distance($0) <= 30 }.min { distance($0) < distance($1) }
    }
}

extension SpinOffReferences {
    /// Reads the spin-offs of instruments, and records the failures.
    fileprivate mutating func add(_ symbols: [Symbol], through actions: CorporateActionService) async
        -> [SpinOff]
    {
        var found: [SpinOff] = []
        for (symbol, result) in zip(symbols, await actions.spinOffs(of: symbols)) {
            switch result {
            case .success(let spinOffs): found += spinOffs
            case .failure(let error): failures[symbol] = error
            }
        }
        return found
    }
}
