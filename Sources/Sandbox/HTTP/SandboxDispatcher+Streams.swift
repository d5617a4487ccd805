import NIOCore
import NIOHTTP1

extension FakeHost {
    /// The stream that a path leads to, and what its template took from the path.
    func stream(for request: SandboxRequest) -> (StreamRoute, [String: String])? {
        guard request.method == .GET else { return nil }
        for route in streams {
            if let parameters = route.template.match(request.path.dropFirst()) { return (route, parameters) }
        }
        return nil
    }
}

extension SandboxDispatcher {
    /// Opens a stream, unless its route or a fault keeps the client out; nil for a request that is about none.
    func open(_ request: SandboxRequest) async -> WebSocketUpgradeDecision? {
        if let refusal = site.rejection(of: request) { return .rejected(refusal) }
        guard let standIn = fakeHosts.first(where: { $0.prefix == request.path.first }),
            let (route, parameters) = standIn.stream(for: request)
        else { return nil }
        var request = request
        request.parameters = parameters
        let endpoint = Endpoint(provider: standIn.provider, name: route.name)
        calls.count(endpoint)
        let script = faults.script(for: endpoint)
        let isCut = script.effects.contains(.disconnect)
        let response = await script.exceptDisconnect.perform(failures: standIn.failures) {
            await route.handshake(request) { standIn.failures.status(500) }
        }
        guard response.status == .switchingProtocols, response.delivery == .complete else {
            return .rejected(response)
        }
        let (faults, streams) = (faults, streams)
        return .accepted(response) { [request] channel, frames in
            let stream = WebSocketStream(
                channel, frames: frames, endpoint: endpoint, faults: faults,
                disconnectsAfterFirstMessage: isCut)
            await streams.during(endpoint, stream) {
                await route.serve(request, stream)
                if stream.isOpen { await stream.close() }
            }
        }
    }
}

extension StreamRoute {
    fileprivate func handshake(_ request: SandboxRequest, else failure: () -> SandboxResponse) async
        -> SandboxResponse
    {
        do {
            return try await rejection(request)
                ?? SandboxResponse(status: .switchingProtocols, headers: headers)
        } catch {
            return failure()
        }
    }
}

extension FaultScript {
    /// What goes wrong with the handshake itself.
    fileprivate var exceptDisconnect: FaultScript {
        FaultScript(effects: effects.filter { $0 != .disconnect })
    }
}
