import Brokerage

extension Fault {
    /// Reads a fault as the control endpoint takes it; throws ``ScriptError`` that names the member at fault.
    ///
    /// `{"effect": "status", "status": 503, "retry_after": 2, "provider": "alpaca", "endpoint": "GET
    /// /v2/account", "remaining": 1, "every": 1, "percent": 100}`; the effects are `latency` (with `milliseconds`), `status`
    /// (with `status`, 400 ... 599, and perhaps `retry_after` in seconds), `malformed_body`,
    /// `duplicate_key`, `truncated_body`, `lost_answer`, `closed_connection`, `hang`, `disconnect` and
    /// `expired_token`.
    ///
    /// An endpoint `GET /v2/{feed} message` stands for the single messages of a stream.
    init(_ json: JSONDocument, in catalogue: EndpointCatalog) throws(ScriptError) {
        try json.requireMembers([
            "effect", "milliseconds", "status", "retry_after", "provider", "endpoint", "remaining", "every",
            "percent",
        ])
        let target = try EndpointTarget(json, in: catalogue, for: .failing)
        self.init(
            try Effect(json), provider: target.provider, endpoint: target.endpoint,
            remaining: try json.integerMember("remaining", in: 1...1_000_000),
            every: try json.integerMember("every", in: 1...1_000_000) ?? 1,
            percent: try json.integerMember("percent", in: 1...100) ?? 100)
    }

    var json: JSONDocument {
        var members = effect.members
        if let provider { members.append(.init(name: "provider", value: .string(provider.controlName))) }
        if let endpoint { members.append(.init(name: "endpoint", value: .string(endpoint))) }
        if let remaining {
            members.append(.init(name: "remaining", value: JSONDocument(integerLiteral: remaining)))
        }
        if every > 1 { members.append(.init(name: "every", value: JSONDocument(integerLiteral: every))) }
        if percent < 100 {
            members.append(.init(name: "percent", value: JSONDocument(integerLiteral: percent)))
        }
        return .object(members)
    }
}

extension Fault.Effect {
    fileprivate init(_ json: JSONDocument) throws(ScriptError) {
        let name = try json.text("effect", such: "hang")
        for (member, effect) in [
            ("milliseconds", "latency"), ("status", "status"), ("retry_after", "status"),
        ] where json[member] != nil && name != effect {
            throw ScriptError("\"\(member)\" belongs to the effect \"\(effect)\"")
        }
        switch name {
        case "latency":
            guard let milliseconds = try json.integerMember("milliseconds", in: 0...600_000) else {
                throw ScriptError("\"latency\" needs \"milliseconds\"")
            }
            self = .latency(.milliseconds(milliseconds))
        case "status":
            guard let status = try json.integerMember("status", in: 400...599) else {
                throw ScriptError("\"status\" needs a \"status\" of 400 ... 599")
            }
            self = .status(status, retryAfter: try json.integerMember("retry_after", in: 0...86_400))
        case "malformed_body": self = .malformedBody
        case "duplicate_key": self = .duplicateKey
        case "truncated_body": self = .truncatedBody
        case "lost_answer": self = .lostResponse
        case "closed_connection": self = .closedConnection
        case "hang": self = .hang
        case "disconnect": self = .disconnect
        case "expired_token": self = .expiredToken
        case .some, nil:
            throw ScriptError(
                """
                "effect" must be one of latency, status, malformed_body, duplicate_key, truncated_body, \
                lost_answer, closed_connection, hang, disconnect, expired_token
                """)
        }
    }

    fileprivate var members: [JSONDocument.Member] {
        switch self {
        case .latency(let latency):
            let (seconds, attoseconds) = latency.components
            let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
            return [
                .init(name: "effect", value: "latency"),
                .init(name: "milliseconds", value: JSONDocument(integerLiteral: milliseconds)),
            ]
        case .status(let status, let retryAfter):
            let seconds = retryAfter.map {
                JSONDocument.Member(name: "retry_after", value: JSONDocument(integerLiteral: $0))
            }
            return [
                .init(name: "effect", value: "status"),
                .init(name: "status", value: JSONDocument(integerLiteral: status)),
            ] + (seconds.map { [$0] } ?? [])
        case .malformedBody: return [.init(name: "effect", value: "malformed_body")]
        case .duplicateKey: return [.init(name: "effect", value: "duplicate_key")]
        case .truncatedBody: return [.init(name: "effect", value: "truncated_body")]
        case .lostResponse: return [.init(name: "effect", value: "lost_answer")]
        case .closedConnection: return [.init(name: "effect", value: "closed_connection")]
        case .hang: return [.init(name: "effect", value: "hang")]
        case .disconnect: return [.init(name: "effect", value: "disconnect")]
        case .expiredToken: return [.init(name: "effect", value: "expired_token")]
        }
    }
}
