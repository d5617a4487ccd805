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

/// What a test or a demonstration makes of the market: open, closed, or without a price.
package struct MarketScript: Sendable, Hashable {
    package var hours: Hours
    /// Symbols that have no price, as after a halt before the first trade.
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

    /// The moment that the market takes for now; scripted hours are those of the stock exchanges, and whatever
    /// keeps other hours is told of at that moment too.
    ///
    /// Scripted open, it is inside the market hours of the last session that has opened, one second later for
    /// each second of the clock, and round again at the close. Scripted closed, it is the end of the last
    /// session.
    package func scriptedSecond(at second: Int) -> Int {
        let second = Market.clamped(second)
        switch hours {
        case .asScheduled: return second
        case .open:
            guard let session = Market.session(openedBy: second), session.phase(at: second) != .regular else {
                return second
            }
            let hours = session.close - session.open
            return session.open + (second - session.open) % hours
        case .closed:
            guard let session = Market.session(begunBy: second), session.phase(at: second) != nil else {
                return second
            }
            return TradingCalendar.session(before: session.date)?.postMarketClose ?? second
        }
    }
}
