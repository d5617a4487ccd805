import NIOCore
import NIOHTTP1

/// Dispatches every request to its route: counts the call, then applies its faults.
package struct SandboxDispatcher: Sendable {
    let site: CrossOriginProtection
    let fakeHosts: [FakeHost]
    let control: [SandboxRoute]
    let calls: CallCounter
    let faults: FaultScript
    let streams: OpenStreams

    package func respond(to request: SandboxRequest) async -> SandboxResponse {
        if let rejection = site.rejection(of: request) { return rejection }
        guard let prefix = request.path.first else { return .unknownPath }
        if prefix == ControlAPI.prefix { return await respondToControlRequest(request) }
        guard let fakeHost = fakeHosts.first(where: { $0.prefix == prefix }) else { return .unknownPath }
        return await respond(to: request, as: fakeHost)
    }

    private func respond(to request: SandboxRequest, as fakeHost: FakeHost) async -> SandboxResponse {
        if let (route, _) = fakeHost.stream(for: request) {
            calls.count(Endpoint(provider: fakeHost.provider, name: route.name))
            return .text("This is a WebSocket\n", status: .upgradeRequired)
        }
        let match = Match(request, among: fakeHost.routes, acceptsVariants: fakeHost.acceptsPathVariants)
        let endpoint = Endpoint(provider: fakeHost.provider, name: match.name(of: request))
        calls.count(endpoint, parameters: request.parameterNames)
        return await faults.script(for: endpoint).perform(failures: fakeHost.failures) {
            switch match {
            case .route(let route, let request):
                await route.respond(to: request) { fakeHost.failures.status(500) }
            case .otherMethod: fakeHost.failures.methodNotAllowed
            case .nothing: fakeHost.failures.unknownPath
            }
        }
    }

    private func respondToControlRequest(_ request: SandboxRequest) async -> SandboxResponse {
        guard request.peer?.isLoopback == true else { return .unknownPath }
        switch Match(request, among: control) {
        case .route(let route, let request):
            return await route.respond(to: request) {
                .text("Internal server error\n", status: .internalServerError)
            }
        case .otherMethod:
            return Self.routingError("no such method", among: control, status: .methodNotAllowed)
        case .nothing: return Self.routingError("no such path", among: control, status: .notFound)
        }
    }

    /// Returns an error that names the address of the control API, for a control request at another address.
    private static func routingError(
        _ reason: String, among routes: [SandboxRoute], status: HTTPResponseStatus
    ) -> SandboxResponse {
        let names = routes.map { "\($0.method.rawValue) /\(ControlAPI.prefix)\($0.template)" }
        return .json(
            ["error": .string("\(reason); there are \(names.joined(separator: ", "))")], status: status)
    }
}

/// The result of the search for a route.
private enum Match {
    case route(SandboxRoute, SandboxRequest)
    case otherMethod
    case nothing

    init(_ request: SandboxRequest, among routes: [SandboxRoute], acceptsVariants: Bool = false) {
        let path = request.path.dropFirst()
        let matches = routes.compactMap { route in
            route.template.match(path, acceptsVariants: acceptsVariants).map { (route, $0) }
        }
        guard let (route, parameters) = matches.first(where: { $0.0.method == request.method }) else {
            self = matches.isEmpty ? .nothing : .otherMethod
            return
        }
        var request = request
        request.parameters = parameters
        self = .route(route, request)
    }

    /// Returns the name of a call in counts: all unknown paths share one endpoint, so that the number of
    /// names is bounded.
    func name(of request: SandboxRequest) -> String {
        switch self {
        case .route(let route, let request): route.name(of: request)
        case .otherMethod, .nothing: EndpointCatalog.unknown
        }
    }
}

extension SandboxRoute {
    fileprivate func respond(to request: SandboxRequest, else failure: () -> SandboxResponse) async
        -> SandboxResponse
    {
        do {
            return try await handler(request)
        } catch {
            return failure()
        }
    }
}

extension SandboxResponse {
    fileprivate static let unknownPath = SandboxResponse.text("Nothing stands here\n", status: .notFound)
}

extension FakeHost {
    /// Returns the stream of a path, and its path parameters.
    func stream(for request: SandboxRequest) -> (StreamRoute, [String: String])? {
        guard request.method == .GET else { return nil }
        for route in streams {
            // Alpaca's older library connects to `/stream/`.
            if let parameters = route.template.match(request.path.dropFirst(), acceptsVariants: true) {
                return (route, parameters)
            }
        }
        return nil
    }
}

extension SandboxDispatcher {
    /// Decides about opening a stream; nil for a request of no stream, a rejection by the route or a fault
    /// otherwise.
    func open(_ request: SandboxRequest) async -> WebSocketUpgradeDecision? {
        if let rejection = site.rejection(of: request) { return .rejected(rejection) }
        guard let fakeHost = fakeHosts.first(where: { $0.prefix == request.path.first }),
            let (route, parameters) = fakeHost.stream(for: request)
        else { return nil }
        var request = request
        request.parameters = parameters
        let endpoint = Endpoint(provider: fakeHost.provider, name: route.name)
        calls.count(endpoint)
        let script = faults.script(for: endpoint)
        let disconnects = script.effects.contains(.disconnect)
        let response = await script.exceptDisconnect.perform(failures: fakeHost.failures) {
            await route.handshake(request) { fakeHost.failures.status(500) }
        }
        guard response.status == .switchingProtocols, response.delivery == .complete else {
            return .rejected(response)
        }
        let (faults, streams) = (faults, streams)
        return .accepted(response) { [request] channel, frames in
            let stream = WebSocketStream(
                channel, frames: frames, endpoint: endpoint, faults: faults,
                disconnectsAfterFirstMessage: disconnects)
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

extension CallFaults {
    /// The faults that apply to the handshake itself.
    fileprivate var exceptDisconnect: CallFaults {
        CallFaults(effects: effects.filter { $0 != .disconnect }, reset: reset)
    }
}
