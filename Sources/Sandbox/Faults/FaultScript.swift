package import Brokerage
import NIOHTTP1

/// What goes wrong with one call: every latency, then the first other effect.
struct FaultScript {
    let effects: [Fault.Effect]

    /// The first effect that is no latency.
    var effect: Fault.Effect? {
        effects.first {
            if case .latency = $0 { false } else { true }
        }
    }

    /// Lets every latency pass.
    func delay() async {
        for case .latency(let latency) in effects {
            // Cancelled when the client goes away, or the sandbox stops: nobody waits for the answer then.
            try? await Task.sleep(for: latency)
        }
    }

    func perform(failures: FakeHost.Failures, _ answer: () async -> SandboxResponse) async -> SandboxResponse
    {
        await delay()
        switch effect {
        case nil, .latency: return await answer()
        case .status(let status, let retryAfter):
            var response = failures.status(status)
            if let retryAfter {
                response.headers.replaceOrAdd(name: "Retry-After", value: String(retryAfter))
            }
            return response
        case .malformedBody: return malformed(await answer())
        case .duplicateKey:
            var response = await answer()
            response.body.duplicateFirstKey()
            return response
        case .truncatedBody:
            var response = await answer()
            response.delivery = .truncated
            return response
        case .lostResponse:
            _ = await answer()
            return failures.status(500)
        case .closedConnection, .disconnect: return undelivered
        case .hang:
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            return undelivered
        case .expiredToken: return failures.expiredToken
        }
    }

    private var undelivered: SandboxResponse {
        var response = SandboxResponse(status: .internalServerError)
        response.delivery = .none
        return response
    }

    /// The first half of the body and a comma before a brace: well-framed HTTP, and no JSON whatever the body
    /// was.
    private func malformed(_ response: SandboxResponse) -> SandboxResponse {
        var response = response
        response.body = response.body.prefix(response.body.count / 2) + Array(",}".utf8)
        return response
    }
}

extension [UInt8] {
    /// Repeats the first key of a JSON text, if it has one.
    ///
    /// The added member is the first one and has null: a reader that takes the last of both reads the text as it
    /// was.
    fileprivate mutating func duplicateFirstKey() {
        let quote = UInt8(ascii: "\"")
        guard let object = firstIndex(of: UInt8(ascii: "{")),
            let start = self[object...].firstIndex(of: quote),
            let end = self[(start + 1)...].firstIndex(of: quote)
        else { return }
        insert(contentsOf: self[start...end] + Array(":null,".utf8), at: start)
    }
}

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
