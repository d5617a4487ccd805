package import Brokerage
import Synchronization
package import Upstream

extension SaxoClient: OrderStream {
    /// Streams the events of all orders of the user, over the streaming connection of the prices.
    ///
    /// Each event contains the whole order, without its legs. After a break, Saxo continues after the last event that
    /// was delivered; an event that comes again is not delivered again. `connected` is delivered for each
    /// subscription: a caller that then reads the open orders misses nothing.
    package func run(
        deliver: @escaping @Sendable (StreamEvent<Order>) -> Void
    ) async throws(ProviderFailure) {
        guard let url = configuration.streamingURL else { throw ProviderFailure(.saxo, .unsupported) }
        throw await streams.run(.orders, of: self, at: url) { session in
            let (events, continuation) = AsyncStream.makeStream(
                of: StreamEvent<SaxoOrderEvent>.self, bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
            session.followOrders { event in
                // Without this event the others are incomplete: the stream begins again after the last one
                // that was delivered.
                if case .dropped = continuation.yield(event) { continuation.finish() }
            }
            for await event in events {
                do throws(ProviderFailure) {
                    try await self.deliver(event, in: session.context, deliver)
                } catch {
                    return error
                }
            }
            return Task.isCancelled ? SaxoStreamSession.cancelled : ProviderFailure(.saxo, .overloaded)
        }
    }

    /// The maximum number of events that wait for their instrument; Saxo takes one order a second.
    private static var maximumWaiting: Int { 1_000 }

    private func deliver(
        _ event: StreamEvent<SaxoOrderEvent>, in context: CallContext,
        _ deliver: (StreamEvent<Order>) -> Void
    ) async throws(ProviderFailure) {
        switch event {
        case .connected: deliver(.connected)
        case .carrying(let symbols): deliver(.carrying(symbols))
        case .value(let event):
            guard streams.history.isNew(event) else { return }
            if event.isReported {
                let key = event.order.key
                let listings = try await listings(of: [(key, event.order.terms.format)], in: context)
                guard let listing = listings[key] else {
                    throw ProviderFailure(.saxo, .invalidResponse(nil))
                }
                var order = event.order(of: listing, fetchedAt: clock.wallTime())
                if order.accountID == nil {
                    order.accountID = event.accountID(among: try await identity(in: context).accounts)
                }
                deliver(.value(order))
            }
            streams.history.record(event)
        }
    }
}

/// The events of orders that one connection has delivered, over all its streaming contexts.
package final class SaxoOrderEventHistory: Sendable {
    private struct State {
        var last: SaxoOrderEvent?
        /// The numbers of the last events, the newest last.
        var recent: [String] = []
    }

    // Two contexts can follow orders at a time, while a connection is renewed; held for a few lines.
    private let state = Mutex(State())

    /// The number of events that are compared with new ones: those of a day of active trading.
    private static let maximumRecent = 1_000

    package init() {}

    /// The start of the next subscription.
    package var start: SaxoOrderSubscriptionRequest.Start {
        state.withLock { $0.last?.sequenceID.map { .sequence($0) } } ?? startByTime
    }

    /// The start if Saxo no longer has the last event.
    package var startByTime: SaxoOrderSubscriptionRequest.Start {
        state.withLock { $0.last?.time.map { .time($0) } } ?? .realTime
    }

    /// Whether an event was not recorded before; an event without a number is new.
    package func isNew(_ event: SaxoOrderEvent) -> Bool {
        state.withLock { state in event.sequenceID.map { !state.recent.contains($0) } ?? true }
    }

    package func record(_ event: SaxoOrderEvent) {
        state.withLock { state in
            state.last = event
            guard let id = event.sequenceID else { return }
            state.recent.append(id)
            state.recent.removeFirst(max(0, state.recent.count - Self.maximumRecent))
        }
    }
}
