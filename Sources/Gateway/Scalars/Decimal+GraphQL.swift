package import Brokerage
package import GraphQL

/// `Decimal`: all digits, as a JSON string.
extension Decimal: GraphQLScalar {
    package static var graphQLNames: [String] { ["Decimal"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(upTo: Decimal.maximumUTF8Count + 2) { span in
            span.append(UInt8(ascii: "\""))
            write(into: &span)
            span.append(UInt8(ascii: "\""))
        }
    }
}
