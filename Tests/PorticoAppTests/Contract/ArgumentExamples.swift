import GraphQL

/// Values for the arguments that have to be given, as GraphQL literals.
///
/// Most hang on an argument's name alone, so that a new field with the arguments of its neighbours needs nothing here.
enum ArgumentExamples {
    /// How many variants of the arguments there are.
    static let variants = 4

    private static let byName: [String: [String]] = [
        // The last one was split.
        "symbol": [#""AAPL""#, #""EUR/USD""#, #""BTC/USD""#, #""NVDA""#],
        "symbols": [#"["AAPL", "MSFT"]"#, #"["EUR/USD"]"#, #"["BTC/USD"]"#],
        "benchmark": [#""SPY""#],
        "text": [#""apple""#],
        "to": [#""EUR""#, #""USD""#],
        "currency": [#""USD""#, #""EUR""#],
        "first": ["5"],
        "last": ["20"],
        // The second is more than the account can pay.
        "input": ["1", "1000000"].map { quantity in
            #"{ accountId: "(Account)", instrument: { symbol: "AAPL" }, side: BUY, "#
                + #"size: { quantity: "\#(quantity)" } }"#
        },
    ]

    /// Optional arguments that are given: without `symbols` a list has instruments of every kind, of which some lack
    /// fields; without a `benchmark` no response has a comparison.
    private static let given: Set = ["symbols", "benchmark"]
    /// Fields whose lists are so long that neither the quotas of the simulated providers nor the limit of the cost of an
    /// operation suffice for all.
    private static let long: Set = ["activities", "holdings", "lots"]

    /// `(name: value, …)` for what a field must be given, or nothing where it needs none.
    ///
    /// An argument of type `ID` takes a known id of the field's own type; where that is an interface, any.
    ///
    /// - Returns: The text; nil where there is no example for an argument.
    static func arguments(
        of field: SchemaField, variant: Int, in schema: Schema, ids: [String: String]
    ) -> String? {
        var texts: [String] = []
        for argument in field.arguments
        where argument.isRequired
            // Few positions are closed, so all of them are requested.
            || given.contains(argument.name) && field.name != "closedPositions"
            || argument.name == "first" && long.contains(field.name)
        {
            let value: String?
            if case .scalar(let scalar) = schema[argument.type.type].kind, scalar.builtIn == .id {
                value = id(of: schema[field.type.type], among: ids).map { "\"\($0)\"" }
            } else {
                let examples = byName[argument.name] ?? []
                value = examples.isEmpty ? nil : known(examples[variant % examples.count], among: ids)
            }
            guard let value else { return nil }
            texts.append("\(argument.name): \(value)")
        }
        return texts.isEmpty ? "" : "(" + texts.joined(separator: ", ") + ")"
    }

    /// An example with the id of an account in its place; nil where none is known yet.
    private static func known(_ example: String, among ids: [String: String]) -> String? {
        guard example.contains("(Account)") else { return example }
        return ids["Account"].map { example.replacing("(Account)", with: $0) }
    }

    private static func id(of type: NamedType, among ids: [String: String]) -> String? {
        if case .interface = type.kind { return ids.min { $0.key < $1.key }?.value }
        return ids[type.name]
    }
}
