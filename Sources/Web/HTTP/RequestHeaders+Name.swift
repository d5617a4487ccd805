extension RequestHeaders {
    /// The names of the fields that are known.
    enum Name: UInt8, CaseIterable {
        case accept
        case acceptEncoding
        case authorization
        case cacheControl
        case connection
        case contentEncoding
        case contentLength
        case contentType
        case expect
        case fetchMode
        case fetchSite
        case forwardedFor
        case host
        case ifNoneMatch
        case lastEventID
        case origin
        case porticoUpstream
        /// One of the fields that proxies add, other than X-Forwarded-For.
        case proxy
        case requestedMethod
        case traceparent
        case tracestate
        case transferEncoding
        case upgrade
        case webSocketKey
        case webSocketProtocol
        case webSocketVersion

        var index: Int { Int(rawValue) }

        var bit: UInt32 { 1 << rawValue }

        /// What is wrong where it stands twice; nil where it may, since it has members of a list (RFC 9110, section
        /// 5.3).
        var repetition: HTTPError.MalformedMessage? {
            switch self {
            case .accept, .acceptEncoding, .cacheControl, .connection, .contentEncoding, .expect,
                .fetchMode, .fetchSite, .forwardedFor, .ifNoneMatch, .porticoUpstream, .proxy,
                .requestedMethod, .tracestate, .upgrade, .webSocketProtocol:
                nil
            // Two of them, joined, are no context, and a new trace begins (W3C Trace Context, section 3.2).
            case .traceparent: nil
            case .host: .host
            case .contentLength, .transferEncoding: .framing
            case .authorization: .repeatedField("Authorization")
            case .contentType: .repeatedField("Content-Type")
            case .lastEventID: .repeatedField("Last-Event-ID")
            case .origin: .repeatedField("Origin")
            case .webSocketKey: .repeatedField("Sec-WebSocket-Key")
            case .webSocketVersion: .repeatedField("Sec-WebSocket-Version")
            }
        }

        /// A known name, in any mix of ASCII cases; nil for others.
        init?(_ name: Span<UInt8>) {
            // The length tells most names apart.
            switch name.count {
            case 3 where name.matches("via"): self = .proxy
            case 4 where name.matches("host"): self = .host
            case 6 where name.matches("accept"): self = .accept
            case 6 where name.matches("expect"): self = .expect
            case 6 where name.matches("origin"): self = .origin
            case 7 where name.matches("upgrade"): self = .upgrade
            case 9 where name.matches("forwarded"), 9 where name.matches("x-real-ip"): self = .proxy
            case 10 where name.matches("connection"): self = .connection
            case 10 where name.matches("tracestate"): self = .tracestate
            case 11 where name.matches("traceparent"): self = .traceparent
            case 12 where name.matches("content-type"): self = .contentType
            case 13 where name.matches("authorization"): self = .authorization
            case 13 where name.matches("cache-control"): self = .cacheControl
            case 13 where name.matches("if-none-match"): self = .ifNoneMatch
            case 13 where name.matches("last-event-id"): self = .lastEventID
            case 14 where name.matches("content-length"): self = .contentLength
            case 14 where name.matches("sec-fetch-mode"): self = .fetchMode
            case 14 where name.matches("sec-fetch-site"): self = .fetchSite
            case 15 where name.matches("accept-encoding"): self = .acceptEncoding
            case 15 where name.matches("x-forwarded-for"): self = .forwardedFor
            case 16 where name.matches("content-encoding"): self = .contentEncoding
            case 16 where name.matches("x-forwarded-host"): self = .proxy
            case 16 where name.matches("portico-upstream"): self = .porticoUpstream
            case 17 where name.matches("transfer-encoding"): self = .transferEncoding
            case 17 where name.matches("x-forwarded-proto"): self = .proxy
            case 17 where name.matches("sec-websocket-key"): self = .webSocketKey
            case 21 where name.matches("sec-websocket-version"): self = .webSocketVersion
            case 22 where name.matches("sec-websocket-protocol"): self = .webSocketProtocol
            case 29 where name.matches("access-control-request-method"): self = .requestedMethod
            default: return nil
            }
        }
    }
}
