import Alpaca
import Foundation
import TestSupport
import Upstream

/// An example out of `Tests/Golden/providers/alpaca`.
func example(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: Golden.url("providers/alpaca/\(name).json")))
}

/// Reads a whole array, as the client does.
func decodeList<Value: JSONDecodable>(of type: Value.Type, from body: [UInt8]) throws(JSONError) -> [Value] {
    try JSONReader.read(body) { reader throws(JSONError) in try reader.array(of: type) }
}

extension [UInt8] {
    /// The body with one piece of its text replaced; the piece must be in it.
    func replacing(_ old: String, with new: String) throws -> [UInt8] {
        let text = String(decoding: self, as: UTF8.self)
        guard text.contains(old) else { throw NotThere(text: old) }
        return Array(text.replacing(old, with: new).utf8)
    }
}

struct NotThere: Error {
    let text: String
}
