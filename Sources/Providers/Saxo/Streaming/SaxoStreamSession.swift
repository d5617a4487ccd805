import Brokerage
import Synchronization
import Upstream

/// One streaming context: its WebSocket, its subscriptions, and the token that both stand on.
///
/// Four tasks share the state: one listens, one learns what is wanted, one makes and removes subscriptions (it alone, so
/// that they follow each other), one looks after silence and the token. The first that ends, ends all.
final class SaxoStreamSession: Sendable {
    struct State {
        var stream = SaxoStreamState()
        var isConnected = false
        /// That Saxo knows of.
        var token: SaxoToken?
    }

    let client: SaxoClient
    let url: HTTPURL
    let contextID: String
    let deliver: @Sendable (StreamEvent<QuoteUpdate>) -> Void
    // Held for a few lines each, `deliver` included, so that changes are told in their order; never across a suspension.
    let state = Mutex(State())
    let (signals, signal) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        of client: SaxoClient, at url: HTTPURL,
        deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) {
        self.client = client
        self.url = url
        self.deliver = deliver
        var generator = SystemRandomNumberGenerator()
        contextID = "portico-" + String(generator.next(), radix: 36)
    }

    /// Runs until something ends it.
    func run(_ wanted: AsyncStream<Set<Symbol>>) async -> ProviderFailure {
        await withTaskGroup(of: ProviderFailure.self) { group in
            group.addTask { await self.listen() }
            group.addTask { await self.follow(wanted) }
            group.addTask { await self.subscribe() }
            group.addTask { await self.watch() }
            let end = await group.next() ?? Self.cancelled
            group.cancelAll()
            return end
        }
    }

    static let cancelled = ProviderFailure(.saxo, .cancelled)
    /// How long one call may take.
    static let callTime = Duration.seconds(30)
    /// How often silence and the token are looked after: a token is renewed a minute ahead of its end.
    private static let watchInterval = Duration.seconds(10)

    var context: CallContext { CallContext(deadline: client.clock.now() + Self.callTime) }

    // MARK: Subscriptions

    private func follow(_ wanted: AsyncStream<Set<Symbol>>) async -> ProviderFailure {
        for await symbols in wanted {
            let listings = await client.listings(for: Array(symbols), in: context)
            state.withLock { $0.stream.follow(listings.found.map { $1.named($0) }) }
            signal.yield()
            // One whose name Saxo refuses leaves the others their stream; what may pass is tried again with the next one.
            for failure in listings.failures.values where failure.cause != .unsupported { return failure }
        }
        // Nobody will want anything any more, or the task was cancelled.
        return Self.cancelled
    }

    private func subscribe() async -> ProviderFailure {
        for await _ in signals {
            while let work = state.withLock({ $0.isConnected ? $0.stream.nextWork() : nil }) {
                do throws(ProviderFailure) {
                    switch work {
                    case .subscribe(let order): try await subscribe(order)
                    case .unsubscribe(let reference): try await unsubscribe(reference)
                    }
                } catch {
                    return error
                }
            }
        }
        return Self.cancelled
    }

    private static let path = ["v1", "infoprices", "subscriptions"]

    private func subscribe(_ order: SaxoSubscriptionRequest) async throws(ProviderFailure) {
        let url = try client.address(.trading, Self.path)
        let answer = try await client.subscribe(
            "subscribe", .post, url, body: order.body(contextID: contextID), in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try SaxoPriceSubscription(json: &reader)
            }
        }
        let now = client.clock.now()
        let failure = state.withLock { state -> JSONError? in
            do throws(JSONError) {
                for change in try state.stream.didSubscribe(order, answer, now: now) {
                    deliver(.value(change))
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw ProviderFailure(.saxo, .invalidResponse(failure)) }
    }

    private func unsubscribe(_ reference: String) async throws(ProviderFailure) {
        let url = try client.address(.trading, Self.path + [contextID, reference])
        do throws(ProviderFailure) {
            try await client.subscribe("unsubscribe", .delete, url, in: context) { _ in }
        } catch {
            // It is gone: that was the aim.
            guard error.cause == .notFound else { throw error }
        }
    }

    // MARK: Silence and the token

    private func watch() async -> ProviderFailure {
        while (try? await client.clock.sleep(client.clock.now() + Self.watchInterval)) != nil {
            let now = client.clock.now()
            if state.withLock({ $0.stream.expireSilent(now: now) }) { signal.yield() }
            do throws(ProviderFailure) {
                try await renewToken()
            } catch {
                // What is only out of order for a moment is tried again; the token is good for a while yet.
                if error.cause == .unauthorized { return error }
            }
        }
        return Self.cancelled
    }

    /// Tells Saxo of a token that was renewed, before the old one ends: `PUT authorize`.
    private func renewToken() async throws(ProviderFailure) {
        let token = try await client.access.token(in: context)
        guard let known = state.withLock({ $0.token }), known != token else { return }
        guard
            let address = url.appending(path: "authorize")?.appending(query: [("contextid", contextID)])
        else { throw ProviderFailure(.saxo, transport: .badURL) }
        try await client.write(
            "renew stream", client.streamCaller, .put, address, in: context
        ) { _ in }
        state.withLock { $0.token = token }
    }
}
