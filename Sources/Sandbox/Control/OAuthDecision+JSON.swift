extension OAuthDecision {
    /// Reads `{"decision": "approve", "user": "demo"}`; throws ``ScriptError`` for anything else.
    init(_ json: JSON) throws(ScriptError) {
        try json.requireMembers(["decision", "user"])
        switch json["decision"]?.string {
        case "ask": self = .ask
        case "approve":
            guard let user = json["user"]?.string else {
                throw ScriptError("\"approve\" needs a \"user\" such as \"demo\"")
            }
            self = .approve(user: user)
        case "refuse": self = .refuse
        case .some, nil: throw ScriptError("\"decision\" must be one of ask, approve, refuse")
        }
    }

    var json: JSON {
        switch self {
        case .ask: ["decision": "ask"]
        case .approve(let user): ["decision": "approve", "user": .string(user)]
        case .refuse: ["decision": "refuse"]
        }
    }
}
