import Brokerage
import Synchronization

/// The market as requests see it: at the clock's moment, as the script has it.
struct ScriptedMarket: Sendable {
    let market: Market
    let clock: SandboxClock
    private let scripts: MarketScripts
    /// Whose requests; nil for what every provider has that has no script of its own.
    private let provider: ProviderID?

    init(_ market: Market, clock: SandboxClock) {
        self.init(market: market, clock: clock, scripts: MarketScripts(), provider: nil)
    }

    private init(market: Market, clock: SandboxClock, scripts: MarketScripts, provider: ProviderID?) {
        self.market = market
        self.clock = clock
        self.scripts = scripts
        self.provider = provider
    }

    /// The same market as one provider tells of it.
    func seen(by provider: ProviderID) -> ScriptedMarket {
        ScriptedMarket(market: market, clock: clock, scripts: scripts, provider: provider)
    }

    var script: MarketScript { scripts.script(of: provider) }

    /// Without a provider, the script holds for all of them, whatever held for one before.
    func set(_ script: MarketScript) {
        scripts.set(script, of: provider)
    }

    /// The providers that have a script of their own.
    var exceptions: [ProviderID: MarketScript] { scripts.exceptions }

    var view: MarketView { MarketView(market, at: clock.now, script: script) }

    /// The market at a second of the clock.
    func view(at second: Int) -> MarketView {
        MarketView(market, at: Instant(secondsSince1970: Int64(second)) ?? clock.now, script: script)
    }
}

/// What the market is made to look like, at every provider.
///
/// A lock, because scripts are set by one task and read by many.
private final class MarketScripts: Sendable {
    private let state = Mutex(State())

    private struct State {
        var usual = MarketScript()
        var exceptions: [ProviderID: MarketScript] = [:]
    }

    var exceptions: [ProviderID: MarketScript] { state.withLock { $0.exceptions } }

    func script(of provider: ProviderID?) -> MarketScript {
        state.withLock { state in provider.flatMap { state.exceptions[$0] } ?? state.usual }
    }

    func set(_ script: MarketScript, of provider: ProviderID?) {
        state.withLock { state in
            guard let provider else {
                state = State(usual: script)
                return
            }
            state.exceptions[provider] = script
        }
    }
}
