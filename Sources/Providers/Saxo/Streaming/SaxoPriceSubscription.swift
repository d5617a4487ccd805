import Brokerage
import Upstream

/// The body of `POST /trade/v1/infoprices/subscriptions`: a list of instruments of one AssetType.
package struct SaxoSubscriptionRequest: Hashable, Sendable {
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
        // Once a second; Saxo uses a lower rate if the plan requires it.
        text.add("RefreshRate", 1_000)
        text.add("Arguments", arguments)
        return text.bytes
    }
}

/// The response to a subscription: the current prices, which the messages of the stream change.
package struct SaxoPriceSubscription: JSONDecodable, Hashable {
    var prices: [SaxoPrice]
    /// A subscription without a message for this number of seconds has ended.
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
        inactivityTimeout = Self.inactivityTimeout(timeout)
    }

    /// The timeout of a response, of a second to an hour; 30 s if the response has none.
    static func inactivityTimeout(_ seconds: Int?) -> Int { min(max(seconds ?? 30, 1), 3_600) }
}

/// The prices of one subscription, which its messages update.
struct SaxoPriceSnapshot {
    private(set) var prices: [Int: SaxoPrice] = [:]

    init(_ snapshot: [SaxoPrice]) {
        for price in snapshot {
            guard let uic = price.uic, price.errorCode == nil else { continue }
            prices[uic] = price
        }
    }

    /// Merges a message into the current prices.
    ///
    /// - Parameter payload: An item or an array of items, each with its Uic at any position.
    /// - Returns: The Uics of the changed prices.
    /// - Throws: An error for a malformed payload, of which nothing is merged.
    mutating func merge(_ payload: [UInt8]) throws(JSONError) -> [Int] {
        let uics = try JSONReader.read(payload) { reader throws(JSONError) in
            var uics: [Int?] = []
            try reader.eachObject { reader throws(JSONError) in uics.append(try reader.uic()) }
            return uics
        }
        var next = 0
        var merged = prices
        try JSONReader.read(payload) { reader throws(JSONError) in
            try reader.eachObject { reader throws(JSONError) in
                let uic = next < uics.count ? uics[next] : nil
                next += 1
                guard let uic, var price = merged[uic] else { return try reader.skip() }
                try price.merge(json: &reader)
                merged[uic] = price.isDeleted ? nil : price
            }
        }
        prices = merged
        return uics.compactMap(\.self)
    }
}

extension JSONReader {
    /// Reads the Uic of an item; nil if it has none.
    fileprivate mutating func uic() throws(JSONError) -> Int? {
        var uic: Int?
        try object { key, reader throws(JSONError) in
            switch key {
            case "Uic": uic = try reader.int()
            default: try reader.skip()
            }
        }
        return uic
    }
}

extension QuoteUpdate {
    /// The difference between two prices in Portico's form; nil if nothing changed that Portico returns.
    ///
    /// Without an old price, all of the new one.
    init?(from old: SaxoPrice?, to new: SaxoPrice, of listing: SaxoListing) {
        // When it is read does not matter: only figures are compared.
        let after = new.quote(of: listing, fetchedAt: .earliest)
        let before = old?.quote(of: listing, fetchedAt: .earliest)
        self.init(symbol: listing.symbol)
        func changed<Value: Equatable>(_ path: KeyPath<Quote, Value?>) -> Value? {
            before?[keyPath: path] == after[keyPath: path] ? nil : after[keyPath: path]
        }
        price = changed(\.price)
        open = changed(\.open)
        high = changed(\.high)
        low = changed(\.low)
        previousClose = changed(\.previousClose)
        volume = changed(\.volume)
        marketState = changed(\.marketState)
        // Another session of the user may have taken the real-time prices.
        timeliness = changed(\.timeliness)
        delayMinutes = changed(\.delayMinutes)
        if before == nil || before?.bid != after.bid { bid = .some(after.bid) }
        if before == nil || before?.ask != after.ask { ask = .some(after.ask) }
        guard self != QuoteUpdate(symbol: listing.symbol) else { return nil }
        // A change without a time of its own is not older than a price that was read meanwhile.
        asOf = changed(\.provenance.asOf)
    }
}
