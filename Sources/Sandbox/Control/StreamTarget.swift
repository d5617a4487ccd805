import Brokerage

/// Which streams a script is about.
struct StreamTarget: Hashable {
    let provider: Provider?
    let endpoint: String?

    /// Reads `{"provider": "alpaca", "endpoint": "GET /v2/{feed}"}`, both optional; throws ``ScriptError`` for
    /// anything else.
    init(_ json: JSON) throws(ScriptError) {
        try json.requireMembers(["provider", "endpoint"])
        provider = try json["provider"].map { name throws(ScriptError) in
            guard let provider = name.string.flatMap(Provider.init(controlName:)) else {
                throw ScriptError("\"provider\" must be one of \(Provider.allCases.map(\.controlName))")
            }
            return provider
        }
        guard json["endpoint"] == nil || json["endpoint"]?.string != nil else {
            throw ScriptError("\"endpoint\" must be a string such as \"GET /v2/{feed}\"")
        }
        endpoint = json["endpoint"]?.string
    }
}
