package import Brokerage
import PorticoCore
package import Upstream

/// The market data that a credential may read.
package struct AlpacaPlan: Hashable, Sendable {
    /// The feed of its latest prices; nil if it is unknown.
    package let feed: AlpacaFeed?
    /// Calls per minute at the data host; nil if Alpaca has not reported them.
    package let callsPerMinute: Int?

    package init(feed: AlpacaFeed?, callsPerMinute: Int? = nil) {
        self.feed = feed
        self.callsPerMinute = callsPerMinute
    }

    package static let unknown = AlpacaPlan(feed: nil)

    /// The feed of the data stream, whose URL must name one: IEX, which each plan has, if it is unknown.
    var streamFeed: AlpacaFeed { feed ?? .iex }

    /// The maximum of trade and quote subscriptions on the data stream, counted together; nil for none.
    ///
    /// A plan with the feed of all exchanges has no limit, the free one has 30.
    var streamSubscriptions: Int? { feed == .sip ? nil : Self.freeSubscriptions }

    private static let freeSubscriptions = 30
}

/// Where a client learns its plan.
package enum AlpacaPlanSource: Sendable {
    /// From the settings.
    case fixed(AlpacaPlan)
    /// From Alpaca, by a probe for each credential.
    case probed(AlpacaPlanCache)
}

/// The plans of credentials, each read once a day.
///
/// Clients of one credential share its plan, and so do clients that are opened one after the other.
package struct AlpacaPlanCache: Sendable {
    private let reads: ReadCache<ExactText, AlpacaPlan>

    /// The most memory that the plans take, in bytes: 10,500 plans.
    ///
    /// A user whose plan is not in memory causes a call.
    package static let weightLimit = 6 << 20

    package init(clock: TimeSource = .system) {
        reads = ReadCache(
            "plans", CacheBounds(bytes: Self.weightLimit),
            freshness: FreshnessPolicy(negativeTTL: .zero, markStale: { $0 }) { plan, _ in
                // A probe that failed is repeated, but not with each call.
                CacheLifetime(fresh: plan.feed == nil ? .seconds(900) : .seconds(86_400))
            }, weight: { _ in MemoryLayout<AlpacaPlan>.stride }, time: clock)
    }

    /// The plan of a credential if it is known, without waiting.
    package func cached(of account: QuotaAccount) -> AlpacaPlan? {
        reads.cached(Self.query(account), in: Self.scope)
    }

    /// The plan of a credential, read with `probe` if it is not known.
    package func plan(
        of account: QuotaAccount, in context: CallContext,
        probe: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> AlpacaPlan
    ) async throws(ProviderFailure) -> AlpacaPlan {
        try await reads.read(Self.query(account), in: Self.scope, for: context, load: probe)
    }

    private static let scope = CacheScope.shared(.alpaca)

    /// Never the credential itself, see `QuotaAccount`.
    private static func query(_ account: QuotaAccount) -> ExactText { ExactText(account.credential ?? "") }
}

extension AlpacaClient {
    /// The plan as far as it is known without a call.
    var knownPlan: AlpacaPlan { storedPlan ?? .unknown }

    /// The plan; nil if a call must determine it.
    var storedPlan: AlpacaPlan? {
        switch plans {
        case .fixed(let plan): plan
        case .probed(let cache): cache.cached(of: quotaAccount)
        }
    }

    /// The plan, after at most one call for each credential and day; `unknown` if it cannot be determined.
    func plan(in context: CallContext) async -> AlpacaPlan {
        switch plans {
        case .fixed(let plan): return plan
        case .probed(let cache):
            do throws(ProviderFailure) {
                return try await cache.plan(of: quotaAccount, in: context) {
                    [self] call throws(ProviderFailure) in
                    do throws(ProviderFailure) {
                        return try await probe(in: call)
                    } catch {
                        switch error.cause {
                        // The call was not sent, or its caller does not wait for it: that says nothing of the plan.
                        case .cancelled, .notAllowed, .quotaExhausted, .overloaded, .circuitOpen: throw error
                        default: return .unknown
                        }
                    }
                }
            } catch {
                return .unknown
            }
        }
    }

    /// Whether the credential may read the latest prices of all exchanges: `GET /v2/stocks/trades/latest` with `feed=sip`,
    /// which Alpaca refuses without a subscription to them.
    private func probe(in context: CallContext) async throws(ProviderFailure) -> AlpacaPlan {
        let items: [(name: String, value: String?)] = [
            ("symbols", "AAPL"), ("feed", AlpacaFeed.sip.rawValue),
        ]
        return try await getPrices(
            "plan", { $0.appending(path: "v2", "stocks", "trades", "latest")?.appending(query: items) },
            in: context
        ) { response throws(JSONError) -> AlpacaPlan in
            let limit = AlpacaRateLimit.reportedQuotas(of: .data, in: response).first?.limit
            return AlpacaPlan(
                feed: AlpacaErrorBody.isTooRecent(response) ? .iex : .sip, callsPerMinute: limit)
        }
    }
}
