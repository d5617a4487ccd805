import Foundation
import Sandbox
import TestSupport

/// Many who follow one quote: how long after the market has moved each of them knows.
struct SubscriberLoad {
    private let sizes: Sizes

    /// How many seconds of the market pass in one: each brings one trade, and so one update or two.
    private static let speed = 10
    private static let operation =
        #"{"id":"1","type":"subscribe","payload":{"query":"subscription { quotes(symbols: [\"AAPL\"]) { symbol price bid ask asOf } }"}}"#

    init(_ sizes: Sizes) {
        self.sizes = sizes
    }

    func run(_ command: [String]) async throws {
        let market = HastyClock(speed: Self.speed)
        try await Sandbox.with(clock: market.clock) { sandbox in
            var environment = sandbox.environment
            environment["PORTICO_MAXIMUM_CONNECTIONS"] = "\(sizes.subscribers + 100)"
            try await PorticoProcess.with(command, environment) { portico in
                let deliveries = Deliveries(after: market)
                let crowd = SocketCrowd(port: portico.port) { deliveries.take($0, by: $1) }
                try await crowd.open(sizes.subscribers)
                crowd.say(Self.operation)
                // The first quotes, and the stream's connection, are not what is measured.
                try await Task.sleep(for: .seconds(3))
                deliveries.begin()
                try await Task.sleep(for: .seconds(sizes.seconds))
                let result = try deliveries.end()
                guard crowd.openCount == sizes.subscribers else {
                    throw BenchmarkError("Only \(crowd.openCount) subscribers are left.")
                }
                try await crowd.close()
                report(result)
            }
        }
    }

    private func report(_ result: Deliveries.Result) {
        let perSecond = Double(result.updates) / Double(sizes.seconds)
        print(
            "\(sizes.subscribers) subscribers of one quote, \(perSecond) updates/s, "
                + "\(result.count) deliveries, at least \(result.fewest) to each: from the market's move to the client"
        )
        Report.print(
            "p50 \(Report.milliseconds(result.p50)), p99 \(Report.milliseconds(result.p99))",
            aim: "p99 under 50 ms",
            isReached: result.p99 < .milliseconds(50))
    }
}
