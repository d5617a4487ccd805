package import Brokerage

/// The quantities of one instrument that goals have allocated.
///
/// An allocation with an account uses the holding of that account; one without uses the holdings of all
/// accounts. The allocations are possible if no account gives more than it holds, and all together do not
/// exceed the sum of the holdings.
struct AllocationTotals {
    private let symbol: Symbol
    private let held: HeldQuantities
    private var allocatedByAccount: [String: Decimal] = [:]
    private var allocatedFromAny = Decimal.zero

    private init(of symbol: Symbol, _ held: HeldQuantities) {
        self.symbol = symbol
        self.held = held
    }

    /// Returns the error if new allocations cannot be added to the existing ones; nil if they can.
    static func validationError(
        adding new: [GoalAllocation], to others: [GoalAllocation], holding held: HeldQuantities
    ) -> GoalError? {
        var claims: [Symbol: AllocationTotals] = [:]
        for (index, allocation) in new.enumerated() {
            let symbol = allocation.symbol
            do throws(Decimal.Overflow) {
                var claim: AllocationTotals
                if let known = claims[symbol] {
                    claim = known
                } else {
                    claim = AllocationTotals(of: symbol, held)
                    for other in others where other.symbol == symbol { try claim.add(other) }
                }
                guard try held.quantity(of: symbol, in: allocation.account) > .zero else {
                    return .notHeld(index: index)
                }
                if let overdraft = try claim.overallocation(by: allocation) {
                    return .overallocated(index: index, overdraft)
                }
                try claim.add(allocation)
                claims[symbol] = claim
            } catch {
                return .tooManyDigits(index: index)
            }
        }
        return nil
    }

    /// Returns nil if enough is left for the allocation.
    private func overallocation(by allocation: GoalAllocation) throws(Decimal.Overflow) -> GoalError
        .Overallocation?
    {
        let wanted = try allocation.claim(in: held)
        if let account = allocation.account {
            let (has, before) = (try held.quantity(of: symbol, in: account), try allocated(in: account))
            if try before + wanted > has {
                return GoalError.Overallocation(held: has, allocated: before, requested: wanted)
            }
        }
        let (has, before) = (try held.quantity(of: symbol, in: nil), try allocated())
        return try before + wanted > has
            ? GoalError.Overallocation(held: has, allocated: before, requested: wanted) : nil
    }

    private mutating func add(_ allocation: GoalAllocation) throws(Decimal.Overflow) {
        let claim = try allocation.claim(in: held)
        if let account = allocation.account {
            allocatedByAccount[account] = try (allocatedByAccount[account] ?? .zero) + claim
        } else {
            allocatedFromAny = try allocatedFromAny + claim
        }
    }

    /// At most what is held: if a holding was sold after it was allocated, other holdings do not replace it.
    private func allocated(in account: String) throws(Decimal.Overflow) -> Decimal {
        min(allocatedByAccount[account] ?? .zero, try held.quantity(of: symbol, in: account))
    }

    private func allocated() throws(Decimal.Overflow) -> Decimal {
        var sum = allocatedFromAny
        for account in allocatedByAccount.keys { sum = try sum + allocated(in: account) }
        return min(sum, try held.quantity(of: symbol, in: nil))
    }
}

extension GoalAllocation {
    /// The number of units that the allocation takes.
    fileprivate func claim(in held: HeldQuantities) throws(Decimal.Overflow) -> Decimal {
        switch share {
        case .all: try held.quantity(of: symbol, in: account)
        case .percent(let percent): try held.quantity(of: symbol, in: account).share(inPercent: percent)
        case .quantity(let quantity): quantity
        }
    }
}

/// The quantities of each instrument in a user's accounts, in units; short positions do not count.
package struct HeldQuantities: Hashable, Sendable {
    private var quantities: [Symbol: [String: Decimal]] = [:]

    package init() {}

    /// Counts what an account holds; `account` is the id that the schema gives it.
    package mutating func add(
        _ quantity: Decimal, of symbol: Symbol, in account: String
    ) throws(Decimal.Overflow) {
        let known = quantities[symbol]?[account] ?? .zero
        quantities[symbol, default: [:]][account] = try known + quantity
    }

    /// The quantity that an account holds; with nil, the quantity of all accounts.
    func quantity(of symbol: Symbol, in account: String?) throws(Decimal.Overflow) -> Decimal {
        let held = quantities[symbol] ?? [:]
        if let account { return held[account] ?? .zero }
        var sum = Decimal.zero
        for quantity in held.values { sum = try sum + quantity }
        return sum
    }
}

extension Decimal {
    /// The given percentage of the number, exactly.
    package func share(inPercent percent: Decimal) throws(Overflow) -> Decimal {
        try self * percent * Self.hundredth
    }

    private static let hundredth = Decimal("0.01") ?? .zero
}
