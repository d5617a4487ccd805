import Testing

@Suite("Rules of validation")
struct ValidationRuleTests {
    @Test(
        "refuse what breaks one of them, and say where", arguments: BadDocument.documents + BadDocument.values
    )
    func refuse(_ bad: BadDocument) throws {
        try expectErrors(bad.document, [ExpectedError(bad.message, at: bad.places)])
    }

    @Test("let through what keeps them", arguments: validDocuments)
    func accept(_ document: String) throws {
        try expectValid(document)
    }

    @Test("refuse variables of output types, where they are defined and where they are used")
    func outputVariable() throws {
        try expectErrors(
            "query ($a: [Node!]) { number(int: $a) }",
            [
                ExpectedError("Variable \"$a\" cannot be non-input type \"[Node!]\".", at: "1:12"),
                ExpectedError(
                    "Variable \"$a\" of type \"[Node!]\" used in position expecting type \"Int\".",
                    at: "1:8 1:35"),
            ])
    }

    @Test("report in the order of the text, and at one place in the order of the reference implementation")
    func order() throws {
        try expectErrors(
            "query ($a: Int) { account(x: $b) @nope { nam holds } ...F } fragment F on Nope { id }",
            [
                ExpectedError("Variable \"$b\" is not defined.", at: "1:30 1:1"),
                ExpectedError("Variable \"$a\" is never used.", at: "1:8"),
                ExpectedError("Unknown argument \"x\" on field \"Query.account\".", at: "1:27"),
                ExpectedError("Unknown directive \"@nope\".", at: "1:34"),
                ExpectedError(
                    "Cannot query field \"nam\" on type \"Account\". Did you mean \"name\"?", at: "1:42"),
                ExpectedError(
                    "Argument \"Account.holds(exact:)\" of type \"Boolean!\" is required, but it was not provided.",
                    at: "1:46"),
                ExpectedError("Unknown type \"Nope\". Did you mean \"Node\"?", at: "1:75"),
            ])
    }

    static let validDocuments = [
        "{ side }",
        "query A { side } query B { side }",
        "query ($id: ID!) { node(id: $id) { ...N ... on Order { side } } } fragment N on Node { id __typename }",
        "subscription { quote { id symbol } quote { price } }",
        "{ search { ... on Instrument { symbol } ... on Node { id } } }",
        "{ __schema { types { name } } __type(name: \"Query\") { kind } __typename }",
        "{ side @note(text: \"a\") @tag @tag(name: \"b\") }",
        "query ($on: Boolean = true) { side @include(if: $on) }",
        "query ($a: Int!) { number(matrix: [[$a]], float: 1) }",
        "query ($s: String!) { instrument(key: {symbol: $s}) { id } }",
        "{ number(matrix: 1) b: number(matrix: [1, [2], null]) c: search(ids: \"a\") { __typename } }",
        "{ account { orders(page: {}) { id } } }",
        "{ search { ... on Stock { x: symbol } ... on Bond { x: symbol } } side side }",
        "{ search { ... on Stock { x: dividend } ... on Bond { x: price } } }",
        "query ($v: Int) { number(int: $v, float: 1) number(float: 1, int: $v) }",
        "{ account { orders(filter: {side: BUY, not: {}}) { id } orders(filter: {not: {}, side: BUY}) { id } } }",
    ]
}

extension BadDocument {
    static let documents: [BadDocument] = [
        .init(
            "Executable Definitions", "{ side } type Cat { name: String }",
            "The \"Cat\" definition is not executable.", at: "1:10"),
        .init(
            "Executable Definitions", "{ side } schema { query: Query }",
            "The schema definition is not executable.", at: "1:10"),
        .init(
            "Operation Type Existence", "mutation { __typename }",
            "The mutation operation is not supported by the schema.", at: "1:1"),
        .init(
            "Operation Name Uniqueness", "query A { side } query A { side }",
            "There can be only one operation named \"A\".", at: "1:7 1:24"),
        .init(
            "Lone Anonymous Operation", "query A { side } { side }",
            "This anonymous operation must be the only defined operation.", at: "1:18"),
        .init(
            "Single Root Field", "subscription S { quote { id } account { id } }",
            "Subscription \"S\" must select only one top level field.", at: "1:31"),
        .init(
            "Single Root Field",
            "subscription { ...F } fragment F on Subscription { quote { id } a: account { id } }",
            "Anonymous Subscription must select only one top level field.", at: "1:65"),
        .init(
            "Single Root Field", "subscription { __typename }",
            "Anonymous Subscription must not select an introspection top level field.", at: "1:16"),
        .init(
            "Single Root Field", "subscription S { quote @skip(if: true) { id } }",
            "Subscription \"S\" must not use `@skip` or `@include` directives in the top level selection.",
            at: "1:24"),
        .init(
            "Type Existence", "{ ... on Acount { id } }",
            "Unknown type \"Acount\". Did you mean \"Account\"?",
            at: "1:10"),
        .init(
            "Fragments on Composite Types", "{ ... on Side { a } }",
            "Fragment cannot condition on non composite type \"Side\".", at: "1:10"),
        .init(
            "Fragments on Composite Types", "{ ...F } fragment F on Filter { a }",
            "Fragment \"F\" cannot condition on non composite type \"Filter\".", at: "1:24"),
        .init(
            "Leaf Field Selections", "{ account }",
            "Field \"account\" of type \"Account\" must have a selection of subfields. "
                + "Did you mean \"account { ... }\"?", at: "1:3"),
        .init(
            "Leaf Field Selections", "{ side { name } }",
            "Field \"side\" must not have a selection since type \"Side\" has no subfields.", at: "1:8"),
        .init(
            "Field Selections", "{ account { nam } }",
            "Cannot query field \"nam\" on type \"Account\". Did you mean \"name\"?", at: "1:13"),
        .init(
            "Field Selections", "{ node(id: 1) { symbol } }",
            "Cannot query field \"symbol\" on type \"Node\". "
                + "Did you mean to use an inline fragment on \"Instrument\", \"Bond\", or \"Stock\"?",
            at: "1:17"),
        .init(
            "Field Selections", "{ search { id } }",
            "Cannot query field \"id\" on type \"Result\". Did you mean to use an inline fragment on \"Node\", "
                + "\"Instrument\", \"Account\", \"Bond\", or \"Stock\"?", at: "1:12"),
        .init(
            "Fragment Name Uniqueness",
            "{ ...F } fragment F on Query { side } fragment F on Query { side }",
            "There can be only one fragment named \"F\".", at: "1:19 1:48"),
        .init(
            "Fragment Spread Target Defined", "{ ...Nope }", "Unknown fragment \"Nope\".", at: "1:6"),
        .init(
            "Fragments Must Be Used", "{ side } fragment F on Query { side }",
            "Fragment \"F\" is never used.", at: "1:10"),
        .init(
            "Fragment Spread Is Possible", "{ account { ... on Stock { id } } }",
            "Fragment cannot be spread here as objects of type \"Account\" can never be of type \"Stock\".",
            at: "1:13"),
        .init(
            "Fragment Spread Is Possible", "{ account { ...F } } fragment F on Instrument { id }",
            "Fragment \"F\" cannot be spread here as objects of type \"Account\" can never be of type "
                + "\"Instrument\".", at: "1:13"),
        .init(
            "Fragment Spreads Must Not Form Cycles",
            "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
            "Cannot spread fragment \"A\" within itself via \"B\".", at: "1:32 1:61"),
        .init(
            "Variable Uniqueness", "query ($a: Int, $a: Int) { number(int: $a) }",
            "There can be only one variable named \"$a\".", at: "1:9 1:18"),
        .init(
            "All Variable Uses Defined", "query Q { ...F } fragment F on Query { number(int: $a) }",
            "Variable \"$a\" is not defined by operation \"Q\".", at: "1:52 1:1"),
        .init(
            "All Variables Used", "query Q($a: Int, $b: Int) { number(int: $b) }",
            "Variable \"$a\" is never used in operation \"Q\".", at: "1:9"),
        .init(
            "Directives Are Defined", "{ side @nope }", "Unknown directive \"@nope\".", at: "1:8"),
        .init(
            "Directives Are in Valid Locations", "query @tag { side }",
            "Directive \"@tag\" may not be used on QUERY.", at: "1:7"),
        .init(
            "Directives Are Unique per Location", "{ side @note(text: \"a\") @note(text: \"b\") }",
            "The directive \"@note\" can only be used once at this location.", at: "1:8 1:25"),
        .init(
            "Maximum Introspection Depth",
            "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
            "Maximum introspection depth exceeded", at: "1:3"),
    ]

    static let values: [BadDocument] = [
        .init(
            "Argument Names", "{ account { orders(filtr: null) { id } } }",
            "Unknown argument \"filtr\" on field \"Account.orders\". Did you mean \"filter\"?", at: "1:20"),
        .init(
            "Argument Names", "{ side @tag(nam: \"a\") }",
            "Unknown argument \"nam\" on directive \"@tag\". Did you mean \"name\"?", at: "1:13"),
        .init(
            "Argument Uniqueness", "{ number(int: 1, int: 2) }",
            "There can be only one argument named \"int\".", at: "1:10 1:18"),
        .init(
            "Values of Correct Type", "{ number(int: \"1\") }",
            "Int cannot represent non-integer value: \"1\"", at: "1:15"),
        .init(
            "Values of Correct Type", "{ number(int: 2147483648) }",
            "Int cannot represent non 32-bit signed integer value: 2147483648", at: "1:15"),
        .init(
            "Values of Correct Type", "{ account { orders(sides: [BUI]) { id } } }",
            "Value \"BUI\" does not exist in \"Side\" enum. Did you mean the enum value \"BUY\"?", at: "1:28"),
        .init(
            "Values of Correct Type", "{ node(id: null) { id } }",
            "Expected value of non-null type \"ID!\" not to be null.", at: "1:12"),
        .init(
            "Values of Correct Type", "{ account { orders(filter: {price: {high: 1}}) { id } } }",
            "Expected value of type \"Range\" to include required field \"low\", found: { high: 1 }.",
            at: "1:36"),
        .init(
            "Values of Correct Type", "{ account { orders(filter: {sid: BUY}) { id } } }",
            "Expected value of type \"Filter\" not to include unknown field \"sid\". Did you mean \"side\"? "
                + "Found: { sid: BUY }.", at: "1:29"),
        .init(
            "Values of Correct Type", "{ instrument(key: {id: 1, symbol: \"A\"}) { id } }",
            "Within OneOf Input Object type \"Key\", exactly one field must be specified, and the value for that "
                + "field must be non-null.", at: "1:19"),
        .init(
            "Values of Correct Type", "query ($a: Int = \"1\") { number(int: $a) }",
            "Int cannot represent non-integer value: \"1\"", at: "1:18"),
        .init(
            "Values of Correct Type", "query ($a: Int) { number(int: [$a]) }",
            "Int cannot represent non-integer value: [$a]", at: "1:31"),
        .init(
            "Required Arguments", "{ account { holds } }",
            "Argument \"Account.holds(exact:)\" of type \"Boolean!\" is required, but it was not provided.",
            at: "1:13"),
        .init(
            "Required Arguments", "{ side @note }",
            "Argument \"@note(text:)\" of type \"String!\" is required, but it was not provided.", at: "1:8"),
        .init(
            "Required Arguments", "{ __type { name } }",
            "Argument \"<meta>.__type(name:)\" of type \"String!\" is required, but it was not provided.",
            at: "1:3"),
        .init(
            "All Variable Usages Are Allowed", "query ($a: Int) { number(matrix: [[$a]]) }",
            "Variable \"$a\" of type \"Int\" used in position expecting type \"Int!\".", at: "1:8 1:36"),
        .init(
            "All Variable Usages Are Allowed", "query ($a: Boolean = null) { side @skip(if: $a) }",
            "Variable \"$a\" of type \"Boolean\" used in position expecting type \"Boolean!\".",
            at: "1:8 1:45"),
        .init(
            "All Variable Usages Are Allowed", "query ($a: ID) { instrument(key: {id: $a}) { id } }",
            "Variable \"$a\" is of type \"ID\" but must be non-nullable to be used for OneOf Input Object \"Key\".",
            at: "1:8 1:39"),
        // The counter-example of the specification (5.8.5); graphql-js 17.1 accepts it.
        .init(
            "All Variable Usages Are Allowed", "query ($a: ID) { needed(key: {id: $a}) }",
            "Variable \"$a\" is of type \"ID\" but must be non-nullable to be used for OneOf Input Object \"Key\".",
            at: "1:8 1:35"),
        .init(
            "All Variable Usages Are Allowed", "query ($a: ID) { each(keys: [{id: $a}]) }",
            "Variable \"$a\" is of type \"ID\" but must be non-nullable to be used for OneOf Input Object \"Key\".",
            at: "1:8 1:35"),
        .init(
            "Input Object Field Uniqueness", "{ account { orders(filter: {side: BUY, side: BUY}) { id } } }",
            "There can be only one input field named \"side\".", at: "1:29 1:40"),
    ]
}
