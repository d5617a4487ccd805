import Brokerage
package import GraphQL

/// `Number`: the digits of a decimal as a JSON number.
package struct Number: GraphQLScalar {
    let value: Decimal

    package static var graphQLNames: [String] { ["Number"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(upTo: Decimal.maximumUTF8Count) { value.write(into: &$0) }
    }
}

/// `UnixTime`: seconds since 1970 as a JSON number.
package struct UnixTime: GraphQLScalar {
    let seconds: Int64

    package static var graphQLNames: [String] { ["UnixTime"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(Int(seconds))
    }
}
