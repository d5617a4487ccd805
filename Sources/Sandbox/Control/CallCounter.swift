package import Brokerage
import Synchronization

/// An endpoint of a provider, for instance `alpaca`, `GET /v2/positions`.
package struct Endpoint: Sendable, Hashable {
    package let provider: ProviderID
    /// Method and path template; `unknown` for unknown paths and methods.
    package let name: String

    package init(provider: ProviderID, name: String) {
        self.provider = provider
        self.name = name
    }
}

/// The number of calls of each endpoint.
package struct Calls: Sendable, Hashable {
    private var counts: [Endpoint: Int] = [:]
    /// The names of the parameters of each endpoint: of the query, and of the members of a JSON body, inner ones with the
    /// names of the outer ones before them (`take_profit.limit_price`).
    private var parameters: [Endpoint: Set<String>] = [:]

    /// The most parameters of an endpoint that are recorded.
    private static let maximumParameters = 500

    /// The calls of one endpoint, by the route's name: `calls[.alpaca, "GET /v2/account"]`.
    package subscript(_ provider: ProviderID, _ name: String) -> Int {
        counts[Endpoint(provider: provider, name: name)] ?? 0
    }

    /// The calls of all endpoints.
    package var total: Int { counts.values.reduce(0, +) }

    /// Returns the calls of every called endpoint, by name.
    package func all(of provider: ProviderID) -> [(name: String, count: Int)] {
        counts.filter { $0.key.provider == provider }.map { ($0.key.name, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The names of the parameters of every called endpoint, by the endpoint's name.
    package func parameters(of provider: ProviderID) -> [(name: String, parameters: [String])] {
        parameters.filter { $0.key.provider == provider }.map { ($0.key.name, $0.value.sorted()) }
            .sorted { $0.0 < $1.0 }
    }

    fileprivate mutating func count(_ endpoint: Endpoint, _ names: Set<String>) {
        counts[endpoint, default: 0] += 1
        let known = parameters[endpoint] ?? []
        if known.count < Self.maximumParameters { parameters[endpoint] = known.union(names) }
    }
}

/// Counts calls on arrival, before any processing that may fail.
///
/// It uses a lock: tasks count concurrently.
package final class CallCounter: Sendable {
    private struct State {
        var calls = Calls()
        /// The times of the latest calls, in order.
        var times: [ProviderID: [ContinuousClock.Instant]] = [:]
    }

    private let state = Mutex(State())

    /// The maximum number of times of a provider; the oldest are removed first.
    static let maximumTimes = 10_000

    package var calls: Calls { state.withLock { $0.calls } }

    /// The times at which the latest calls of a provider arrived, in order.
    func times(of provider: ProviderID) -> [ContinuousClock.Instant] {
        state.withLock { $0.times[provider] ?? [] }
    }

    package func count(_ endpoint: Endpoint, parameters: Set<String> = []) {
        state.withLock { state in
            state.calls.count(endpoint, parameters)
            let count = state.times[endpoint.provider]?.count ?? 0
            if count >= Self.maximumTimes { state.times[endpoint.provider]?.removeFirst(count / 2) }
            state.times[endpoint.provider, default: []].append(.now)
        }
    }

    package func reset() {
        state.withLock { $0 = State() }
    }
}
