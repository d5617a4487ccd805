import Brokerage
import GraphQL

/// The property by which holdings are grouped.
package enum AllocationKey: String, Sendable, CaseIterable {
    case assetClass = "ASSET_CLASS"
    case sector = "SECTOR"
    case country = "COUNTRY"
    case currency = "CURRENCY"
    case provider = "PROVIDER"
    case account = "ACCOUNT"
    case instrument = "INSTRUMENT"
}

/// Something held that has a value in the currency that is summed in.
struct ValuedHolding: Sendable {
    let value: Decimal
    /// The group of `value` for each property.
    let keys: [AllocationKey: String]
}

/// One slice of an allocation.
struct Allocation: Sendable {
    let key: String
    let value: Decimal
    /// Nil if the total is not positive.
    let percent: Decimal?
}

extension Allocation {
    /// The slices of the holdings, largest first, with values rounded in their currency.
    ///
    /// - Throws: `Decimal.Overflow` for sums with too many digits.
    static func slices(
        of held: [ValuedHolding], in currency: Currency, by key: AllocationKey
    ) throws -> [Allocation] {
        var sums: [String: Decimal] = [:]
        for item in held {
            guard let name = item.keys[key] else { continue }
            sums[name] = try (sums[name] ?? .zero) + item.value
        }
        let total = try sums.values.reduce(.zero) { try $0 + $1 }
        return sums.map { name, sum in
            Allocation(
                key: name, value: sum.rounded(in: currency.code), percent: sum.percent(of: total))
        }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }
}

extension Allocation: GraphQLObject {
    static let graphQL = ObjectType<Allocation>("Allocation") {
        Field("key", \.key)
        Field("value", \.value)
        Field("percentage", \.percent)
    }
}

struct AllocationArguments: GraphQLArguments {
    let key: AllocationKey

    init(_ arguments: ArgumentReader) throws {
        key = try arguments["by"]
    }
}
