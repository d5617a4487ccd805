import GraphQL

/// A way from the root of queries to objects of a type.
struct ContractPath {
    /// A field on the way, and the type of the objects behind it where the field's own is abstract.
    struct Step {
        let field: SchemaField
        var condition: String?
    }

    private(set) var steps: [Step] = []
    /// Which variant of the arguments is given on the way.
    var variant = 0

    /// The same way with a field more.
    func appending(_ step: Step) -> ContractPath {
        ContractPath(steps: steps + [step], variant: variant)
    }

    /// For people: `account.positions.quote`.
    var description: String { steps.map(\.field.name).joined(separator: ".") }

    /// The text of a query that selects something at its end.
    ///
    /// - Returns: The text; nil where there is no example for an argument on the way.
    func query(selecting selection: String, in schema: Schema, ids: [String: String]) -> String? {
        var text = selection
        for step in steps.reversed() {
            guard
                let arguments = ArgumentExamples.arguments(
                    of: step.field, variant: variant, in: schema, ids: ids)
            else { return nil }
            let condition = step.condition.map { "... on \($0) { \(text) }" } ?? text
            text = "\(step.field.name)\(arguments) { __typename \(condition) }"
        }
        return "{ \(text) }"
    }
}
