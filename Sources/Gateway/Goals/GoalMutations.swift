import Brokerage
import GraphQL
import Storage
import Upstream

extension Mutation {
    /// The mutations of goals.
    @FieldsBuilder<Mutation> static var goals: [Field<Mutation>] {
        Field(
            "createGoal", InputArguments<GoalInput>.self,
            once: { arguments, scope in try GoalService(scope).createGoal(arguments.input.content) })
        Field(
            "updateGoal", ChangeArguments<GoalPatchInput>.self,
            once: { arguments, scope in
                try GoalService(scope).updateGoal(id: arguments.id, arguments.input.patch)
            })
        Field(
            "deleteGoal", IDArguments.self,
            once: { arguments, scope in try GoalService(scope).deleteGoal(id: arguments.id) })
    }
}

extension GoalService {
    /// Creates a goal from positions that its owner holds now.
    func createGoal(_ content: GoalFields) throws -> MaybeAsync<GoalPayload?> {
        let owner = try scope.owner()
        return .async { [self] in
            let held = try await held(for: content.allocations)
            let outcome = try await store.create(content, for: owner, holding: held)
            subscriptions.goalsChanged(of: owner)
            return try GoalPayload(outcome, of: content.allocations)
        }
    }

    /// Changes the given fields of a goal.
    func updateGoal(id: String, _ patch: GoalPatch) throws -> MaybeAsync<GoalPayload?> {
        let owner = try scope.owner()
        guard let own = GoalObject.ownID(id) else { throw FieldError.noGoal(id) }
        return .async { [self] in
            let held = try await held(for: patch.allocations ?? [])
            let outcome = try await store.update(own, patch, for: owner, holding: held)
            subscriptions.goalsChanged(of: owner)
            return try GoalPayload(outcome, of: patch.allocations ?? [], id: id)
        }
    }

    func deleteGoal(id: String) throws -> MaybeAsync<DeletePayload?> {
        let owner = try scope.owner()
        guard let own = GoalObject.ownID(id) else { throw FieldError.noGoal(id) }
        return .async { [self] in
            guard try await store.delete(own, for: owner) else {
                throw FieldError.noGoal(id)
            }
            subscriptions.goalsChanged(of: owner)
            return DeletePayload(deletedID: id)
        }
    }

    /// The present quantities of the positions to allocate.
    ///
    /// - Throws: `FieldError` for an account that does not exist, and the failure of an account that could
    ///   not be read: its quantities are unknown then.
    private func held(for allocations: [GoalAllocation]) async throws -> HeldQuantities {
        if allocations.isEmpty { return HeldQuantities() }
        guard allocations.count <= GoalStore.maximumAllocations else {
            throw FieldError.argument(
                "input.allocations",
                "It has \(allocations.count) entries; a goal may have \(GoalStore.maximumAllocations) at most."
            )
        }
        let (accountLoading, holdingLoading) = (try AccountService(scope).accounts(with: nil), try holdings())
        async let accountResults = accountLoading.value()
        async let holdings = holdingLoading.value()
        let accounts = try await (accountResults ?? []).map { try $0.get() }
        for (index, allocation) in allocations.enumerated() {
            guard let account = allocation.account, !accounts.contains(where: { $0.globalID == account })
            else {
                continue
            }
            throw FieldError.noAccount(account).of(argument: "input.allocations[\(index)].accountId")
        }
        return try await holdings.quantities(of: Set(allocations.map(\.symbol)), in: accounts)
    }
}

/// `GoalPayload` of the schema.
struct GoalPayload: Sendable {
    let goal: GoalObject

    /// - Throws: `FieldError` with the path of the rejected argument.
    fileprivate init(
        _ outcome: GoalStore.Outcome, of allocations: [GoalAllocation], id: String = ""
    ) throws(FieldError) {
        switch outcome {
        case .success(let goal): self.goal = GoalObject(goal)
        case .failure(let refusal): throw FieldError(refusal, of: allocations, id: id)
        }
    }
}

extension GoalPayload: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<GoalPayload>("GoalPayload") {
        Field("goal", \.goal)
        Field("goals", once: { scope in try GoalService(scope).goals() })
        Field(
            "goalsProgress", CurrencyArguments.self,
            once: { arguments, scope in try GoalService(scope).goalsProgress(in: arguments.currency) })
    }
}

extension FieldError {
    static func noGoal(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no goal \"\(id.beginning(80))\".")
    }

    /// The error for clients if a goal was not created or changed.
    fileprivate init(_ refusal: GoalError, of allocations: [GoalAllocation], id: String) {
        switch refusal {
        case .notFound: self = .noGoal(id)
        case .tooManyGoals(let limit):
            self = .argument(
                "input", "There are \(limit) goals, which is as many as one may have; delete one first.")
        case .notHeld(let index):
            let (symbol, account) = (allocations[index].symbol, allocations[index].account)
            self = .argument(
                "input.allocations[\(index)].symbol", code: .assetNotFound,
                account.map { "The account \"\($0)\" does not hold \(symbol)." }
                    ?? "No connected account holds \(symbol).")
        case .overallocated(let index, let overdraft):
            self = .argument(
                "input.allocations[\(index)].share",
                """
                Of \(overdraft.held.withoutTrailingZeros) \(allocations[index].symbol) held, \
                \(overdraft.allocated.withoutTrailingZeros) are allocated otherwise; \
                \(overdraft.requested.withoutTrailingZeros) more would be too many.
                """)
        case .tooManyDigits(let index):
            self = .argument(
                "input.allocations[\(index)].share",
                "With what is held it has too many digits to reckon with.")
        }
    }
}
