/// Where values of one kind outlive the process, and in which form.
struct PersistentCacheTable: Sendable {
    let cache: any PersistentCache
    private let form: String
    /// Nil for a value of another type.
    let encode: @Sendable (any Sendable) -> [UInt8]?
    /// Nil for bytes that were damaged.
    let decode: @Sendable ([UInt8]) -> (any Sendable)?

    init<Value: PersistentCacheValue>(_ cache: any PersistentCache, of type: Value.Type) {
        self.cache = cache
        form = Value.persistentFormat
        encode = { ($0 as? Value)?.persistentBytes }
        decode = { try? Value(persistentBytes: $0) }
    }

    /// The name of a value in the cache; nil for private data, and for providers that can be asked again at no loss.
    func name(of key: CacheKey) -> PersistentCacheKey? {
        key.provider.hasLowQuota ? PersistentCacheKey(kind: form, key) : nil
    }
}
