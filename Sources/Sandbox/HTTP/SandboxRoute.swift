package import Brokerage
package import NIOHTTP1

/// One HTTP endpoint: its method, path template and handler.
package struct SandboxRoute: Sendable {
    package let method: HTTPMethod
    package let template: PathTemplate
    package let handler: @Sendable (SandboxRequest) async throws -> SandboxResponse
    /// Distinguishes endpoints that share a path; nil for a single endpoint.
    package let qualifier: Qualifier?

    /// A parameter that selects one of several endpoints on one path.
    package struct Qualifier: Sendable {
        /// Every value that may follow ``SandboxRoute/name``.
        package let values: [String]
        /// One of ``values``; nil for the bare name.
        package let value: @Sendable (SandboxRequest) -> String?

        package init(_ words: [String], _ word: @escaping @Sendable (SandboxRequest) -> String?) {
            self.values = words
            self.value = word
        }
    }

    package init(
        _ method: HTTPMethod, _ template: PathTemplate, qualifier: Qualifier? = nil,
        _ handler: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse
    ) {
        self.method = method
        self.template = template
        self.qualifier = qualifier
        self.handler = handler
    }

    package static func get(
        _ template: PathTemplate,
        _ handler: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(.GET, template, handler)
    }

    package static func post(
        _ template: PathTemplate,
        _ handler: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(.POST, template, handler)
    }

    /// Method and template, the name in counts and fault scripts: `GET /v2/positions/{symbol}`.
    package var name: String { "\(method.rawValue) \(template)" }

    /// ``name``, or for one of several endpoints on one path `GET /query GLOBAL_QUOTE`.
    package func name(of request: SandboxRequest) -> String {
        qualifier?.value(request).map { "\(name) \($0)" } ?? name
    }

    /// All possible names of requests of this route.
    var names: [String] {
        [name] + (qualifier?.values ?? []).map { "\(name) \($0)" }
    }
}

/// A path with named parameters, each one segment long: `/v2/positions/{symbol}`.
package struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let description: String
    private let segments: [Segment]

    private enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    package init(stringLiteral text: String) {
        description = text
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}")
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// Returns the parameters of a path.
    ///
    /// - Parameters:
    ///   - path: The segments of the path.
    ///   - acceptsVariants: Whether a trailing slash and other capitals are accepted.
    /// - Returns: The parameters; nil if the path does not match.
    package func match(_ path: ArraySlice<String>, acceptsVariants: Bool = false) -> [String: String]? {
        let path = acceptsVariants && path.last == "" ? path.dropLast() : path
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal):
                guard literal == text || acceptsVariants && literal.lowercased() == text.lowercased() else {
                    return nil
                }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                parameters[name] = text
            }
        }
        return parameters
    }
}

/// One WebSocket endpoint (RFC 6455): the check of the handshake, and the conversation.
package struct StreamRoute: Sendable {
    package let template: PathTemplate
    /// Returns nil to accept the client; otherwise the rejecting response to the handshake.
    package let rejection: @Sendable (SandboxRequest) async throws -> SandboxResponse?
    /// Additional headers of the accepting response.
    package let headers: HTTPHeaders
    /// Exchanges messages with the client.
    ///
    /// The stream is closed when it returns, and the task is cancelled when the stream closes.
    package let serve: @Sendable (SandboxRequest, WebSocketStream) async -> Void

    package init(
        _ template: PathTemplate, headers: HTTPHeaders = [:],
        rejection: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse? = { _ in nil },
        serve: @escaping @Sendable (SandboxRequest, WebSocketStream) async -> Void
    ) {
        self.template = template
        self.headers = headers
        self.rejection = rejection
        self.serve = serve
    }

    /// The name of handshakes in counts and fault scripts: `GET /v2/{feed}`.
    package var name: String { "GET \(template)" }

    /// The name of single messages in fault scripts: `GET /v2/{feed} message`.
    package static func messageName(of name: String) -> String { "\(name) message" }
}

/// One complete message of a stream.
package enum StreamFrame: Sendable, Hashable {
    case text(String)
    case binary([UInt8])

    var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .binary(let bytes): bytes
        }
    }
}

/// One host of one provider, with a path prefix of its own.
package struct FakeHost: Sendable {
    package let provider: ProviderID
    /// The first segment of every path: `alpaca-data`.
    package let prefix: String
    package let routes: [SandboxRoute]
    package let streams: [StreamRoute]
    package let failures: Failures
    /// Whether a trailing slash and other capitals of a path are accepted.
    package let acceptsPathVariants: Bool

    package init(
        provider: ProviderID, prefix: String, routes: [SandboxRoute], streams: [StreamRoute] = [],
        failures: Failures, acceptsPathVariants: Bool = false
    ) {
        self.provider = provider
        self.prefix = prefix
        self.routes = routes
        self.streams = streams
        self.failures = failures
        self.acceptsPathVariants = acceptsPathVariants
    }

    /// A host's responses to requests that no route handles.
    package struct Failures: Sendable {
        package let unknownPath: SandboxResponse
        package let methodNotAllowed: SandboxResponse
        package let expiredToken: SandboxResponse
        /// The provider's response for a scripted status, mostly 429 or 5xx.
        package let status: @Sendable (Int) -> SandboxResponse
    }
}

extension ProviderID {
    /// The name in control documents: `alpha-vantage`.
    var controlName: String { name.text }

    init?(controlName: String) {
        guard let provider = Self.allCases.first(where: { $0.controlName == controlName }) else { return nil }
        self = provider
    }
}
