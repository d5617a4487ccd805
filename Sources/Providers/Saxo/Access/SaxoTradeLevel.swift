import Brokerage
import PorticoCore
import Synchronization
import Upstream

/// The trade level of a session at Saxo, with which it receives real-time prices (developer.saxo, "Session capabilities").
///
/// One session of a user can have the level FullTradingAndChat: taking it gives the user's other sessions delayed prices. So it
/// is taken only for connections whose users chose it, before the first prices, and once: if another session of the user takes
/// it, Portico does not take it again. Each price states its own delay.
final class SaxoTradeLevel: Sendable {
    private enum State {
        case initial
        case taken
        /// The request has failed; it is repeated after a while.
        case failed(until: ContinuousClock.Instant)
    }

    // Reads on many tasks begin at the same time; held for a comparison.
    private let state = Mutex(State.initial)

    private static let retryPause = Duration.seconds(60)

    /// Records that the caller requests the level; false if it need not, because it was requested before and has not failed.
    func beginRequest(at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            switch state {
            case .taken: return false
            case .failed(let end) where now < end: return false
            case .initial, .failed:
                state = .taken
                return true
            }
        }
    }

    func didFail(at now: ContinuousClock.Instant) {
        state.withLock { $0 = .failed(until: now + Self.retryPause) }
    }
}

extension SaxoClient {
    /// Takes the trade level of the user's sessions if the connection does: `PATCH /root/v1/sessions/capabilities`.
    ///
    /// Prices are read also if it fails, and are delayed then.
    func takeTradeLevel(in context: CallContext) async {
        guard let tradeLevel, tradeLevel.beginRequest(at: clock.now()) else { return }
        var body = JSONObjectText()
        body.add("TradeLevel", "FullTradingAndChat")
        do throws(ProviderFailure) {
            try await write(
                "session capabilities", .root, .patch,
                try address(.root, ["v1", "sessions", "capabilities"]), body: body.bytes, in: context,
                read: { _ throws(JSONError) in () })
        } catch {
            tradeLevel.didFail(at: clock.now())
        }
    }
}
