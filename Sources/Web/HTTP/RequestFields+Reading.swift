import NIOHTTP1

extension RequestFields {
    /// Picks the known fields, in one pass.
    ///
    /// - Throws: `.malformed` for a field twice that has one value (RFC 9110, section 5.3). Lists are joined.
    init(_ headers: HTTPHeaders) throws(HTTPProblem) {
        self.init()
        for (name, value) in headers {
            // The length tells most names apart.
            switch name.utf8.count {
            case 4 where name.matches("host"): hosts += 1
            case 6 where name.matches("accept"): accept.join(value)
            case 6 where name.matches("expect"): expect.join(value)
            case 6 where name.matches("origin"): try origin.set(value, of: "Origin")
            case 7 where name.matches("upgrade"): upgrade.join(value)
            case 10 where name.matches("connection"): connection.join(value)
            // Twice it is malformed, as each has one value (W3C Trace Context, section 4.3).
            case 11 where name.matches("traceparent"): traceparent.join(value)
            case 10 where name.matches("tracestate"): tracestate.join(value)
            case 12 where name.matches("content-type"): try contentType.set(value, of: "Content-Type")
            case 13 where name.matches("authorization"): try authorization.set(value, of: "Authorization")
            case 13 where name.matches("if-none-match"): ifNoneMatch.join(value)
            case 13 where name.matches("cache-control"): cacheControl.join(value)
            case 13 where name.matches("last-event-id"): try lastEventID.set(value, of: "Last-Event-ID")
            case 14 where name.matches("content-length"): try contentLength.set(value, of: "Content-Length")
            case 15 where name.matches("accept-encoding"): acceptEncoding.join(value)
            case 15 where name.matches("x-forwarded-for"): forwardedFor.join(value)
            case 16 where name.matches("content-encoding"): contentEncoding.join(value)
            case 16 where name.matches("portico-upstream"): porticoUpstream.join(value)
            case 17 where name.matches("transfer-encoding"):
                try transferEncoding.set(value, of: "Transfer-Encoding")
            case 17 where name.matches("sec-websocket-key"):
                try webSocketKey.set(value, of: "Sec-WebSocket-Key")
            case 29 where name.matches("access-control-request-method"): requestedMethod.join(value)
            case 21 where name.matches("sec-websocket-version"):
                try webSocketVersion.set(value, of: "Sec-WebSocket-Version")
            case 22 where name.matches("sec-websocket-protocol"): webSocketProtocol.join(value)
            default: break
            }
        }
    }

    /// Whether the client asks to go on with another protocol, given in lower case (RFC 9110, section 7.8).
    package func asksForUpgrade(to name: StaticString) -> Bool {
        guard let upgrade, let connection else { return false }
        return upgrade.listMembers.contains { $0.matches(name) }
            && connection.listMembers.contains { $0.matches("upgrade") }
    }

    /// Whether the client wants to be told which upstream calls its answer has cost: `Portico-Upstream: true`.
    var asksForUpstream: Bool { porticoUpstream?.matches("true") ?? false }

    /// Whether the client wants nothing that was read before it asked (RFC 9111, section 5.2.1.4).
    var demandsFresh: Bool {
        cacheControl?.listMembers.contains { $0.matches("no-cache") } ?? false
    }
}

extension String? {
    /// Adds members to a list.
    fileprivate mutating func join(_ more: String) {
        if let list = self { self = "\(list), \(more)" } else { self = more }
    }

    fileprivate mutating func set(_ value: String, of name: String) throws(HTTPProblem) {
        guard self == nil else { throw .malformed(.repeatedField(name)) }
        self = value
    }
}

extension StringProtocol {
    /// Whether the text is the given one, in any mix of ASCII cases; that one is given in lower case.
    func matches(_ lowercased: StaticString) -> Bool {
        guard utf8.count == lowercased.utf8CodeUnitCount else { return false }
        return lowercased.withUTF8Buffer { expected in
            var position = 0
            for byte in utf8 {
                let letter = unsafe expected[position]
                guard byte == letter || (byte &- UInt8(ascii: "A") < 26 && byte | 0x20 == letter) else {
                    return false
                }
                position += 1
            }
            return true
        }
    }

    /// Without spaces and tabs around it.
    var trimmed: SubSequence {
        let end = lastIndex { $0 != " " && $0 != "\t" }
        guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }), let end else {
            return self[endIndex...]
        }
        return self[start...end]
    }

    /// The members of a comma-separated list.
    var listMembers: some Sequence<SubSequence.SubSequence> {
        split(separator: ",").lazy.map(\.trimmed)
    }
}
