package import Brokerage

/// Something that goes wrong on demand, where and as often as the script says.
package struct Fault: Sendable, Hashable {
    /// Nil for every provider.
    package var provider: ProviderID?
    /// An endpoint as its route is named, `GET /v2/account`; nil for every endpoint.
    package var endpoint: String?
    package var effect: Effect
    /// How many calls are still to be struck; nil for all, until the script is reset.
    package var remaining: Int?
    /// Every how many calls it strikes: 1 for each, 3 for every third.
    package var every: Int
    /// Of a hundred calls that it might strike, how many it does, by the sandbox's seed: 1 to 100.
    package var percent: Int

    package init(
        _ effect: Effect, provider: ProviderID? = nil, endpoint: String? = nil, remaining: Int? = nil,
        every: Int = 1, percent: Int = 100
    ) {
        self.provider = provider
        self.endpoint = endpoint
        self.effect = effect
        self.remaining = remaining
        self.every = max(1, every)
        self.percent = min(max(1, percent), 100)
    }

    package enum Effect: Sendable, Hashable {
        /// The answer comes so much later.
        case latency(Duration)
        /// Another status, with the provider's body for it.
        case status(Int, retryAfter: Int? = nil)
        /// The answer's head, and a body that is no JSON.
        case malformedBody
        /// The answer's first JSON object has its first key twice, first with null; a message of a stream is as
        /// with ``malformedBody``.
        case duplicateKey
        /// The head promises the body; half of it comes.
        case truncatedBody
        /// The call is done, and answered with 500 as if it were not.
        case lostResponse
        /// The connection closes without an answer.
        case closedConnection
        /// No answer until the client goes away.
        case hang
        /// A stream is opened, and cut after its first message; other calls end as with ``closedConnection``.
        case disconnect
        /// The credential is refused as one that has run out.
        case expiredToken
    }

    func strikes(_ target: Endpoint) -> Bool {
        (provider ?? target.provider) == target.provider && (endpoint ?? target.name) == target.name
    }
}
