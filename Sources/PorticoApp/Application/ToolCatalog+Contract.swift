import Brokerage
import Contract
import GraphQL
import PorticoCore
import Web

extension ToolCatalog {
    /// Reads the tools of the trusted documents.
    ///
    /// - Parameters:
    ///   - policy: The trusted documents.
    ///   - settings: The mutations that are tools, and the limits of orders.
    ///   - schema: The schema that executes them.
    /// - Throws: `UsageError` for a name that no trusted mutation has, for a mutation that replaces orders, and for one
    ///   that places orders without a limit, a preview, or one variable for the order.
    init(trusting policy: DocumentPolicy, _ settings: ToolSettings, schema: Schema) throws {
        let limits = settings.orderLimits.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", ")
        let rules = ToolRules(
            scalars: Self.scalars, patterns: [Self.decimalPattern: Self.isDecimal],
            serverFields: [Self.orderInput: "idempotencyKey"],
            notes: [
                Self.placingField: """
                It needs a call of a tool with `previewOrder` with the same order in the same session, within 5 \
                minutes before; each preview is for one order. The orders of a session may have this value in a day \
                (UTC): \(limits).
                """
            ])
        self.init(
            documents: policy.trusted.values, mutations: settings.mutations, schema: schema,
            schemaText: Contract.schemaText, rules: rules, version: Version.current)
        let known = Set(tools.filter { $0.operationType == .mutation }.map(\.name))
        if let unknown = settings.mutations.subtracting(known).sorted().first {
            throw UsageError(
                """
                \(Settings.http.mcpMutations) has "\(unknown)", which is the name of no trusted mutation. \
                \(Settings.http.documents) sets the trusted documents.
                """)
        }
        if let tool = tools.first(where: { $0.selects("replaceOrder") }) {
            throw UsageError(
                """
                \(Settings.http.mcpMutations) has "\(tool.name)", which replaces orders. A tool cannot do so, because no \
                limit of value applies to a replacement. Remove the name.
                """)
        }
        try checkPlacing(settings)
    }

    private static let placingField = "placeOrder"
    private static let orderInput = "PlaceOrderInput"

    private func checkPlacing(_ settings: ToolSettings) throws {
        let placing = tools.filter { $0.selects(Self.placingField) }
        guard let first = placing.first else {
            guard settings.orderLimits.isEmpty else {
                throw UsageError(
                    """
                    \(Settings.http.mcpOrderLimit) has no effect, because \(Settings.http.mcpMutations) has no mutation \
                    that places orders.
                    """)
            }
            return
        }
        guard !settings.orderLimits.isEmpty else {
            throw UsageError(
                """
                \(Settings.http.mcpMutations) has "\(first.name)", which places orders. Set \
                \(Settings.http.mcpOrderLimit) to the maximum value of the orders of a session in a day, such as \
                `1000 USD`.
                """)
        }
        guard tools.contains(where: { $0.selects("previewOrder") }) else {
            throw UsageError(
                """
                \(Settings.http.mcpMutations) has "\(first.name)", which places orders and needs a preview. Add a query \
                with `previewOrder(input: $input)` to \(Settings.http.documents).
                """)
        }
        if let tool = placing.first(where: { !$0.placesOneOrder }) {
            throw UsageError(
                """
                \(Settings.http.mcpMutations) has "\(tool.name)", which places orders, but not as a tool must: with one \
                field, `placeOrder(input: $input)`, and a variable of the type \(Self.orderInput).
                """)
        }
    }

    /// The JSON forms of the schema's scalars: those that the gateway reads and writes.
    private static let scalars: [String: InputObject] = [
        "Date": ["type": .string("string"), "format": .string("date")],
        "DateTime": ["type": .string("string"), "format": .string("date-time")],
        "Decimal": ["type": .string("string"), "pattern": .string(decimalPattern)],
        "Number": ["type": .string("number")],
        "ProviderName": ["type": .string("string")],
        "UnixTime": ["type": .string("integer")],
    ]

    private static let decimalPattern = "^-?[0-9]+(\\.[0-9]+)?$"

    /// Whether a text has the form of ``decimalPattern``; a number with too many digits has it.
    ///
    /// The scanner also accepts a plus and an exponent.
    @Sendable
    private static func isDecimal(_ text: String) -> Bool {
        guard
            text.utf8.allSatisfy({
                $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 &- UInt8(ascii: "0") < 10
            })
        else { return false }
        var position = 0
        do throws(Decimal.ParseFailure) {
            _ = try Decimal.scan(text.utf8.span, at: &position)
            return position == text.utf8.count
        } catch {
            return error == .outOfRange
        }
    }
}

extension Tool {
    fileprivate func selects(_ field: String) -> Bool { rootFields.contains { $0.name == field } }

    /// Whether the operation places one order, whose input is a variable, and does nothing else.
    fileprivate var placesOneOrder: Bool {
        guard rootFields.count == 1, let field = rootFields.first else { return false }
        return field.variables.contains { serverFields[$0] != nil }
    }
}
