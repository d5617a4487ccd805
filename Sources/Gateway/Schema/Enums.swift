package import Brokerage
package import GraphQL
package import Storage

// The vocabulary's enums whose names and values are those of the schema.

extension ProviderID: GraphQLEnum, GraphQLInput {
    package static var graphQLName: String { "Provider" }
    package static var sample: ProviderID { allCases[0] }

    /// The enum value of all providers that a file describes.
    static let otherValue = "OTHER"

    /// The value of the enum: ``otherValue`` for a provider of a file, whose name is in another field.
    var enumValue: String {
        if case .other = self { Self.otherValue } else { rawValue }
    }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(enumValue)
    }

    /// - Throws: `InputError` for OTHER, which names no provider: see ``GraphQL/ArgumentReader/provider(in:)``.
    package init(input: InputValue?) throws(InputError) {
        switch try ProviderArgument(input: input) {
        case .compiled(let provider): self = provider
        case .other: throw InputError("OTHER has public market data only; use another provider.")
        }
    }
}

/// A value of the enum `Provider` as an argument.
enum ProviderArgument: GraphQLInput {
    case compiled(ProviderID)
    case other

    static var sample: ProviderArgument { .compiled(.sample) }

    static func bindInput(to binder: inout SchemaBinder) -> BoundType { ProviderID.bindInput(to: &binder) }

    init(input: InputValue?) throws(InputError) {
        switch input {
        case .enum(ProviderID.otherValue), .string(ProviderID.otherValue): self = .other
        case .enum(let name), .string(let name):
            guard let provider = ProviderID.allCases.first(where: { $0.rawValue == name }) else {
                throw InputError("\(name) is no value of \(ProviderID.graphQLName).")
            }
            self = .compiled(provider)
        case .int, .number, .boolean, .list, .object, .null, nil:
            throw InputError("Expected a value of \(ProviderID.graphQLName).")
        }
    }
}

extension ArgumentReader {
    /// The provider that `provider` and `providerName` determine; nil if neither is given.
    ///
    /// - Parameter path: The path of the arguments in messages: `input.`.
    /// - Returns: The provider, which need not be configured.
    /// - Throws: `FieldError` for OTHER without a name, a name of no provider, or arguments that contradict each other.
    func provider(in path: String = "") throws -> ProviderID? {
        try provider(of: self["provider"], in: path)
    }

    /// The provider that the required argument `provider` and `providerName` determine; see ``provider(in:)``.
    func requiredProvider(in path: String) throws -> ProviderID {
        let kind: ProviderArgument = try self["provider"]
        guard let provider = try provider(of: kind, in: path) else { throw FieldError.internalError }
        return provider
    }

    private func provider(of kind: ProviderArgument?, in path: String) throws -> ProviderID? {
        let name = try (self["providerName"] as CodeText?)?.text
        guard let name else {
            switch kind {
            case nil: return nil
            case .compiled(let provider): return provider
            case .other:
                throw FieldError.argument(
                    path + "providerName",
                    "OTHER needs the name of the provider. `providers { providerName }` returns the names.")
            }
        }
        guard let provider = ProviderID(rawValue: name) else {
            throw FieldError.argument(
                path + "providerName",
                "\"\(name.beginning(40))\" is not a name. `providers { providerName }` returns the names.")
        }
        let isSame =
            switch kind {
            case nil: true
            case .compiled(let compiled): compiled == provider
            case .other: provider.enumValue == ProviderID.otherValue
            }
        guard isSame else {
            throw FieldError.argument(
                path + "providerName", "It is \(name), and `provider` is another one. Use one of them.")
        }
        return provider
    }
}

extension Environment: GraphQLEnum, GraphQLInput {
    package static var sample: Environment { .live }
}

extension ConnectionStatus: GraphQLEnum {}

extension Interval: GraphQLEnum, GraphQLInput {
    package static var sample: Interval { .oneDay }
}

extension HistoryRange: GraphQLEnum, GraphQLInput {
    package static var sample: HistoryRange { .oneDay }
}

extension PositionSide: GraphQLEnum {}

extension ValuationReliability: GraphQLEnum {}

extension AssetClass: GraphQLEnum {}

extension Adjustment: GraphQLEnum, GraphQLInput {
    package static var sample: Adjustment { .raw }
}

extension Timeliness: GraphQLEnum {}

extension MarketState: GraphQLEnum {}

extension MarketDepth.Unavailability: GraphQLEnum {
    package static var graphQLName: String { "MarketDepthUnavailability" }
}

extension AllocationKey: GraphQLEnum, GraphQLInput {
    package static var sample: AllocationKey { .assetClass }
}

extension ActivityKind: GraphQLEnum, GraphQLInput {
    package static var sample: ActivityKind { .trade }
}

extension OrderSide: GraphQLEnum, GraphQLInput {
    package static var sample: OrderSide { .buy }
}

extension TimeInForce: GraphQLEnum, GraphQLInput {
    package static var sample: TimeInForce { .day }
}

extension OrderType: GraphQLEnum {}

extension OrderState: GraphQLEnum, GraphQLInput {
    package static var sample: OrderState { .open }
}

extension ReconciliationState: GraphQLEnum {
    static var graphQLName: String { "OrderReconciliation" }
}

extension RejectionReason: GraphQLEnum {}

extension PreviewCalculator: GraphQLEnum {}

extension ErrorCode: GraphQLEnum {}

extension Scope: GraphQLEnum, GraphQLInput {
    package static var sample: Scope { .read }
}

extension Feature: GraphQLEnum {}
