import Brokerage
import GraphQL
import Synchronization
import Upstream

/// The home screen of an investing app: what it costs apart from waiting for the provider.
struct HomeScreen {
    private let gateway: SandboxGateway

    static let query = """
        { account { equity cash buyingPower dayChange history(range: ONE_DAY) { points { time equity } } }
          positions { symbol quantity marketValue unrealizedProfitLoss
            quote { price bid ask change changePercentage } }
          chart(symbol: "AAPL", interval: ONE_DAY, last: 250) { columns { time open high low close volume } }
          news(first: 10) { nodes { headline source publishedAt symbols } } }
        """

    init(_ gateway: SandboxGateway) {
        self.gateway = gateway
    }

    /// What one request came to.
    struct Cost {
        var bytes: Int
        var calls: Int
        /// From the question to the answer, less the time in which a call to the provider was under way.
        var own: Duration
    }

    /// Asks once; what is in memory stays good unless it is to be forgotten.
    func ask(forgetting: Bool) async throws -> Cost {
        if forgetting { gateway.clock.leap() }
        let waits = Waits()
        let scope = gateway.scope(observe: waits.note)
        let start = ContinuousClock.now
        let answer = try await gateway.schema.respond(to: GraphQLRequest(Self.query), context: scope)
            .value()
        let whole = start.duration(to: .now)
        // An answer with errors begins with them.
        guard answer.body.starts(with: "{\"data\"".utf8) else {
            throw BenchmarkError(String(decoding: answer.body.prefix(2_000), as: UTF8.self))
        }
        return Cost(bytes: answer.body.count, calls: waits.count, own: whole - waits.covered)
    }
}

/// When calls to providers were under way.
private final class Waits: Sendable {
    // Calls end on several threads.
    private let spans = Mutex<[(start: ContinuousClock.Instant, end: ContinuousClock.Instant)]>([])

    func note(_ record: CallRecord) {
        guard record.duration > .zero else { return }
        let end = ContinuousClock.now
        spans.withLock { $0.append((end - record.duration, end)) }
    }

    var count: Int { spans.withLock(\.count) }

    /// The time in which at least one was.
    var covered: Duration {
        var covered = Duration.zero
        var last: ContinuousClock.Instant?
        for span in spans.withLock({ $0.sorted { $0.start < $1.start } }) {
            let start = max(last ?? span.start, span.start)
            if span.end > start { covered += start.duration(to: span.end) }
            last = max(last ?? span.end, span.end)
        }
        return covered
    }
}
