package import TestSupport

/// The members of an object without which an adapter does not read it, compared with those that a document guarantees.
package struct RequiredMembers: Sendable {
    package let names: Set<String>

    /// - Parameters:
    ///   - object: An object that can be read.
    ///   - read: Reads an object.
    /// - Throws: The error of reading the whole object.
    package init(of object: JSONValue, _ read: ([UInt8]) throws -> Void) throws {
        try read(Array(object.serialized.utf8))
        var names: Set<String> = []
        for name in (object.members ?? [:]).keys {
            var rest = object.members ?? [:]
            rest[name] = nil
            do {
                try read(Array(JSONValue.object(rest).serialized.utf8))
            } catch {
                names.insert(name)
            }
        }
        self.names = names
    }
}
