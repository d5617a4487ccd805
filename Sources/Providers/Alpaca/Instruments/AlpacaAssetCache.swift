import Brokerage
package import Upstream

/// All assets of Alpaca, which has no search: its one long list is read once a day, and searched here.
///
/// It is the same for everybody, so clients of one Alpaca share one; live, paper and sandbox have their own each.
package struct AlpacaAssetCache: Sendable {
    private let reads: ReadCache<AlpacaAssetIndex>
    /// The most memory that the list takes, in bytes.
    package static let weightLimit = 12 << 20
    /// The longest response with the list, in bytes: twice the current length of about ten thousand assets
    /// with 500 bytes each.
    package static let responseLimit = 10 << 20
    private static let key = CacheKey.public(.alpaca, "assets")

    /// An empty directory, that the first search fills.
    package init(clock: TimeSource = .system) {
        let bounds = CacheBounds(timeToLive: .seconds(86_400), entries: 1, bytes: Self.weightLimit)
        reads = ReadCache("assets", bounds: bounds, clock: clock) { $0.weight }
    }

    /// The list if it is at hand; never waits.
    var cached: AlpacaAssetIndex? { reads.cached(Self.key) }

    func index(
        in context: CallContext,
        fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> AlpacaAssetIndex
    ) async throws(ProviderFailure) -> AlpacaAssetIndex {
        try await reads.value(for: Self.key, in: context, fetch: fetch)
    }
}
