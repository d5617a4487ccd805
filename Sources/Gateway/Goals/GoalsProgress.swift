package import Brokerage
import GraphQL
import Storage
import Upstream

/// The progress of all goals of a user, in one currency.
package struct GoalsProgress: Sendable {
    private let owner: OwnerID
    let currency: String
    private let achieved: Result<Decimal?, any Error>
    private let target: Result<Decimal, any Error>
    private let provenances: [Provenance]

    package init(
        _ goals: [GoalObject], of owner: OwnerID, in currency: String, _ appraisals: [AllocationValuation],
        _ table: ExchangeRateTable
    ) {
        self.owner = owner
        self.currency = currency
        achieved = Result { try appraisals.total() }
        target = Result {
            try goals.map(\.goal.content).reduce(Decimal.zero) { sum, goal in
                try sum + table.convert(goal.target, from: goal.currency, to: currency)
            }
        }
        provenances =
            appraisals.provenances
            + Set(goals.map(\.goal.content.currency)).compactMap { code in
                (try? table.rate(from: code, to: currency))?.provenance
            }
    }

    private var isStale: Bool { provenances.contains(where: \.isStale) }
}

extension GoalsProgress: LiveEntity {
    package var globalID: String { NodeID(.goalsProgress, of: owner, in: currency).text }
    /// There is always one.
    package var closed: GoalsProgress? { nil }

    package func isEquivalent(to other: GoalsProgress) -> Bool {
        currency == other.currency && isStale == other.isStale
            && achieved.isEquivalent(to: other.achieved)
            && target.map(Optional.some).isEquivalent(to: other.target.map(Optional.some))
    }
}

extension Result where Success == Decimal?, Failure == any Error {
    /// Whether both have the same amount, or the same reason for its absence.
    fileprivate func isEquivalent(to other: Self) -> Bool {
        switch (self, other) {
        case (.success(let value), .success(let otherValue)): value == otherValue
        case (.failure(let error), .failure(let otherError)):
            FieldError(reporting: error).isEquivalent(to: FieldError(reporting: otherError))
        case (.success, .failure), (.failure, .success): false
        }
    }
}

extension GoalsProgress: GraphQLObject {
    static let graphQL = ObjectType<GoalsProgress>("GoalsProgress") {
        Field("id") { $0.globalID }
        Field("currency", \.currency)
        Field("achieved", throwing: { try $0.achieved.get() })
        Field("target", throwing: { Optional(try $0.target.get()) })
        Field(
            "progressPercentage",
            throwing: { GoalObject.progress(of: try $0.achieved.get(), towards: try $0.target.get()) })
        Field("asOf") { $0.provenances.asOf }
        Field("fetchedAt") { $0.provenances.map(\.fetchedAt).min() }
        Field("source") { $0.provenances.commonSource }
        Field("stale") { $0.isStale }
    }
}
