package import Brokerage
package import GraphQL

/// `Decimal`: all digits, as a JSON string.
extension Decimal: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["Decimal"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(upTo: Decimal.maximumUTF8Count + 2) { span in
            span.append(UInt8(ascii: "\""))
            write(into: &span)
            span.append(UInt8(ascii: "\""))
        }
    }

    package static func bindInput(to binder: inout SchemaBinder) -> BoundType { bind(to: &binder) }

    package static var sample: Decimal { 1 }

    /// Reads a string of digits, or a JSON number by its digits as they were written.
    package init(input: InputValue?) throws(InputError) {
        let text: String? =
            switch input {
            case .string(let text), .number(let text): text
            case .int(let number): String(number)
            case .enum, .boolean, .list, .object, .null, nil: nil
            }
        guard let text else { throw InputError("Expected a decimal number, like \"1234.56\".") }
        guard let value = Decimal(text) else {
            throw InputError(
                """
                \"\(text.beginning(40))\" is not a decimal number of at most \(Decimal.maximumScale) digits, like \
                \"1234.56\".
                """)
        }
        self = value
    }
}
