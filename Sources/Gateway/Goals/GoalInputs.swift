import Brokerage
import GraphQL
import Storage

/// `GoalInput` of the schema.
struct GoalInput: Sendable {
    let title: GoalTitle
    let about: GoalDescription
    let target: GoalTarget
    let currency: Currency
    let dueOn: CalendarDate?
    let allocations: BoundedList<GoalAllocationInput>

    var content: GoalFields {
        GoalFields(
            title: title.text, about: about.text, target: target.value, currency: currency.code, dueOn: dueOn,
            allocations: allocations.elements.map(\.allocation))
    }
}

extension GoalInput: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        title = try fields["title"]
        about = try fields["description"]
        target = try fields["target"]
        currency = try fields["currency"]
        dueOn = try fields["dueOn"]
        allocations = try fields["allocations"]
    }
}

/// `GoalPatch` of the schema.
struct GoalPatchInput: Sendable {
    let title: PatchField<GoalTitle>
    let about: PatchField<GoalDescription>
    let target: PatchField<GoalTarget>
    let currency: PatchField<Currency>
    let dueOn: RemovablePatchField<CalendarDate>
    let allocations: PatchField<BoundedList<GoalAllocationInput>>

    var patch: GoalPatch {
        var patch = GoalPatch()
        patch.title = title.value?.text
        patch.about = about.value?.text
        patch.target = target.value?.value
        patch.currency = currency.value?.code
        patch.dueOn =
            switch dueOn {
            case .unchanged: .unchanged
            case .removed: .removed
            case .set(let date): .on(date)
            }
        patch.allocations = allocations.value?.elements.map(\.allocation)
        return patch
    }
}

extension GoalPatchInput: GraphQLInputObject {
    static var graphQLName: String { "GoalPatch" }

    init(_ fields: ArgumentReader) throws {
        title = try fields["title"]
        about = try fields["description"]
        target = try fields["target"]
        currency = try fields["currency"]
        dueOn = try fields["dueOn"]
        allocations = try fields["allocations"]
    }
}

/// `GoalAllocationInput` of the schema.
struct GoalAllocationInput: Sendable {
    let allocation: GoalAllocation
}

extension GoalAllocationInput: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        let share: AllocationShare? = try fields["share"]
        allocation = GoalAllocation(
            symbol: try fields["symbol"], account: (try fields["accountId"] as IDText?)?.text,
            share: share?.share ?? .all)
    }
}

/// `AllocationShare` of the schema, which has exactly one of its fields.
struct AllocationShare: Sendable {
    let share: GoalAllocation.Share
}

extension AllocationShare: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        let quantity: AllocatedQuantity? = try fields["quantity"]
        let percent: AllocatedPercent? = try fields["percentage"]
        share =
            if let quantity {
                .quantity(quantity.value)
            } else if let percent {
                .percent(percent.value)
            } else {
                // Only while the schema is bound: coercion has refused it else.
                .all
            }
    }
}

struct GoalTitle: StoredText {
    static var lengths: ClosedRange<Int> { 1...100 }
    let text: String
}

struct GoalDescription: StoredText {
    static var lengths: ClosedRange<Int> { 0...2_000 }
    static var form: TextForm { .multiline }
    let text: String
}

struct GoalTarget: BoundedDecimal {
    static var maximum: Decimal { 1_000_000_000_000_000 }
    static var maximumFractionDigits: Int { 8 }
    let value: Decimal
}

struct AllocatedQuantity: BoundedDecimal {
    static var maximum: Decimal { 1_000_000_000_000_000 }
    static var maximumFractionDigits: Int { 12 }
    let value: Decimal
}

struct AllocatedPercent: BoundedDecimal {
    static var maximum: Decimal { 100 }
    static var maximumFractionDigits: Int { 6 }
    let value: Decimal
}

extension Currency: GraphQLInput {
    static func bindInput(to binder: inout SchemaBinder) -> BoundType { String.bindInput(to: &binder) }

    static var sample: Currency { .dollar }

    /// Reads a currency that some state issues, or a metal of ISO 4217.
    init(input: InputValue?) throws(InputError) {
        let text = try CodeText(input: input).text
        guard FiatCurrency.isCode(text), let currency = try? Currency(text) else {
            throw InputError(
                "\"\(text.beginning(10))\" is not a currency. Use a code of ISO 4217, such as USD.")
        }
        self = currency
    }
}
