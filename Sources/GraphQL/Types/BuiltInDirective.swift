/// A directive that every schema has (specification, sections 3.13.1 to 3.13.5).
package struct BuiltInDirective: Sendable {
    let name: String
    let description: String
    var arguments: [BuiltInInputValue] = []
    let locations: [DirectiveLocation]

    /// All built-in directives, in introspection order.
    static let all = [include, skip, deprecated, specifiedBy, oneOf]

    /// The directives of incremental delivery, which a schema has if it is built with them.
    static let incremental = [`defer`, stream]

    static func named(_ name: String) -> BuiltInDirective? { all.first { $0.name == name } }

    /// The reason of a `@deprecated` without a `reason` argument.
    package static let defaultDeprecationReason = "No longer supported"

    func directiveType(ids: [String: TypeID]) -> SchemaDirective {
        SchemaDirective(
            name: name, description: description,
            arguments: arguments.compactMap { $0.schemaInputValue(ids) },
            locations: locations)
    }

    private static let include = BuiltInDirective(
        name: "include",
        description: """
            Directs the executor to include this field or fragment only when the `if` argument is true.
            """,
        arguments: [
            BuiltInInputValue(name: "if", type: .required("Boolean"), description: "Included when true.")
        ],
        locations: [.field, .fragmentSpread, .inlineFragment])

    private static let skip = BuiltInDirective(
        name: "skip",
        description: "Directs the executor to skip this field or fragment when the `if` argument is true.",
        arguments: [
            BuiltInInputValue(name: "if", type: .required("Boolean"), description: "Skipped when true.")
        ],
        locations: [.field, .fragmentSpread, .inlineFragment])

    private static let deprecated = BuiltInDirective(
        name: "deprecated",
        description: "Marks an element of a GraphQL schema as no longer supported.",
        arguments: [
            BuiltInInputValue(
                name: "reason", type: .required("String"),
                description: """
                    Explains why this element was deprecated, usually also including a suggestion for how to access \
                    supported similar data. Formatted using the Markdown syntax, as specified by \
                    [CommonMark](https://commonmark.org/).
                    """,
                defaultValue: DefaultValue(
                    literal: "\"\(defaultDeprecationReason)\"", value: .string(defaultDeprecationReason)))
        ],
        locations: [.fieldDefinition, .argumentDefinition, .inputFieldDefinition, .enumValue])

    private static let specifiedBy = BuiltInDirective(
        name: "specifiedBy",
        description: "Exposes a URL that specifies the behavior of this scalar.",
        arguments: [
            BuiltInInputValue(
                name: "url", type: .required("String"),
                description: "The URL that specifies the behavior of this scalar.")
        ],
        locations: [.scalar])

    private static let oneOf = BuiltInDirective(
        name: "oneOf",
        description: """
            Indicates exactly one field must be supplied and this field must not be `null`.
            """,
        locations: [.inputObject])

    private static let `defer` = BuiltInDirective(
        name: "defer",
        description:
            "Directs the executor to defer this fragment when the `if` argument is true or undefined.",
        arguments: [
            condition("Deferred when true or undefined."),
            BuiltInInputValue(name: "label", type: .nullable("String"), description: "Unique name"),
        ],
        locations: [.fragmentSpread, .inlineFragment])

    private static let stream = BuiltInDirective(
        name: "stream",
        description:
            "Directs the executor to stream plural fields when the `if` argument is true or undefined.",
        arguments: [
            BuiltInInputValue(
                name: "initialCount", type: .required("Int"),
                description: "Number of items to return immediately",
                defaultValue: DefaultValue(literal: "0", value: .int(0))),
            condition("Stream when true or undefined."),
            BuiltInInputValue(name: "label", type: .nullable("String"), description: "Unique name"),
        ],
        locations: [.field])

    private static func condition(_ description: String) -> BuiltInInputValue {
        BuiltInInputValue(
            name: "if", type: .required("Boolean"), description: description,
            defaultValue: DefaultValue(literal: "true", value: .boolean(true)))
    }
}

extension SchemaDirective {
    /// True for `@defer` and `@stream` if the text of the schema does not define them.
    var isIncremental: Bool {
        node == nil && BuiltInDirective.incremental.contains { $0.name == name }
    }
}
