import Brokerage
import Upstream

/// The prices of one subscription, kept up to date by its messages.
struct SaxoPriceSnapshot {
    private(set) var prices: [Int: SaxoPrice] = [:]

    init(_ snapshot: [SaxoPrice]) {
        for price in snapshot {
            guard let uic = price.uic, price.errorCode == nil else { continue }
            prices[uic] = price
        }
    }

    /// Merges what a message has into what is known.
    ///
    /// - Parameter payload: an item or an array of items, each with its Uic, wherever among its members.
    /// - Returns: the Uics of what changed.
    /// - Throws: where the payload makes no sense; nothing of it is taken then.
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
    /// Reads an item for its Uic; nil where it has none.
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
