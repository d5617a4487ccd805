import GraphQL
import Testing

@Suite("Random operations against the plainest way of counting")
struct RandomLimitTests {
    static let seeds = (0..<40).map { UInt64($0) * 7_919 }
    static let documents = 12

    @Test("counts are those of the operation written out", arguments: seeds)
    func counts(seed: UInt64) throws {
        let schema = try LimitedSchema(CostTests.sdl)
        var operations = RandomOperations(seed: seed)
        for _ in 0..<RandomLimitTests.documents {
            let text = operations.document()
            let (measured, operation, document) = try schema.check(text, .unlimited)
            let naive = NaiveMeasure(operation, in: document)
            let expected = OperationMetrics(
                tokens: document.tokenCount, depth: naive.fields.map(\.depth).max() ?? 0,
                introspectionDepth: 0,
                aliases: naive.fields.count(where: \.isAliased), rootFields: naive.root.count,
                selections: naive.sets.map(\.fields.count).max() ?? 0, fields: naive.fields.count,
                directives: 0)
            #expect(measured.measure == expected, "\(text)")
        }
    }

    @Test("a limit is passed at the field that passes it in the operation written out", arguments: seeds)
    func places(seed: UInt64) throws {
        let schema = try LimitedSchema(CostTests.sdl)
        var operations = RandomOperations(seed: seed)
        for number in 0..<RandomLimitTests.documents {
            let text = operations.document()
            let (measured, operation, document) = try schema.check(text, .unlimited)
            let naive = NaiveMeasure(operation, in: document)
            let measure = measured.measure
            let part = { (count: Int) in count * number / RandomLimitTests.documents }

            var limits = OperationLimits.unlimited
            limits.depth = part(measure.depth)
            limits.rootFields = part(measure.rootFields)
            limits.selections = part(measure.selections)
            limits.fields = part(measure.fields)
            limits.aliases = part(measure.aliases)
            let widest = naive.sets.filter { $0.fields.count > limits.selections }.min { $0.start < $1.start }
            let expected = [
                naive.fields.first { $0.depth > limits.depth }?.place,
                naive.fields.filter(\.isAliased)[limits.aliases].place,
                naive.root[limits.rootFields],
                widest?.fields[limits.selections],
                naive.fields[limits.fields].place,
            ]
            let errors = try #require(throws: GraphQLErrors.self) { try schema.check(text, limits) }
            #expect(errors.errors.map(\.locations.first) == expected, "\(text)")
        }
    }

    @Test("the cost is that of the operation written out", arguments: seeds)
    func costs(seed: UInt64) throws {
        let schema = try LimitedSchema(CostTests.sdl)
        var operations = RandomOperations(seed: seed)
        for number in 0..<RandomLimitTests.documents {
            let text = operations.document()
            let (measured, operation, document) = try schema.check(text, .unlimited)
            for (given, values) in RandomLimitTests.variables {
                let naive = NaiveCost(
                    schema: schema.schema, document: document, variables: values,
                    assumedListSize: OperationLimits.default.assumedListSize)
                let expected = naive.cost(of: operation)
                let variables = try schema.schema.coerceVariables(of: operation, in: document, given: given)
                let cost = try measured.cost(variables)
                #expect(cost.field == expected.map { Cost($0.field) }, "\(number): \(text)")
                #expect(cost.type == expected.map { Cost($0.type) }, "\(number): \(text)")
            }
        }
    }

    @Test("a cost past its limit is told at some field, one below it is not", arguments: seeds)
    func limits(seed: UInt64) throws {
        let schema = try LimitedSchema(CostTests.sdl)
        var operations = RandomOperations(seed: seed)
        for _ in 0..<RandomLimitTests.documents {
            let text = operations.document()
            let cost = try schema.cost(text, ["n": .int(5)])
            guard case .int(let total) = cost.total.inputValue else { continue }
            #expect(
                try schema.refusals(of: text, OperationLimits(cost: total).onlyCost, ["n": .int(5)]) == [])
            let refusals = try schema.refusals(
                of: text, OperationLimits(cost: total - 1).onlyCost, ["n": .int(5)])
            #expect(refusals.map(\.code) == ["COST_LIMIT_EXCEEDED"])
            // The root costs 1, so a higher limit is always exceeded at a field, and never at the operation
            // as a whole.
            #expect(total < 2 || refusals.first?.place != "1:1", "\(text)")
        }
    }

    private static let variables: [(InputObject, [String: Int])] = [
        (["n": .int(5)], ["n": 5]),
        (["n": .int(0), "m": .int(40)], ["n": 0, "m": 40]),
        (["n": .int(1_000), "m": .int(-3)], ["n": 1_000, "m": -3]),
    ]
}

extension OperationLimits {
    fileprivate var onlyCost: OperationLimits {
        var limits = OperationLimits.unlimited
        limits.cost = cost
        return limits
    }
}
