package import Brokerage
package import GraphQL

/// A symbol is a `String` in the schema.
extension Symbol: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["String"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(text)
    }

    package static func bindInput(to binder: inout SchemaBinder) -> BoundType { bind(to: &binder) }

    package static var sample: Symbol { .example }

    package init(input: InputValue?) throws(InputError) {
        guard case .string(let text) = input else { throw InputError("Expected a symbol.") }
        guard let symbol = Symbol(text) else {
            throw InputError(
                """
                \"\(text.beginning(40))\" is not a symbol: a symbol has 1 to \(Symbol.maximumLength) letters, \
                digits and the characters . - / : = ^ _ +
                """)
        }
        self = symbol
    }
}
