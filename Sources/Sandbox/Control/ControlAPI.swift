package import Brokerage
import NIOHTTP1

/// What tests and demonstrations do to a running sandbox, over HTTP and from this machine only.
///
/// The response to an invalid request has the body `{"error": "…"}` and the status 400; a request for another
/// host gets 421, and a request from a page of another site 403. Under `/_sandbox`:
///
/// - `GET /endpoints`: every endpoint by provider, as counts and scripts name it.
/// - `GET /calls`, `?provider=alpaca&endpoint=GET /v2/account`, both optional: how often each endpoint was
///   called. `DELETE /calls`: begins to count anew.
/// - `GET /faults`: the script of faults. `POST`: adds one (see ``Fault/init(_:in:)``). `DELETE`: ends them all.
/// - `GET /market`: what the market is made to look like. `POST`: `{"hours": "open"|"closed"|"as_scheduled",
///   "unpriced": ["AAPL"], "provider": "saxo"}`, all optional; without a provider it holds for all.
/// - `GET /streams`: how many streams are open at each endpoint.
/// - `POST /disconnect`: `{"provider": "alpaca", "endpoint": "GET /v2/{feed}"}`, both optional: cuts the streams
///   that are open.
/// - `GET /oauth`, `POST /oauth`: `{"decision": "ask"|"approve"|"refuse", "user": "demo"}`, where `user` belongs
///   to `approve`: what users do when an application asks for access.
/// - `POST /oauth/revoke`: `{"user": "demo"}`: the user withdraws all consents, at every provider.
/// - `POST /reset`: forgets calls, faults, market, decisions and what has been used of rate limits.
struct ControlAPI: Sendable {
    static let prefix = "_sandbox"

    let endpoints: EndpointCatalog
    /// Who may approve, by name.
    let users: [String]
    let counter: CallCounter
    let faults: FaultRegistry
    let scriptedMarket: ScriptedMarket
    let limiters: [any Resettable]
    let decisions: OAuthDecisions
    /// What users have consented to, at each provider.
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

    /// Makes worthless what a user has consented to, as if they had withdrawn it.
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
                    throw ScriptError("the script holds \(FaultRegistry.maximumCount) faults; reset it first")
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
                let provider = try document.text("provider", such: ProviderID.saxo.controlName)
                    .map { name throws(ScriptError) in try ProviderID(script: name) }
                (provider.map(scriptedMarket.seen) ?? scriptedMarket).set(script)
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
                                .init(
                                    name: name, value: JSONDocument(integerLiteral: streams[provider, name]))
                            })
                    }
                ])
            },
            .control(.POST, "/disconnect") { request in
                let document = try JSONDocument(parsing: request.body)
                try document.requireMembers(["provider", "endpoint"])
                let target = try EndpointTarget(document, in: endpoints, for: .disconnecting)
                let count = streams.disconnect(target.provider, target.endpoint)
                return .json(["streams": JSONDocument(integerLiteral: count)])
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
    /// An object with a member for every provider, or for those that are meant.
    fileprivate static func byProvider(
        where isMeant: (ProviderID) -> Bool = { _ in true }, _ value: (ProviderID) -> JSONDocument
    ) -> JSONDocument {
        .object(
            ProviderID.allCases.filter(isMeant).map { .init(name: $0.controlName, value: value($0)) })
    }
}

extension Calls {
    /// The counts of what is meant, by provider; an endpoint that is named is counted even when it is 0.
    fileprivate func json(_ target: EndpointTarget) -> JSONDocument {
        .byProvider(where: { target.provider ?? $0 == $0 }) { provider in
            let counts =
                target.endpoint.map { [(name: $0, count: self[provider, $0])] } ?? all(of: provider)
            return .object(counts.map { .init(name: $0.name, value: JSONDocument(integerLiteral: $0.count)) })
        }
    }
}

/// What a script is about: everything, one provider, or one endpoint.
struct EndpointTarget: Hashable {
    let provider: ProviderID?
    let endpoint: String?

    /// Reads the names of a provider and of an endpoint; throws ``ScriptError`` where there is none of that name.
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

    /// Reads the members `provider` and `endpoint`, both optional.
    init(
        _ json: JSONDocument, in catalogue: EndpointCatalog, for purpose: EndpointCatalog.Purpose
    ) throws(ScriptError) {
        let provider = try json.text("provider", such: ProviderID.alpaca.controlName)
        let endpoint = try json.text(
            "endpoint", such: purpose == .disconnecting ? "GET /v2/{feed}" : "GET /v2/account")
        try self.init(provider: provider, endpoint: endpoint, in: catalogue, for: purpose)
    }

    /// Reads `provider` and `endpoint` of a query, both optional.
    init(
        query: [(name: String, value: String)], in catalogue: EndpointCatalog,
        for purpose: EndpointCatalog.Purpose
    ) throws(ScriptError) {
        if let stranger = query.first(where: { !["provider", "endpoint"].contains($0.name) }) {
            throw ScriptError("unknown parameter \"\(stranger.name)\"; known are provider, endpoint")
        }
        func value(_ name: String) -> String? { query.last { $0.name == name }?.value }
        try self.init(
            provider: value("provider"), endpoint: value("endpoint"), in: catalogue, for: purpose)
    }
}

extension ProviderID {
    /// The provider of that name in control documents; throws ``ScriptError`` that lists them.
    init(script name: String) throws(ScriptError) {
        guard let provider = Self(controlName: name) else {
            throw ScriptError(
                "there is no provider \"\(name)\"; \"provider\" must be one of "
                    + Self.allCases.map(\.controlName).joined(separator: ", "))
        }
        self = provider
    }
}

/// Every endpoint that the stand-ins offer, by the names that counts and scripts know them by.
package struct EndpointCatalog: Sendable {
    private var calls: [ProviderID: Set<String>] = [:]
    private var streams: [ProviderID: Set<String>] = [:]

    init(_ standIns: [FakeHost]) {
        for standIn in standIns {
            calls[standIn.provider, default: []].formUnion(standIn.routes.flatMap(\.names))
            streams[standIn.provider, default: []].formUnion(standIn.streams.map(\.name))
        }
    }

    /// What a provider answers over HTTP: `GET /v2/account`.
    package func calls(of provider: ProviderID) -> [String] { (calls[provider] ?? []).sorted() }

    /// What becomes a stream: `GET /v2/{feed}`.
    package func streams(of provider: ProviderID) -> [String] { (streams[provider] ?? []).sorted() }

    /// What an endpoint is named for.
    enum Purpose {
        case counting
        /// The single messages of a stream can fail too.
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

    /// What calls are counted as that no route matches.
    static let unknown = "unknown"
}
