import NIOHTTP1

extension HTTPProblem {
    /// What NIO's codec found wrong with a message.
    init(_ error: HTTPParserError, _ limits: ServerLimits) {
        switch error {
        case .headerOverflow: self = .headersTooLarge(limit: limits.uri + limits.headers)
        case .invalidVersion: self = .unsupportedVersion
        case .invalidMethod: self = .malformed(.syntax("the method is unknown"))
        case .invalidURL: self = .malformed(.target)
        case .invalidContentLength, .unexpectedContentLength: self = .malformed(.framing)
        case .invalidChunkSize: self = .malformed(.syntax("a chunk's size is no hexadecimal number"))
        case .invalidHeaderToken:
            self = .malformed(.syntax("a header field has a character that it may not have"))
        // NIO's enum, which grows and has cases that are deprecated.
        default: self = .malformed(.syntax("the message cannot be read"))
        }
    }
}
