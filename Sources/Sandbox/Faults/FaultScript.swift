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
