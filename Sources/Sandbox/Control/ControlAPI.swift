import Brokerage
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
