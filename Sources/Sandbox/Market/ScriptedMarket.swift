import Brokerage
import Synchronization

/// The market at the clock's time, modified by the script.
struct ScriptedMarket: Sendable {
    let market: Market
    let clock: SandboxClock
    private let scripts: MarketScripts
    /// The provider that it is for; nil for the default of providers without a script of their own.
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

    /// Returns the same market with the script of one provider.
    func scripted(for provider: ProviderID) -> ScriptedMarket {
        ScriptedMarket(market: market, clock: clock, scripts: scripts, provider: provider)
    }

    var script: MarketScript { scripts.script(of: provider) }

    /// Sets the script of the provider; without a provider, it replaces the scripts of all.
    func set(_ script: MarketScript) {
        scripts.set(script, of: provider)
    }

    /// The providers with a script of their own.
    var exceptions: [ProviderID: MarketScript] { scripts.exceptions }

    var view: MarketView { MarketView(market, at: clock.now, script: script) }

    /// Returns the market at a second of the clock.
    func view(at second: Int) -> MarketView {
        MarketView(market, at: Instant(secondsSince1970: Int64(second)) ?? clock.now, script: script)
    }
}

/// The market scripts of all providers.
///
/// It uses a lock: one task sets scripts, many read them.
private final class MarketScripts: Sendable {
    private let state = Mutex(State())

    private struct State {
        var shared = MarketScript()
        var exceptions: [ProviderID: MarketScript] = [:]
    }

    var exceptions: [ProviderID: MarketScript] { state.withLock { $0.exceptions } }

    func script(of provider: ProviderID?) -> MarketScript {
        state.withLock { state in provider.flatMap { state.exceptions[$0] } ?? state.shared }
    }

    func set(_ script: MarketScript, of provider: ProviderID?) {
        state.withLock { state in
            guard let provider else {
                state = State(shared: script)
                return
            }
            state.exceptions[provider] = script
        }
    }
}

/// A change of the market by a test or a demonstration: open, closed, or without some prices.
package struct MarketScript: Sendable, Hashable {
    package var hours: Hours
    /// Symbols without a price, as after a halt before the first trade.
    package var unpriced: Set<String>

    package init(hours: Hours = .asScheduled, unpriced: Set<String> = []) {
        self.hours = hours
        self.unpriced = unpriced
    }

    package enum Hours: String, Sendable, Hashable, CaseIterable {
        case asScheduled = "as_scheduled"
        case open
        case closed
    }

    /// Returns the market's time for a second of the clock; scripted hours are those of the exchanges, and
    /// apply to all instruments.
    ///
    /// Scripted open, it is inside the market hours of the last session that has opened. It advances with the
    /// clock, and restarts at the close. Scripted closed, it is the end of the last session.
    package func scriptedSecond(at second: Int, of exchanges: TradingHours = .exchanges) -> Int {
        let second = Market.clamped(second)
        switch hours {
        case .asScheduled: return second
        case .open:
            guard let session = exchanges.session(openedBy: second), session.phase(at: second) != .regular
            else {
                return second
            }
            let hours = session.close - session.open
            return session.open + (second - session.open) % hours
        case .closed:
            guard let session = exchanges.session(begunBy: second), session.phase(at: second) != nil else {
                return second
            }
            return exchanges.session(before: session.date)?.postMarketClose ?? second
        }
    }
}
