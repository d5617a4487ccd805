package import Brokerage

/// Something to save for, and the holdings that count towards it.
package struct StoredGoal: Hashable, Sendable {
    package let id: String
    package let content: GoalFields
    package let createdAt: Instant
    /// When something of it was last changed.
    package let updatedAt: Instant
}

/// The fields of a goal that its user sets.
package struct GoalFields: Hashable, Sendable {
    package var title: String
    package var about: String
    /// Above zero.
    package var target: Decimal
    /// ISO 4217; the target is in it.
    package var currency: String
    package var dueOn: CalendarDate?
    package var allocations: [GoalAllocation]

    package init(
        title: String, about: String, target: Decimal, currency: String, dueOn: CalendarDate?,
        allocations: [GoalAllocation]
    ) {
        self.title = title
        self.about = about
        self.target = target
        self.currency = currency
        self.dueOn = dueOn
        self.allocations = allocations
    }
}

/// A share of a holding that counts towards a goal.
package struct GoalAllocation: Hashable, Sendable {
    package let symbol: Symbol
    /// The account that counts, by the id that the schema gives it; nil for what all accounts hold.
    package let account: String?
    package let share: Share

    package init(symbol: Symbol, account: String?, share: Share) {
        self.symbol = symbol
        self.account = account
        self.share = share
    }

    package enum Share: Hashable, Sendable {
        /// All of it.
        case all
        /// A number of units, above zero.
        case quantity(Decimal)
        /// A percentage of the holding, above zero, at most 100.
        case percent(Decimal)
    }
}

/// Changes of a goal; nil does not change a field.
package struct GoalPatch: Hashable, Sendable {
    package var title: String?
    package var about: String?
    package var target: Decimal?
    package var currency: String?
    package var dueOn: DueOn = .unchanged
    /// In the place of all that it has.
    package var allocations: [GoalAllocation]?

    package init() {}

    package enum DueOn: Hashable, Sendable {
        case unchanged
        case removed
        case on(CalendarDate)
    }
}

extension GoalFields {
    /// The content with some of it changed.
    func applying(_ patch: GoalPatch) -> GoalFields {
        var content = self
        if let title = patch.title { content.title = title }
        if let about = patch.about { content.about = about }
        if let target = patch.target { content.target = target }
        if let currency = patch.currency { content.currency = currency }
        switch patch.dueOn {
        case .unchanged: break
        case .removed: content.dueOn = nil
        case .on(let date): content.dueOn = date
        }
        if let allocations = patch.allocations { content.allocations = allocations }
        return content
    }
}

/// The reason why a goal is not created or changed.
package enum GoalError: Error, Hashable, Sendable {
    /// The user has no such goal.
    case notFound
    /// The user has as many goals as one may have.
    case tooManyGoals(limit: Int)
    /// No account, or not the given account, holds the instrument of the allocation at this index.
    case notHeld(index: Int)
    /// The allocation at this index would take more than is left.
    case overallocated(index: Int, Overallocation)
    /// The quantities that the allocation at this index is reckoned with have too many digits.
    case tooManyDigits(index: Int)

    /// Quantities of what an allocation is of, in pieces.
    package struct Overallocation: Hashable, Sendable {
        package let held: Decimal
        /// The part that other allocations take, of this goal and of others.
        package let allocated: Decimal
        package let requested: Decimal
    }
}
