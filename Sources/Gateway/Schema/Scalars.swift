package import Brokerage
package import GraphQL

extension GraphQLScalar where Self: GraphQLInput {
    /// A scalar has the same schema type in arguments as in responses.
    package static func bindInput(to binder: inout SchemaBinder) -> BoundType { bind(to: &binder) }
}

/// `Date`: a calendar date as a JSON string.
extension CalendarDate: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["Date"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(upTo: CalendarDate.utf8Count + 2) { span in
            span.append(UInt8(ascii: "\""))
            write(into: &span)
            span.append(UInt8(ascii: "\""))
        }
    }

    package static var sample: CalendarDate { .latest }

    package init(input: InputValue?) throws(InputError) {
        guard case .string(let text) = input, let date = CalendarDate(text) else {
            throw InputError("Expected a day of the calendar, like \"2026-11-20\".")
        }
        self = date
    }
}

/// `Number`: the digits of a decimal as a JSON number.
package struct Number: GraphQLScalar {
    let value: Decimal

    package static var graphQLNames: [String] { ["Number"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(upTo: Decimal.maximumUTF8Count) { value.write(into: &$0) }
    }
}

/// `UnixTime`: seconds since 1970 as a JSON number.
package struct UnixTime: GraphQLScalar {
    let seconds: Int64

    package static var graphQLNames: [String] { ["UnixTime"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(Int(seconds))
    }
}

/// `Decimal`: all digits, as a JSON string.
extension Decimal: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["Decimal"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(upTo: Decimal.maximumUTF8Count + 2) { span in
            span.append(UInt8(ascii: "\""))
            write(into: &span)
            span.append(UInt8(ascii: "\""))
        }
    }

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

/// `DateTime`: RFC 3339 in UTC with 3 or 6 fraction digits, as a JSON string.
extension Instant: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["DateTime"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(upTo: Instant.maximumUTF8Count + 2) { span in
            span.append(UInt8(ascii: "\""))
            writeDateTime(into: &span)
            span.append(UInt8(ascii: "\""))
        }
    }

    package static var sample: Instant { .latest }

    package init(input: InputValue?) throws(InputError) {
        guard case .string(let text) = input, let instant = Instant(text) else {
            throw InputError("Expected an instant in RFC 3339, like \"2026-11-20T14:30:00Z\".")
        }
        self = instant
    }
}

/// `ProviderName`: the name of a provider as a JSON string.
extension ProviderID: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["ProviderName"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(name.text)
    }

    package static var sample: ProviderID { .alpaca }

    /// Accepts the form of a name; ``GatewayServices/check(_:of:)`` refuses a name of no provider.
    package init(input: InputValue?) throws(InputError) {
        guard case .string(let text) = input, let name = ProviderName(text) else {
            throw InputError(
                """
                Expected the name of a provider in small letters, such as \"alpaca\".\(Self.suggestion(for: input)) \
                `providers { name }` has all names.
                """)
        }
        self.init(name)
    }

    /// ` Did you mean "alpha-vantage"?` for `ALPHA_VANTAGE`; empty for a text that no compiled provider resembles.
    private static func suggestion(for input: InputValue?) -> String {
        let text: String
        switch input {
        case .string(let written), .enum(let written): text = written
        default: return ""
        }
        guard text.utf8.count <= ProviderName.maximumLength,
            let name = ProviderName(text.lowercased().replacing("_", with: "-")),
            allCases.contains(ProviderID(name))
        else { return "" }
        return " Did you mean \"\(name)\"?"
    }
}

/// A symbol is a `String` in the schema.
extension Symbol: GraphQLScalar, GraphQLInput {
    package static var graphQLNames: [String] { ["String"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(text)
    }

    package static var sample: Symbol { .example }

    package init(input: InputValue?) throws(InputError) {
        guard case .string(let text) = input else { throw InputError("Expected a symbol.") }
        guard let symbol = Symbol(typed: text) else { throw InputError(Symbol.fault(of: text)) }
        self = symbol
    }

    /// The error of a text that is no symbol: what a symbol is, and the one that the text probably means.
    static func fault(of text: String) -> String {
        let rule = """
            "\(text.beginning(40))" is not a symbol: a symbol has 1 to \(Symbol.maximumLength) letters, \
            digits and the characters . - / : = ^ _ + &
            """
        return Symbol(suggestedBy: text).map { "\(rule); did you mean \($0)?" } ?? rule
    }

    /// For messages: `symbol "VOD.L" (did you mean VOD:XLON?)`.
    var phrase: String {
        "symbol \"\(text)\"" + (alternative.map { " (did you mean \($0)?)" } ?? "")
    }
}
