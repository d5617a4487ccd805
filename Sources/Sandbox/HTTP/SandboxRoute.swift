package import Brokerage
package import NIOHTTP1

/// One endpoint: what it takes, and what it answers.
package struct SandboxRoute: Sendable {
    package let method: HTTPMethod
    package let template: PathTemplate
    package let handler: @Sendable (SandboxRequest) async throws -> SandboxResponse
    /// Tells endpoints apart that share a path; nil where there is but one.
    package let qualifier: Qualifier?

    /// Which of several endpoints on one path a request is about.
    package struct Qualifier: Sendable {
        /// Every word that may follow ``SandboxRoute/name``.
        package let values: [String]
        /// One of ``words``; nil for the bare name.
        package let value: @Sendable (SandboxRequest) -> String?

        package init(_ words: [String], _ word: @escaping @Sendable (SandboxRequest) -> String?) {
            self.values = words
            self.value = word
        }
    }

    package init(
        _ method: HTTPMethod, _ template: PathTemplate, qualifier: Qualifier? = nil,
        _ answer: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse
    ) {
        self.method = method
        self.template = template
        self.qualifier = qualifier
        self.handler = answer
    }

    package static func get(
        _ template: PathTemplate,
        _ answer: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(.GET, template, answer)
    }

    package static func post(
        _ template: PathTemplate,
        _ answer: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(.POST, template, answer)
    }

    /// Method and template, as calls are counted and faults are addressed: `GET /v2/positions/{symbol}`.
    package var name: String { "\(method.rawValue) \(template)" }

    /// ``name``, or for one of several endpoints on one path `GET /query GLOBAL_QUOTE`.
    package func name(of request: SandboxRequest) -> String {
        qualifier?.value(request).map { "\(name) \($0)" } ?? name
    }

    /// Every name that a request of this route may have.
    var names: [String] {
        [name] + (qualifier?.values ?? []).map { "\(name) \($0)" }
    }
}

/// A path with named gaps, each one segment long: `/v2/positions/{symbol}`.
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

    /// What the gaps hold in a path; nil when the path is another one.
    package func match(_ path: ArraySlice<String>) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal):
                guard literal == text else { return nil }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                parameters[name] = text
            }
        }
        return parameters
    }
}

/// One endpoint that becomes a WebSocket (RFC 6455): whom it lets in, and what is said there.
package struct StreamRoute: Sendable {
    package let template: PathTemplate
    /// Nil to let the client in; else why not, as an answer to the handshake.
    package let rejection: @Sendable (SandboxRequest) async throws -> SandboxResponse?
    /// Headers of the answer that lets a client in.
    package let headers: HTTPHeaders
    /// Talks to the client; the stream is closed when it returns, and it is cancelled when the stream closes.
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

    /// As handshakes are counted and faults are addressed: `GET /v2/{feed}`.
    package var name: String { "GET \(template)" }

    /// As faults of single messages from the sandbox are addressed: `GET /v2/{feed} message`.
    package static func messageName(of name: String) -> String { "\(name) message" }
}

/// What goes over a stream in one message, whole.
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

/// One host of one provider, standing under a prefix of its own.
package struct FakeHost: Sendable {
    package let provider: ProviderID
    /// The first segment of every path: `alpaca-data`.
    package let prefix: String
    package let routes: [SandboxRoute]
    package let streams: [StreamRoute]
    package let failures: Failures

    package init(
        provider: ProviderID, prefix: String, routes: [SandboxRoute], streams: [StreamRoute] = [],
        failures: Failures
    ) {
        self.provider = provider
        self.prefix = prefix
        self.routes = routes
        self.streams = streams
        self.failures = failures
    }

    /// How a host answers what is not up to a route.
    package struct Failures: Sendable {
        package let unknownPath: SandboxResponse
        package let methodNotAllowed: SandboxResponse
        package let expiredToken: SandboxResponse
        /// The provider's body for a status that a script demands, 429 or 5xx mostly.
        package let status: @Sendable (Int) -> SandboxResponse
    }
}

extension ProviderID {
    /// The name in control documents: `alpha_vantage`.
    var controlName: String { rawValue.lowercased() }

    init?(controlName: String) {
        guard let provider = Self.allCases.first(where: { $0.controlName == controlName }) else { return nil }
        self = provider
    }
}
