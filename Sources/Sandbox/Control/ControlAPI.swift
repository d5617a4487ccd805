package import Brokerage
import NIOHTTP1

/// The control API for tests and demonstrations, over HTTP and from this machine only.
///
/// The response to an invalid request has the body `{"error": "…"}` and the status 400; a request for
/// another host gets 421, and a request from a page of another site 403. Under `/_sandbox`:
///
/// - `GET /endpoints`: every endpoint by provider, with its name in counts and scripts.
/// - `GET /calls`, `?provider=alpaca&endpoint=GET /v2/account`, both optional: the number of calls of each
///   endpoint. `DELETE /calls`: sets the counts to 0.
/// - `GET /faults`: the fault script. `POST`: adds a fault (see ``Fault/init(_:in:)``). `DELETE`: removes
///   all.
/// - `GET /market`: the market script. `POST`: `{"hours": "open"|"closed"|"as_scheduled", "unpriced":
///   ["AAPL"], "provider": "saxo"}`, all optional; without a provider it applies to all.
/// - `GET /streams`: the number of open streams of each endpoint.
/// - `POST /disconnect`: `{"provider": "alpaca", "endpoint": "GET /v2/{feed}"}`, both optional: disconnects
///   open streams.
/// - `GET /oauth`, `POST /oauth`: `{"decision": "ask"|"approve"|"refuse", "user": "demo"}`, where `user`
///   belongs to `approve`: the users' decision when an application requests access.
/// - `POST /oauth/revoke`: `{"user": "demo"}`: revokes all consents of the user, at every provider.
/// - `POST /reset`: resets calls, faults, market, decisions and rate limits.
struct ControlAPI: Sendable {
    static let prefix = "_sandbox"

    let endpoints: EndpointCatalog
    /// The names of the users that may approve.
    let users: [String]
    let counter: CallCounter
    let faults: FaultScript
    let scriptedMarket: ScriptedMarket
    let limiters: [any Resettable]
    let decisions: OAuthDecisions
    /// The consents of users, at each provider.
    let consents: [AuthorizationServer]
    let streams: OpenStreams

    var routes: [SandboxRoute] {
        callRoutes + faultRoutes + marketRoutes + streamRoutes + oauthRoutes + [
            .control(.POST, "/reset") { _ in
                reset()
                return SandboxResponse(status: .noContent)
            }
        ]
    }

    func reset() {
        counter.reset()
        faults.reset()
        scriptedMarket.set(MarketScript())
        decisions.reset()
        for limiter in limiters { limiter.reset() }
    }

    /// Ends all access tokens of a user, at every provider; refresh tokens remain valid.
    func expireAccessTokens(of user: String) {
        for server in consents { server.expireAccessTokens(of: user) }
    }

    /// Revokes all consents of a user.
    func revoke(user: String) {
        for server in consents { server.revoke(user: user) }
    }

    private var callRoutes: [SandboxRoute] {
        [
            .control(.GET, "/endpoints") { _ in
                .json([
                    "endpoints": .byProvider { provider in
                        .array(endpoints.names(of: provider, for: .failing).map { .string($0) })
                    }
                ])
            },
            .control(.GET, "/calls") { request in
                let target = try EndpointTarget(query: request.query, in: endpoints, for: .counting)
                return .json(["calls": counter.calls.json(target)])
            },
            .control(.DELETE, "/calls") { _ in
                counter.reset()
                return SandboxResponse(status: .noContent)
            },
        ]
    }

    private var faultRoutes: [SandboxRoute] {
        [
            .control(.GET, "/faults") { _ in .json(["faults": .array(faults.faults.map(\.json))]) },
            .control(.POST, "/faults") { request in
                let fault = try Fault(JSONDocument(parsing: request.body), in: endpoints)
                guard faults.add(fault) else {
                    throw ScriptError("the script holds \(FaultScript.maximumCount) faults; reset it first")
                }
                return .json(fault.json, status: .created)
            },
            .control(.DELETE, "/faults") { _ in
                faults.reset()
                return SandboxResponse(status: .noContent)
            },
        ]
    }

    private var marketRoutes: [SandboxRoute] {
        [
            .control(.GET, "/market") { _ in
                let exceptions = scriptedMarket.exceptions
                return .json([
                    "market": scriptedMarket.script.json,
                    "exceptions": .byProvider(where: { exceptions[$0] != nil }) { provider in
                        (exceptions[provider] ?? MarketScript()).json
                    },
                ])
            },
            .control(.POST, "/market") { request in
                let document = try JSONDocument(parsing: request.body)
                let script = try MarketScript(document, in: scriptedMarket.market)
                let provider = try document.text("provider", example: ProviderID.saxo.controlName)
                    .map { name throws(ScriptError) in try ProviderID(script: name) }
                (provider.map(scriptedMarket.scripted) ?? scriptedMarket).set(script)
                return .json(script.json)
            },
        ]
    }

    private var streamRoutes: [SandboxRoute] {
        [
            .control(.GET, "/streams") { _ in
                .json([
                    "streams": .byProvider(where: { !endpoints.streams(of: $0).isEmpty }) { provider in
                        .object(
                            endpoints.streams(of: provider).map { name in
                                .init(name: name, value: .integer(streams[provider, name]))
                            })
                    }
                ])
            },
            .control(.POST, "/disconnect") { request in
                let document = try JSONDocument(parsing: request.body)
                try document.requireMembers(["provider", "endpoint"])
                let target = try EndpointTarget(document, in: endpoints, for: .disconnecting)
                let count = streams.disconnect(target.provider, target.endpoint)
                return .json(["streams": .integer(count)])
            },
        ]
    }

    private var oauthRoutes: [SandboxRoute] {
        [
            .control(.GET, "/oauth") { _ in .json(decisions.decision.json) },
            .control(.POST, "/oauth") { request in
                let decision = try OAuthDecision(JSONDocument(parsing: request.body), users: users)
                decisions.decision = decision
                return .json(decision.json)
            },
            .control(.POST, "/oauth/revoke") { request in
                let json = try JSONDocument(parsing: request.body)
                try json.requireMembers(["user"])
                guard let user = json["user"]?.string, users.contains(user) else {
                    throw ScriptError("\"user\" must be one of \(users)")
                }
                revoke(user: user)
                return SandboxResponse(status: .noContent)
            },
        ]
    }
}

extension JSONDocument {
    /// Returns an object with a member for every provider, or for the selected ones.
    fileprivate static func byProvider(
        where isIncluded: (ProviderID) -> Bool = { _ in true }, _ value: (ProviderID) -> JSONDocument
    ) -> JSONDocument {
        .object(
            ProviderID.allCases.filter(isIncluded).map { .init(name: $0.controlName, value: value($0)) })
    }
}

extension Calls {
    /// Returns the selected counts, by provider; a named endpoint is included even with a count of 0.
    fileprivate func json(_ target: EndpointTarget) -> JSONDocument {
        .byProvider(where: { target.provider ?? $0 == $0 }) { provider in
            let counts =
                target.endpoint.map { [(name: $0, count: self[provider, $0])] } ?? all(of: provider)
            return .object(counts.map { .init(name: $0.name, value: .integer($0.count)) })
        }
    }
}

/// The target of a script: everything, one provider, or one endpoint.
struct EndpointTarget: Hashable {
    let provider: ProviderID?
    let endpoint: String?

    /// Resolves the names of a provider and of an endpoint; throws ``ScriptError`` for an unknown name.
    init(
        provider name: String?, endpoint: String?, in catalogue: EndpointCatalog,
        for purpose: EndpointCatalog.Purpose
    ) throws(ScriptError) {
        provider = try name.map { name throws(ScriptError) in try ProviderID(script: name) }
        self.endpoint = endpoint
        guard let endpoint else { return }
        let providers = provider.map { [$0] } ?? ProviderID.allCases
        guard providers.contains(where: { catalogue.names(of: $0, for: purpose).contains(endpoint) }) else {
            let kind = purpose == .disconnecting ? "stream" : "endpoint"
            let owner = provider.map { " of \($0.controlName)" } ?? ""
            throw ScriptError(
                "there is no \(kind) \"\(endpoint)\"\(owner); GET /\(ControlAPI.prefix)/endpoints lists them"
            )
        }
    }

    /// Parses the members `provider` and `endpoint`, both optional.
    init(
        _ json: JSONDocument, in catalogue: EndpointCatalog, for purpose: EndpointCatalog.Purpose
    ) throws(ScriptError) {
        let provider = try json.text("provider", example: ProviderID.alpaca.controlName)
        let endpoint = try json.text(
            "endpoint", example: purpose == .disconnecting ? "GET /v2/{feed}" : "GET /v2/account")
        try self.init(provider: provider, endpoint: endpoint, in: catalogue, for: purpose)
    }

    /// Parses `provider` and `endpoint` of a query, both optional.
    init(
        query: [(name: String, value: String)], in catalogue: EndpointCatalog,
        for purpose: EndpointCatalog.Purpose
    ) throws(ScriptError) {
        if let unknown = query.first(where: { !["provider", "endpoint"].contains($0.name) }) {
            throw ScriptError("unknown parameter \"\(unknown.name)\"; known are provider, endpoint")
        }
        func value(_ name: String) -> String? { query.last { $0.name == name }?.value }
        try self.init(
            provider: value("provider"), endpoint: value("endpoint"), in: catalogue, for: purpose)
    }
}

extension ProviderID {
    /// Resolves a provider's name in control documents; throws ``ScriptError`` that lists the names.
    init(script name: String) throws(ScriptError) {
        guard let provider = Self(controlName: name) else {
            throw ScriptError(
                "there is no provider \"\(name)\"; \"provider\" must be one of "
                    + Self.allCases.map(\.controlName).joined(separator: ", "))
        }
        self = provider
    }
}

/// All endpoints of the fake providers, by their names in counts and scripts.
package struct EndpointCatalog: Sendable {
    private var calls: [ProviderID: Set<String>] = [:]
    private var streams: [ProviderID: Set<String>] = [:]

    init(_ fakeHosts: [FakeHost]) {
        for fakeHost in fakeHosts {
            calls[fakeHost.provider, default: []].formUnion(fakeHost.routes.flatMap(\.names))
            streams[fakeHost.provider, default: []].formUnion(fakeHost.streams.map(\.name))
        }
    }

    /// Returns the HTTP endpoints of a provider, for instance `GET /v2/account`.
    package func calls(of provider: ProviderID) -> [String] { (calls[provider] ?? []).sorted() }

    /// Returns the stream endpoints of a provider, for instance `GET /v2/{feed}`.
    package func streams(of provider: ProviderID) -> [String] { (streams[provider] ?? []).sorted() }

    /// The use of an endpoint's name.
    enum Purpose {
        case counting
        /// Faults, which may also apply to single messages of a stream.
        case failing
        case disconnecting
    }

    func names(of provider: ProviderID, for purpose: Purpose) -> [String] {
        let streams = streams(of: provider)
        return switch purpose {
        case .counting: calls(of: provider) + streams + [Self.unknown]
        case .failing:
            calls(of: provider) + streams + streams.map(StreamRoute.messageName) + [Self.unknown]
        case .disconnecting: streams
        }
    }

    /// The name of all calls without a matching route.
    static let unknown = "unknown"
}
