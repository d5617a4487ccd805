import Brokerage
import Upstream

/// The state of each provider, as the user of the request sees it.
package struct ProviderStatusService: Sendable {
    let scope: RequestScope
}

extension ProviderStatusService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope)
    }

    /// Every compiled provider, configured or not, and those of the provider file.
    func providers() -> [ProviderStatus] {
        scope.services.providers.map { provider in
            let sources = MarketDataReads(scope).allSources.filter { $0.provider == provider }
            let links = ConnectionDirectory(scope).own.filter { $0.provider == provider }
            return ProviderStatus(
                provider: provider, sources: sources,
                isAccountSource: links.contains { $0.broker != nil },
                orders: links.lazy.compactMap { $0.broker?.orders?.orderCapabilities }.first,
                condition: scope.services.condition(provider), links: links)
        }
    }
}
