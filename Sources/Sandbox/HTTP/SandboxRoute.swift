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
