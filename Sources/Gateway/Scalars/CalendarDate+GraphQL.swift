package import Brokerage
package import GraphQL

/// `Date`: a calendar date as a JSON string.
extension CalendarDate: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["Date"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(description)
    }

    package static func bindInput(to binder: inout SchemaBinder) -> BoundType { bind(to: &binder) }

    package static var sample: CalendarDate { .latest }

    package init(input: InputValue?) throws(InputError) {
        guard case .string(let text) = input, let date = CalendarDate(text) else {
            throw InputError("Expected a day of the calendar, like \"2026-11-20\".")
        }
        self = date
    }
}
