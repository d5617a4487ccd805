package import Brokerage
import NIOHTTP1

/// The faults of one call: all latencies, then the first other effect.
struct CallFaults {
    let effects: [Fault.Effect]
    /// Ends the latencies.
    let reset: ScriptReset

    /// The first effect that is not a latency.
    var effect: Fault.Effect? {
        effects.first {
            if case .latency = $0 { false } else { true }
        }
    }

    /// Waits for the sum of all latencies, or until the script is reset.
    func delay() async {
        for case .latency(let latency) in effects {
            // The task is cancelled if the client disconnects or the sandbox stops; then no one needs the
            // response.
            await reset.sleep(for: latency)
        }
    }

    func perform(failures: FakeHost.Failures, _ respond: () async -> SandboxResponse) async -> SandboxResponse
    {
        await delay()
        switch effect {
        case nil, .latency: return await respond()
        case .status(let status, let retryAfter):
            var response = failures.status(status)
            if let retryAfter {
                response.headers.replaceOrAdd(name: "Retry-After", value: String(retryAfter))
            }
            return response
        case .malformedBody: return malformed(await respond())
        case .duplicateKey:
            var response = await respond()
            response.body.duplicateFirstKey()
            return response
        case .deviation(let deviation, let member):
            var response = await respond()
            deviation.apply(to: &response.body, at: member)
            return response
        case .unreadableRow:
            var response = await respond()
            if let document = try? JSONDocument(parsing: response.body).withUnreadablePart {
                response.body = document.bytes
            }
            return response
        case .truncatedBody:
            var response = await respond()
            response.delivery = .truncated
            return response
        case .lostResponse:
            _ = await respond()
            return failures.status(500)
        case .proxyResponse(let status):
            _ = await respond()
            return .text(
                "<html><head><title>\(status)</title></head></html>\n", type: "text/html",
                status: HTTPResponseStatus(statusCode: status))
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

    /// Returns the first half of the body and a comma before a brace: valid HTTP, but never valid JSON.
    private func malformed(_ response: SandboxResponse) -> SandboxResponse {
        var response = response
        response.body = response.body.prefix(response.body.count / 2) + Array(",}".utf8)
        return response
    }
}

extension [UInt8] {
    /// Repeats the first key of a JSON text, if it has one.
    ///
    /// The added member is the first one and has null: a reader that uses the last of both reads the
    /// original text.
    fileprivate mutating func duplicateFirstKey() {
        let quote = UInt8(ascii: "\"")
        guard let object = firstIndex(of: UInt8(ascii: "{")),
            let start = self[object...].firstIndex(of: quote),
            let end = self[(start + 1)...].firstIndex(of: quote)
        else { return }
        insert(contentsOf: self[start...end] + Array(":null,".utf8), at: start)
    }
}

/// A scripted fault, with its target and frequency.
package struct Fault: Sendable, Hashable {
    /// Nil for all providers.
    package var provider: ProviderID?
    /// An endpoint by its route's name, `GET /v2/account`; nil for all endpoints.
    package var endpoint: String?
    package var effect: Effect
    /// The number of calls that it still applies to; nil for no limit until the script is reset.
    package var remaining: Int?
    /// The interval of affected calls: 1 for each call, 3 for every third.
    package var every: Int
    /// The percentage of these calls that it applies to, by the sandbox's seed: 1 to 100.
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
        /// The response is delayed, at most until the script is reset.
        case latency(Duration)
        /// Another status, with the provider's body for it.
        case status(Int, retryAfter: Int? = nil)
        /// The response's head, and a body that is not JSON.
        case malformedBody
        /// The first JSON object of the response has its first key twice, first with null; a stream message
        /// is as with ``malformedBody``.
        case duplicateKey
        /// A member differs from the documents wherever a body has it.
        case deviation(BodyDeviation, member: String)
        /// The last object of the first list in the body, or without a list an object within it, has an object in place of each
        /// of its values; so has a stream message in JSON, and another one is as with ``malformedBody``.
        case unreadableRow
        /// The header announces the whole body; half of it is sent.
        case truncatedBody
        /// The call is executed, but the response is 500.
        case lostResponse
        /// The call is executed, but a proxy before the provider responds in its place, with this status and HTML.
        case proxyResponse(Int)
        /// The connection closes without a response.
        case closedConnection
        /// No response until the client disconnects.
        case hang
        /// A stream is opened, and disconnected after its first message; other calls end as with
        /// ``closedConnection``.
        case disconnect
        /// The credential is rejected as expired.
        case expiredToken
    }

    func applies(to target: Endpoint) -> Bool {
        (provider ?? target.provider) == target.provider && (endpoint ?? target.name) == target.name
    }
}

extension JSONDocument {
    /// The document with the last object of its first list unreadable, or without a list an object within it; nil without
    /// both.
    var withUnreadablePart: JSONDocument? {
        changingFirst { value in
            guard case .array(var elements) = value, case .object(let members)? = elements.last else {
                return nil
            }
            elements[elements.count - 1] = Self.unreadable(members)
            return .array(elements)
        }
            ?? changingFirst { value in
                // The innermost object, which is not the document itself.
                guard case .object(var members) = value else { return nil }
                for (index, member) in members.enumerated() {
                    guard case .object(let inner) = member.value else { continue }
                    members[index] = Member(name: member.name, value: Self.unreadable(inner))
                    return .object(members)
                }
                return nil
            }
    }

    private static func unreadable(_ members: [Member]) -> JSONDocument {
        .object(members.map { Member(name: $0.name, value: ["unreadable": true]) })
    }

    /// The document with the first value changed that `change` changes, the inner values of objects first.
    private func changingFirst(_ change: (JSONDocument) -> JSONDocument?) -> JSONDocument? {
        if case .object(var members) = self {
            for (index, member) in members.enumerated() {
                guard let changed = member.value.changingFirst(change) else { continue }
                members[index] = Member(name: member.name, value: changed)
                return .object(members)
            }
        }
        return change(self)
    }
}
