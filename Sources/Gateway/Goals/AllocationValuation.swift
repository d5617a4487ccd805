package import Brokerage
import GraphQL
package import Storage

/// The value of an allocation in one currency.
package struct AllocationValuation: Sendable {
    /// The positions of the allocation; nil if they are unknown.
    let positions: Result<[ConnectedPosition]?, any Error>
    /// Nil if the value is unknown: a sum never omits a part.
    package let value: Result<Decimal?, any Error>
    /// Of every conversion, each once.
    let rates: [ExchangeRate]

    /// Of what, and in which currency.
    package struct Request: Sendable {
        let allocation: GoalAllocation
        let currency: String

        package init(allocation: GoalAllocation, currency: String) {
            (self.allocation, self.currency) = (allocation, currency)
        }
    }

    package init(_ request: Request, _ holdings: UserHoldings, _ table: ExchangeRateTable) {
        let allocation = request.allocation
        let positions = Result {
            try holdings.positions(of: allocation.symbol, inAccount: allocation.account)
        }
        var rates: [ExchangeRate] = []
        value = positions.flatMap { positions in
            Result<Decimal?, any Error> {
                guard let positions, let amounts = try Self.amounts(of: allocation.share, in: positions)
                else {
                    return nil
                }
                var sum = Decimal.zero
                for amount in amounts {
                    let rate = try table.rate(from: amount.currency, to: request.currency)
                    if let rate, !rates.contains(rate) { rates.append(rate) }
                    sum = try sum + amount.converted(by: rate)
                }
                return sum
            }
        }
        self.positions = positions
        self.rates = rates
    }

    /// The values of a share of positions, one for each position; nil if one has no known value.
    private static func amounts(
        of share: GoalAllocation.Share, in positions: [ConnectedPosition]
    ) throws -> [Amount]? {
        var held = Decimal.zero
        for connected in positions { held = try held + connected.position.quantity }
        var amounts: [Amount] = []
        for connected in positions {
            guard let worth = connected.position.marketValue else { return nil }
            amounts.append(
                Amount(value: try share.value(of: worth, held: held), currency: connected.position.currency))
        }
        return amounts
    }

    private struct Amount {
        let value: Decimal
        let currency: String

        func converted(by rate: ExchangeRate?) throws -> Decimal {
            guard let rate else { return value.rounded(in: currency) }
            guard let converted = rate.convert(value) else { throw Decimal.Overflow() }
            return converted
        }
    }
}

extension GoalAllocation.Share {
    /// Digits after the point of a quotient that has no end: far below anything that is paid.
    private static var digitsOfQuotient: Int { 10 }

    /// The part of a position's value that belongs to the allocation, if the quantity `held` is held in all.
    ///
    /// An allocation of more than is held counts for the quantity that is held.
    fileprivate func value(of worth: Decimal, held: Decimal) throws -> Decimal {
        switch self {
        case .all: return worth
        case .percent(let percent):
            return try worth.share(inPercent: percent)
        case .quantity(let quantity):
            guard quantity < held else { return worth }
            return try (worth * quantity).divided(by: held, to: Self.digitsOfQuotient, .halfEven)
        }
    }
}

extension Sequence<AllocationValuation> {
    /// The total value; nil if one value is unknown.
    ///
    /// - Throws: The failure of an unknown value: a sum without it would be too small.
    func total() throws -> Decimal? {
        var sum = Decimal.zero
        var isKnown = true
        for appraisal in self {
            if let value = try appraisal.value.get() { sum = try sum + value } else { isKnown = false }
        }
        return isKnown ? sum : nil
    }

    /// The provenances of the values.
    var provenances: [Provenance] {
        flatMap { appraisal in
            ((try? appraisal.positions.get()) ?? []).map(\.position.provenance)
                + appraisal.rates.map(\.provenance)
        }
    }
}
