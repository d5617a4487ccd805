extension OAuthDecision {
    /// Reads `{"decision": "approve", "user": "demo"}`; throws ``ScriptError`` for anything else.
    init(_ json: JSONDocument, users: [String]) throws(ScriptError) {
        try json.requireMembers(["decision", "user"])
        let decision = try json.text("decision", such: "approve")
        guard decision == "approve" || json["user"] == nil else {
            throw ScriptError("\"user\" belongs to \"approve\"")
        }
        switch decision {
        case "ask": self = .prompt
        case "approve":
            guard let user = json["user"]?.string, users.contains(user) else {
                throw ScriptError("\"approve\" needs a \"user\", one of \(users)")
            }
            self = .approve(user: user)
        case "refuse": self = .deny
        case .some, nil: throw ScriptError("\"decision\" must be one of ask, approve, refuse")
        }
    }

    var json: JSONDocument {
        switch self {
        case .prompt: ["decision": "ask"]
        case .approve(let user): ["decision": "approve", "user": .string(user)]
        case .deny: ["decision": "refuse"]
        }
    }
}
