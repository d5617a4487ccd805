import Brokerage

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
