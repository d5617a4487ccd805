package import Upstream

/// The stored public values of providers, so that a process does not request a value that another one has, or that an
/// earlier process had.
///
/// - Private values have no key (``PersistentCacheKey``), and values of simulated providers are never used as those of others.
/// - While one process requests a value, others wait for it, but not long: ``RedisCache/Limits/wait``.
/// - Without Redis, or without the file, each process requests its values from providers, within the quotas.
package protocol SharedCache: CoordinationPart {
    /// The cache of the providers in their environments; nil if values are only in memory.
    func cache(of environments: [String]) -> (any PersistentCache)?
}
