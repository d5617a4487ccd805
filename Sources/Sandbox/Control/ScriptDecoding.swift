import Brokerage
import NIOHTTP1

extension Fault {
    /// Parses a fault of the control API; throws ``ScriptError`` that names the invalid member.
    ///
    /// `{"effect": "status", "status": 503, "retry_after": 2, "provider": "alpaca", "endpoint": "GET
    /// /v2/account", "remaining": 1, "every": 1, "percent": 100}`; the effects are `latency` (with
    /// `milliseconds`), `status` (with `status`, 400 ... 599, and optionally `retry_after` in seconds),
    /// `malformed_body`, `duplicate_key`, `unreadable_row`, `truncated_body`, `lost_answer`, `proxy_response`
    /// (with `status`), `closed_connection`, `hang`, `disconnect` and `expired_token`, and those of
    /// ``BodyDeviation`` (with `member`, the name of a member).
    ///
    /// An endpoint `GET /v2/{feed} message` means the single messages of a stream.
    init(_ json: JSONDocument, in catalogue: EndpointCatalog) throws(ScriptError) {
        try json.requireMembers([
            "effect", "milliseconds", "status", "retry_after", "member", "provider", "endpoint", "remaining",
            "every", "percent",
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
        if let provider { members.append("provider", .string(provider.controlName)) }
        if let endpoint { members.append("endpoint", .string(endpoint)) }
        if let remaining { members.append("remaining", .integer(remaining)) }
        if every > 1 { members.append("every", .integer(every)) }
        if percent < 100 { members.append("percent", .integer(percent)) }
        return .object(members)
    }
}

extension Fault.Effect {
    fileprivate init(_ json: JSONDocument) throws(ScriptError) {
        let name = try json.text("effect", example: "hang")
        for (member, effect) in [("milliseconds", "latency"), ("retry_after", "status")]
        where json[member] != nil && name != effect {
            throw ScriptError("\"\(member)\" belongs to the effect \"\(effect)\"")
        }
        if json["status"] != nil, name != "status", name != "proxy_response" {
            throw ScriptError("\"status\" belongs to the effects status, proxy_response")
        }
        let deviation = name.flatMap(BodyDeviation.init(rawValue:))
        if json["member"] != nil, deviation == nil {
            throw ScriptError(
                "\"member\" belongs to the effects \(BodyDeviation.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        if let deviation {
            guard let member = try json.text("member", example: "status") else {
                throw ScriptError("\"\(deviation.rawValue)\" needs a \"member\", such as \"status\"")
            }
            self = .deviation(deviation, member: member)
            return
        }
        switch name {
        case "latency":
            guard let milliseconds = try json.integerMember("milliseconds", in: 0...600_000) else {
                throw ScriptError("\"latency\" needs \"milliseconds\"")
            }
            self = .latency(.milliseconds(milliseconds))
        case "status":
            self = .status(
                try Self.requiredStatus(of: "status", in: json),
                retryAfter: try json.integerMember("retry_after", in: 0...86_400))
        case "malformed_body": self = .malformedBody
        case "duplicate_key": self = .duplicateKey
        case "unreadable_row": self = .unreadableRow
        case "truncated_body": self = .truncatedBody
        case "lost_answer": self = .lostResponse
        case "proxy_response": self = .proxyResponse(try Self.requiredStatus(of: "proxy_response", in: json))
        case "closed_connection": self = .closedConnection
        case "hang": self = .hang
        case "disconnect": self = .disconnect
        case "expired_token": self = .expiredToken
        case .some, nil:
            throw ScriptError(
                """
                "effect" must be one of latency, status, malformed_body, duplicate_key, unreadable_row, \
                truncated_body, lost_answer, proxy_response, closed_connection, hang, disconnect, expired_token, \
                absent_member, other_type, extra_member, unknown_name
                """)
        }
    }

    /// The status that an effect needs.
    private static func requiredStatus(
        of effect: String, in json: JSONDocument
    ) throws(ScriptError) -> Int {
        guard let status = try json.integerMember("status", in: 400...599) else {
            throw ScriptError("\"\(effect)\" needs a \"status\" of 400 ... 599")
        }
        return status
    }

    fileprivate var members: [JSONDocument.Member] {
        switch self {
        case .latency(let latency):
            let (seconds, attoseconds) = latency.components
            let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
            return [
                .init(name: "effect", value: "latency"),
                .init(name: "milliseconds", value: .integer(milliseconds)),
            ]
        case .status(let status, let retryAfter):
            let seconds = retryAfter.map {
                JSONDocument.Member(name: "retry_after", value: .integer($0))
            }
            return [
                .init(name: "effect", value: "status"),
                .init(name: "status", value: .integer(status)),
            ] + (seconds.map { [$0] } ?? [])
        case .malformedBody: return [.init(name: "effect", value: "malformed_body")]
        case .duplicateKey: return [.init(name: "effect", value: "duplicate_key")]
        case .deviation(let deviation, let member):
            return [
                .init(name: "effect", value: .string(deviation.rawValue)),
                .init(name: "member", value: .string(member)),
            ]
        case .unreadableRow: return [.init(name: "effect", value: "unreadable_row")]
        case .truncatedBody: return [.init(name: "effect", value: "truncated_body")]
        case .lostResponse: return [.init(name: "effect", value: "lost_answer")]
        case .proxyResponse(let status):
            return [
                .init(name: "effect", value: "proxy_response"),
                .init(name: "status", value: .integer(status)),
            ]
        case .closedConnection: return [.init(name: "effect", value: "closed_connection")]
        case .hang: return [.init(name: "effect", value: "hang")]
        case .disconnect: return [.init(name: "effect", value: "disconnect")]
        case .expiredToken: return [.init(name: "effect", value: "expired_token")]
        }
    }
}

extension MarketScript {
    /// Parses `{"hours": "closed", "unpriced": ["AAPL"]}`, both optional; throws ``ScriptError`` for
    /// anything else.
    ///
    /// An additional `provider` is ignored.
    init(_ json: JSONDocument, in market: Market) throws(ScriptError) {
        try json.requireMembers(["hours", "unpriced", "provider"])
        self.init()
        if let text = json["hours"] {
            guard let hours = text.string.flatMap(Hours.init(rawValue:)) else {
                throw ScriptError("\"hours\" must be one of \(Hours.allCases.map(\.rawValue))")
            }
            self.hours = hours
        }
        if let list = json["unpriced"] {
            guard case .array(let symbols) = list, symbols.allSatisfy({ $0.string != nil }) else {
                throw ScriptError("\"unpriced\" must be a list of symbols")
            }
            unpriced = Set(symbols.compactMap(\.string))
            if let unlisted = unpriced.sorted().first(where: { market.anyInstrument($0) == nil }) {
                throw ScriptError(
                    "\"unpriced\": \"\(unlisted)\" is not listed; symbols are spelled AAPL, BRK.B, SPX, EUR/USD"
                )
            }
        }
    }

    var json: JSONDocument {
        ["hours": .string(hours.rawValue), "unpriced": .array(unpriced.sorted().map { .string($0) })]
    }
}

extension OAuthDecision {
    /// Parses `{"decision": "approve", "user": "demo"}`; throws ``ScriptError`` for anything else.
    init(_ json: JSONDocument, users: [String]) throws(ScriptError) {
        try json.requireMembers(["decision", "user"])
        let decision = try json.text("decision", example: "approve")
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

/// The reason why a script is rejected.
struct ScriptError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    var response: SandboxResponse { .json(["error": .string(description)], status: .badRequest) }
}

extension SandboxRoute {
    /// Creates an endpoint of the control API; the response to invalid input has the status 400 and names
    /// the error.
    static func control(
        _ method: HTTPMethod, _ template: PathTemplate,
        _ handler: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(method, template) { request in
            do {
                return try handler(request)
            } catch let error as ScriptError {
                return error.response
            } catch let error as JSONDocument.SyntaxError {
                return ScriptError("not JSON: \(error)").response
            }
        }
    }
}

extension JSONDocument {
    /// Rejects unknown and repeated members.
    func requireMembers(_ names: Set<String>) throws(ScriptError) {
        guard case .object(let members) = self else { throw ScriptError("an object is expected") }
        var seen: Set<String> = []
        for member in members {
            guard names.contains(member.name) else {
                throw ScriptError("unknown member \"\(member.name)\"; known are \(names.sorted())")
            }
            guard seen.insert(member.name).inserted else {
                throw ScriptError("\"\(member.name)\" stands there twice")
            }
        }
    }

    /// Returns the integer of a member; nil if it is missing.
    func integerMember(_ name: String, in range: ClosedRange<Int>) throws(ScriptError) -> Int? {
        guard let member = self[name] else { return nil }
        guard let number = member.integer, range.contains(number) else {
            throw ScriptError(
                "\"\(name)\" must be a whole number of \(range.lowerBound) ... \(range.upperBound)")
        }
        return number
    }

    /// Returns the text of a member; nil if it is missing.
    func text(_ name: String, example: String) throws(ScriptError) -> String? {
        guard let member = self[name] else { return nil }
        guard let text = member.string else {
            throw ScriptError("\"\(name)\" must be a string such as \"\(example)\"")
        }
        return text
    }
}
