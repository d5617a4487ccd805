package import Brokerage
import Synchronization

/// The streams that are open, so that they can be counted and cut.
///
/// A lock, because streams open and close on event loops of their own.
package final class OpenStreams: Sendable {
    private let state = Mutex(State())

    private struct State {
        var next = 0
        var streams: [Int: (endpoint: Endpoint, stream: WebSocketStream)] = [:]
    }

    /// How many streams of an endpoint are open: `openStreams[.alpaca, "GET /v2/{feed}"]`.
    package subscript(_ provider: ProviderID, _ name: String) -> Int {
        let endpoint = Endpoint(provider: provider, name: name)
        return state.withLock { $0.streams.values.count { $0.endpoint == endpoint } }
    }

    /// Cuts the streams of a provider, or of one of its endpoints, or all, without a word; how many there were.
    @discardableResult
    package func disconnect(_ provider: ProviderID? = nil, _ name: String? = nil) -> Int {
        let streams = state.withLock { state in
            state.streams.values.filter { stream in
                (provider ?? stream.endpoint.provider) == stream.endpoint.provider
                    && (name ?? stream.endpoint.name) == stream.endpoint.name
            }
        }
        for stream in streams { stream.stream.disconnect() }
        return streams.count
    }

    /// Keeps a stream in mind for as long as `body` runs.
    func during(_ endpoint: Endpoint, _ stream: WebSocketStream, _ body: () async -> Void) async {
        let number = state.withLock { state in
            state.next += 1
            state.streams[state.next] = (endpoint, stream)
            return state.next
        }
        await body()
        state.withLock { _ = $0.streams.removeValue(forKey: number) }
    }
}
