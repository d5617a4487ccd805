import Brokerage
import Upstream

/// The body of `POST /trade/v1/infoprices/subscriptions`: a list of instruments of one AssetType.
struct SaxoSubscriptionRequest: Hashable, Sendable {
    let referenceID: String
    let assetType: String
    let uics: Set<Int>
    /// The subscription that it takes the place of.
    let replaces: String?

    func body(contextID: String) -> [UInt8] {
        var arguments = JSONObjectText()
        arguments.add("AssetType", assetType)
        arguments.add("Uics", uics.sorted().map(String.init).joined(separator: ","))
        arguments.add("FieldGroups", SaxoClient.priceFieldGroups.split(separator: ",").map(String.init))
        var text = JSONObjectText()
        text.add("ContextId", contextID)
        text.add("ReferenceId", referenceID)
        text.add("ReplaceReferenceId", replaces)
        text.add("Format", "application/json")
        // As often as a second; Saxo makes it less where the plan has less.
        text.add("RefreshRate", 1_000)
        text.add("Arguments", arguments)
        return text.body
    }
}

/// The answer: how the prices stand, to which messages of the stream tell the changes.
struct SaxoPriceSubscription: JSONDecodable, Hashable {
    var prices: [SaxoPrice]
    /// Without a message for so many seconds, the subscription is dead.
    var inactivityTimeout: Int

    init(json reader: inout JSONReader) throws(JSONError) {
        var (prices, timeout) = ([SaxoPrice]?.none, Int?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Snapshot": prices = try SaxoPage<SaxoPrice>(json: &reader).items
            case "InactivityTimeout": timeout = try reader.intOrNil()
            default: try reader.skip()
            }
        }
        self.prices = try reader.required(prices, "Snapshot")
        inactivityTimeout = min(max(timeout ?? Self.usualTimeout, 1), 3_600)
    }

    private static let usualTimeout = 30
}
