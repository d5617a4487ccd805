import Synchronization

/// An operation of a valid document, with the data that its runs have in common.
package final class PreparedOperation: Sendable {
    package let definition: OperationDefinition
    /// The name in the document; nil if it has none.
    let name: String?
    let identity: OperationIdentity
    let sizeHint = ResponseSizeHint()
    private let valid: ValidDocument
    /// The variables that control selections: there is a plan for each combination of their values.
    private let conditionalVariables: [Name]
    private let planBytes: Int
    private let storedPlans = Atomic(0)
    /// A mutex, because the requests of all threads share the plans.
    private let known = Mutex(Cache())
    /// See `constantPlan`.
    private let storedConstantPlan = WriteOnceReference<OperationPlan>()
    /// See `use(of:)`.
    private let storedUse = WriteOnceReference<OperationUse>()

    /// The results computed so far.
    private struct Cache {
        /// The result of the limits; a rejection is as expensive to compute as a success, so it is also
        /// stored.
        var measured: Result<AnalyzedOperation, GraphQLErrors>?
        /// The cache policy; nil before it is computed.
        var cachePolicy: CachePolicy??
        /// The plans, oldest first.
        ///
        /// The oldest is removed to make room.
        var plans: [Planned] = []

        func plan(for conditions: Conditions, _ format: IncrementalFormat?) -> OperationPlan? {
            for position in plans.indices
            where plans[position].conditions == conditions && plans[position].format == format {
                return plans[position].plan
            }
            return nil
        }
    }

    private struct Planned {
        let conditions: Conditions
        let format: IncrementalFormat?
        let plan: OperationPlan
    }

    /// The maximum number of stored plans; for an operation with more combinations, some are created again.
    private static let capacity = 16

    init(
        _ definition: OperationDefinition, of valid: ValidDocument, digest: UInt64,
        conditionalVariables: [Name], planBytes: Int
    ) {
        self.definition = definition
        name = definition.name.map { valid.document.text($0) }
        identity = OperationIdentity(
            document: valid.document.source.bytes, digest: digest, operation: definition.name?.span)
        self.planBytes = planBytes
        self.valid = valid
        self.conditionalVariables = conditionalVariables
    }

    /// The plan if it is the same for all requests: after the first planning, an operation without variables
    /// always satisfies all limits.
    var constantPlan: OperationPlan? { storedConstantPlan.object }

    /// Returns the operation with its measurements.
    ///
    /// - Throws: The exceeded limit, with its position.
    func measured(
        within limits: OperationLimits, at costs: SchemaCosts
    ) throws(GraphQLErrors) -> AnalyzedOperation {
        try (known.withLock(\.measured) ?? measure(limits, costs)).get()
    }

    private func measure(
        _ limits: OperationLimits, _ costs: SchemaCosts
    ) -> Result<AnalyzedOperation, GraphQLErrors> {
        let result = Result { () throws(GraphQLErrors) in
            try limits.check(definition, of: valid, costs: costs)
        }
        known.withLock { $0.measured = result }
        return result
    }

    /// Returns the cache policy; nil if the schema defines none.
    func cachePolicy() -> CachePolicy? {
        if let policy = known.withLock(\.cachePolicy) { return policy }
        let policy = CachePolicy(of: definition, in: valid)
        known.withLock { $0.cachePolicy = .some(policy) }
        return policy
    }

    /// Returns the elements of the schema that the operation references; the first call collects them.
    func use(of elements: SchemaElements) -> OperationUse {
        if let use = storedUse.object { return use }
        let use = OperationUse(of: definition, in: valid, elements)
        storedUse.set(use)
        return storedUse.object ?? use
    }

    /// Coerces the variables of a request (specification, section 6.1.2).
    ///
    /// - Throws: The errors, with the same limits and detail as the errors of a document.
    func variables(
        given: InputObject, _ schema: Schema, _ options: ValidationOptions
    ) throws(GraphQLErrors) -> VariableValues {
        guard !definition.variables.isEmpty else { return .empty }
        return try schema.coerceVariables(
            of: definition, in: valid.document, given: given, errorLimit: options.maximumErrors,
            suggests: options.suggests)
    }

    /// Returns the plan for the values of the conditional variables.
    ///
    /// - Parameters:
    ///   - variables: The variables of the request.
    ///   - format: The format of deferred parts; nil for one complete response.
    ///   - make: Creates the plan.
    /// - Returns: The stored plan, or a new one.
    /// - Throws: The errors of planning.
    func plan(
        _ variables: VariableValues, in format: IncrementalFormat? = nil,
        make: (PlanConditions) throws -> OperationPlan
    ) throws(GraphQLErrors) -> OperationPlan {
        if format == nil, let plan = constantPlan { return plan }
        let conditions = Conditions(of: conditionalVariables, variables)
        if let plan = known.withLock({ $0.plan(for: conditions, format) }) { return plan }
        do {
            let plan = try make(conditions.values(of: conditionalVariables, format))
            if definition.variables.isEmpty, format == nil {
                if reserve(plan.weight) { storedConstantPlan.set(plan) }
            } else {
                store(Planned(conditions: conditions, format: format, plan: plan))
            }
            return plan
        } catch let error as GraphQLError {
            throw GraphQLErrors([error])
        } catch let error as any ClientVisibleError {
            throw GraphQLErrors([
                GraphQLError(
                    error.message, locations: [valid.document.source.location(of: definition.span)],
                    extensions: error.extensions)
            ])
        } catch {
            throw GraphQLErrors([
                GraphQLError(
                    "Internal server error", extensions: ["code": .string("INTERNAL_SERVER_ERROR")])
            ])
        }
    }

    /// The memory in bytes of the plans that are stored now.
    var planWeight: Int { storedPlans.load(ordering: .relaxed) }

    /// Reserves memory for a plan; returns false if the operation's share has no room for it.
    private func reserve(_ bytes: Int) -> Bool {
        if storedPlans.wrappingAdd(bytes, ordering: .relaxed).newValue <= planBytes { return true }
        release(bytes)
        return false
    }

    private func release(_ bytes: Int) {
        storedPlans.wrappingSubtract(bytes, ordering: .relaxed)
    }

    private func store(_ planned: Planned) {
        known.withLock { known in
            while known.plans.count >= PreparedOperation.capacity || !reserve(planned.plan.weight) {
                // A plan that does not fit is created for each request.
                if known.plans.isEmpty { return }
                release(known.plans.removeFirst().plan.weight)
            }
            known.plans.append(planned)
        }
    }
}

/// The values on which the plan of an operation depends.
struct PlanConditions: Sendable {
    /// The values of the variables that control selections, by the variable's name id.
    var values: [UInt32: Bool] = [:]
    /// The variables whose value is null.
    var nulls: Set<UInt32> = []
    /// The format of deferred parts; nil for one complete response.
    var format: IncrementalFormat?
}

/// The values of the variables that control selections in a request, two bits each.
private struct Conditions: Equatable, Sendable {
    /// The values of the first 32 variables.
    private var first: UInt64 = 0
    /// The values of the further variables, 32 per element; usually empty, which needs no allocation.
    private var rest: [UInt64] = []

    init(of names: [Name], _ variables: VariableValues) {
        for position in names.indices {
            switch variables[names[position]] {
            case .boolean(let value): set(value ? 1 : 2, at: position)
            case .null: set(3, at: position)
            default: break
            }
        }
    }

    private mutating func set(_ bits: UInt64, at position: Int) {
        let shifted = bits << UInt64(position % 32 * 2)
        let word = position / 32
        if word == 0 {
            first |= shifted
            return
        }
        while rest.count < word { rest.append(0) }
        rest[word - 1] |= shifted
    }

    /// Returns the values by the names' ids.
    func values(of names: [Name], _ format: IncrementalFormat?) -> PlanConditions {
        var conditions = PlanConditions(format: format)
        for (position, name) in names.enumerated() {
            let word = position / 32
            let bits = word == 0 ? first : word <= rest.count ? rest[word - 1] : 0
            switch bits >> UInt64(position % 32 * 2) & 3 {
            case 1: conditions.values[name.id] = true
            case 2: conditions.values[name.id] = false
            case 3: conditions.nulls.insert(name.id)
            default: break
            }
        }
        return conditions
    }
}

/// The maximum length of an operation's responses so far, so that the next one's buffer need not grow.
final class ResponseSizeHint: Sendable {
    private let maximumLength = Atomic<Int>(0)

    /// Additional bytes beyond the longest response, because the last write may reserve more than it fills.
    private static let margin = 64

    /// The length of the longest response so far, with an upper bound: one huge response must not enlarge
    /// all others.
    var expected: Int { min(maximumLength.load(ordering: .relaxed) + ResponseSizeHint.margin, 256 * 1024) }

    func record(_ count: Int) {
        if count > maximumLength.load(ordering: .relaxed) { maximumLength.store(count, ordering: .relaxed) }
    }
}
