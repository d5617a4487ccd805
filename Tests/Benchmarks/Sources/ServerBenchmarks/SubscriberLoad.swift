import Foundation
import Sandbox
import TestSupport

/// Many subscribers of one quote: the delay between the market's change and each update.
struct SubscriberLoad {
    private let sizes: Sizes

    /// Seconds of the market in one second; each has one trade, thus one or two updates.
    private static let speed = 10
    private static let operation =
        #"{"id":"1","type":"subscribe","payload":{"query":"subscription { quotes(symbols: [\"AAPL\"]) { symbol price bid ask asOf } }"}}"#

    init(_ sizes: Sizes) {
        self.sizes = sizes
    }

    func run(_ command: [String]) async throws {
        let market = AcceleratedClock(speed: Self.speed)
        try await Sandbox.with(clock: market.clock) { sandbox in
            var environment = sandbox.environment
            environment["PORTICO_MAXIMUM_CONNECTIONS"] = "\(sizes.subscribers + 100)"
            try await PorticoProcess.with(command, environment) { portico in
                let delays = UpdateDelays(after: market)
                let clients = WebSocketClients(port: portico.port) { delays.record($0, by: $1) }
                try await clients.open(sizes.subscribers)
                clients.send(Self.operation)
                // The first quotes and the connection of the stream are not measured.
                try await Task.sleep(for: .seconds(3))
                delays.begin()
                try await Task.sleep(for: .seconds(sizes.seconds))
                let result = try delays.end()
                guard clients.openCount == sizes.subscribers else {
                    throw BenchmarkError("Only \(clients.openCount) subscribers are left.")
                }
                try await clients.close()
                report(result)
            }
        }
    }

    private func report(_ result: UpdateDelays.Result) {
        let perSecond = Double(result.updates) / Double(sizes.seconds)
        print(
            "\(sizes.subscribers) subscribers of one quote, \(perSecond) updates/s, "
                + "\(result.count) updates, at least \(result.minimumPerClient) to each: from the market's move to the client"
        )
        Report.print(
            "p50 \(Report.milliseconds(result.p50)), p99 \(Report.milliseconds(result.p99))",
            target: "p99 under 50 ms",
            isReached: result.p99 < .milliseconds(50))
    }
}
