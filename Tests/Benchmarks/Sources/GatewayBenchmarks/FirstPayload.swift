import GraphQL

/// The time until the first payload of an operation whose deferred part waits for a slow source.
struct FirstPayload {
    /// The broker responds after this time, and the source of company data after the other one.
    static let latencies = (broker: Duration.milliseconds(4), source: Duration.milliseconds(400))
    /// The aim for the median: the time of the broker's call and as much again.
    static let aim = Duration.milliseconds(8)

    static let query = """
        { positions { symbol quantity marketValue ... @defer { instrument { fundamentals { sector } } } } }
        """

    private let gateway: SandboxGateway

    init(_ gateway: SandboxGateway) {
        self.gateway = gateway
    }

    /// When the payloads of one request were ready, since its start.
    struct Times {
        var first: Duration
        var last: Duration
    }

    /// Sends a request; nothing is stored before.
    func measure() async throws -> Times {
        gateway.clock.leap()
        let scope = gateway.scope()
        let start = ContinuousClock.now
        let responses = try await gateway.schema.subscribe(
            to: GraphQLRequest(Self.query), context: scope, in: .pendingAndCompleted
        ).get()
        var times: Times?
        for await response in responses {
            let time = start.duration(to: .now)
            guard times != nil else {
                // Errors would precede the data; without a deferred part there is nothing to measure.
                guard response.body.starts(with: #"{"hasNext":true,"pending":["#.utf8),
                    response.body.firstRange(of: Array(#""data":{"positions":[{"#.utf8)) != nil
                else { throw BenchmarkError(String(decoding: response.body.prefix(2_000), as: UTF8.self)) }
                times = Times(first: time, last: time)
                continue
            }
            times?.last = time
        }
        guard let times, times.last > times.first else { throw BenchmarkError("no deferred payload") }
        return times
    }
}
