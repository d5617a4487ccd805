// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: d8b1b76356ce547fa7ae085f61a5e1ae8ead702e45403b0ce1a602b3545b7009
//
// Replace the file of this name in PorticoAPI/Sources/Schema, which the code generator writes once.

import ApolloAPI

/// Objects with an id are identified by it in the cache; others belong to the object that contains them.
public enum SchemaConfiguration: ApolloAPI.SchemaConfiguration {
    public static func cacheKeyInfo(for type: ApolloAPI.Object, object: ApolloAPI.ObjectData) -> CacheKeyInfo? {
        guard let id = object["id"] as? String else { return nil }
        return CacheKeyInfo(id: id)
    }
}
