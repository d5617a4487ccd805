package import Brokerage

/// Every endpoint that the stand-ins offer, by the names that counts and scripts know them by.
package struct EndpointCatalog: Sendable {
    private var calls: [ProviderID: Set<String>] = [:]
    private var streams: [ProviderID: Set<String>] = [:]

    init(_ standIns: [FakeHost]) {
        for standIn in standIns {
            calls[standIn.provider, default: []].formUnion(standIn.routes.flatMap(\.names))
            streams[standIn.provider, default: []].formUnion(standIn.streams.map(\.name))
        }
    }

    /// What a provider answers over HTTP: `GET /v2/account`.
    package func calls(of provider: ProviderID) -> [String] { (calls[provider] ?? []).sorted() }

    /// What becomes a stream: `GET /v2/{feed}`.
    package func streams(of provider: ProviderID) -> [String] { (streams[provider] ?? []).sorted() }

    /// What an endpoint is named for.
    enum Purpose {
        case counting
        /// The single messages of a stream can fail too.
        case failing
        case disconnecting
    }

    func names(of provider: ProviderID, for purpose: Purpose) -> [String] {
        let streams = streams(of: provider)
        return switch purpose {
        case .counting: calls(of: provider) + streams + [Self.unknown]
        case .failing:
            calls(of: provider) + streams + streams.map(StreamRoute.messageName) + [Self.unknown]
        case .disconnecting: streams
        }
    }

    /// What calls are counted as that no route matches.
    static let unknown = "unknown"
}
