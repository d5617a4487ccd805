import Brokerage
import Synchronization

/// The market as requests see it: at the clock's moment, as the script has it.
///
/// A lock, because the script is set by one task and read by many.
final class Stage: Sendable {
    let market: Market
    let clock: SandboxClock
    private let state = Mutex(MarketScript())

    init(_ market: Market, clock: SandboxClock) {
        self.market = market
        self.clock = clock
    }

    var script: MarketScript { state.withLock { $0 } }

    func set(_ script: MarketScript) {
        state.withLock { $0 = script }
    }

    var view: MarketView { MarketView(market, at: clock.now, script: script) }

    /// The market at a second of the clock.
    func view(at second: Int) -> MarketView {
        MarketView(market, at: Instant(secondsSince1970: Int64(second)) ?? clock.now, script: script)
    }
}
