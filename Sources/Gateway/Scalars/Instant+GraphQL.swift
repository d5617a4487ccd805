package import Brokerage
package import GraphQL

/// `DateTime`: RFC 3339 in UTC, as a JSON string.
extension Instant: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["DateTime"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(upTo: Instant.maximumUTF8Count + 2) { span in
            span.append(UInt8(ascii: "\""))
            write(into: &span)
            span.append(UInt8(ascii: "\""))
        }
    }

    package static func bindInput(to binder: inout SchemaBinder) -> BoundType { bind(to: &binder) }

    package static var sample: Instant { .latest }

    package init(input: InputValue?) throws(InputError) {
        guard case .string(let text) = input, let instant = Instant(text) else {
            throw InputError("Expected an instant in RFC 3339, like \"2026-11-20T14:30:00Z\".")
        }
        self = instant
    }
}
