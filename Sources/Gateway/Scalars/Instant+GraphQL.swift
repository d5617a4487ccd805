package import Brokerage
package import GraphQL

/// `DateTime`: RFC 3339 in UTC, as a JSON string.
extension Instant: GraphQLScalar {
    package static var graphQLNames: [String] { ["DateTime"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(upTo: Instant.maximumUTF8Count + 2) { span in
            span.append(UInt8(ascii: "\""))
            write(into: &span)
            span.append(UInt8(ascii: "\""))
        }
    }
}
