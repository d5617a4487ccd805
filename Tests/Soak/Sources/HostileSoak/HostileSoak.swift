import Brokerage
import Foundation
import HostileTraffic
import IssuerSupport
import PorticoCore
import Sandbox
import TestSupport

/// Sends a million hostile requests to a built `portico` with default limits, beside legitimate users.
///
/// `HostileSoak COMMAND …`: the command runs `portico`, possibly pinned to a core. This process runs the
/// users and the providers. A child process runs the hostile clients, so that the users do not wait for
/// them.
///
/// A tenth of the requests are sent at the rate of a million in an hour, the others as fast as `SOAK_RATE`
/// (2,500 in a second) permits. `SOAK_REQUESTS` is the number of all requests (1,000,000, which take 15 minutes; a
/// tenth of it takes three).
///
/// It fails if the server uses more than 300 MB or grows, if it repeats long texts of clients, or if a legitimate user
/// gets an error or stale values. It also fails if providers with a low quota get more calls than the limit of clients without a
/// session. At the rate of an hour, it fails if the p99 of the users' screen more than doubles and exceeds
/// 10 ms.
@main
struct HostileSoak {
    /// A p99 below this is not compared: it results from scheduling and not from the server's work.
    private static let smallestCompared = Duration.milliseconds(10)
    /// A million requests in an hour.
    private static let requestsPerSecondOfHour = 278

    private static let brokerUsers = SandboxUser.copiesOfDemo(16, named: "user")

    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == AttackProcess.argument {
                try await AttackProcess.run(arguments.dropFirst())
            } else {
                try await soak(arguments)
            }
        } catch {
            FileHandle.standardError.write(Data("HostileSoak: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func soak(_ command: [String]) async throws {
        guard !command.isEmpty else { throw Failure("The command is missing. Usage: HostileSoak COMMAND …") }
        var configuration = SandboxConfiguration()
        configuration.users += brokerUsers
        configuration.alpaca.tradingRequestsPerMinute = 1_000_000
        configuration.alpaca.dataRequestsPerMinute = 1_000_000
        let sandbox = try await Sandbox.start(configuration)
        sandbox.script = MarketScript(hours: .open)
        let result = await Result.of {
            try await TestIssuer.with { try await soak(command, sandbox, $0) }
        }
        await sandbox.stop()
        try result.get()
    }

    private static func soak(_ command: [String], _ sandbox: Sandbox, _ issuer: TestIssuer) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var environment = sandbox.hostileSoakEnvironment(issuer)
        environment["PORTICO_DATA"] = folder.path
        let portico = try PorticoProcess(command, environment)
        defer { portico.stop() }
        let processID = portico.processID
        let users = try await LegitimateUsers(
            port: portico.port, connecting: brokerUsers.map(\.connectingMutation))
        let requests = try number("SOAK_REQUESTS") ?? 1_000_000
        let begin = ContinuousClock.now
        func run(_ share: Int, at rate: Int, quiet: Duration) async throws -> HostileRun.Report {
            let attack = HostileAttack(
                port: portico.port, requests: share, requestsPerSecond: rate, connections: 128, held: 200,
                seed: UInt64(share), tokens: issuer.inventedTokens)
            let report = try await HostileRun(
                quiet: quiet, attack: { try await AttackProcess.result(of: attack) },
                residentBytes: { try PorticoProcess.residentBytes(of: processID) }
            ).run(with: users)
            print(summary(of: report, atMost: rate))
            return report
        }
        let slow = try await run(requests / 10, at: requestsPerSecondOfHour, quiet: .seconds(60))
        var failures = slow.failures()
        let (quiet, attacked) = (slow.quiet.quantile(0.99), slow.attacked.quantile(0.99))
        if attacked > max(quiet * 2, smallestCompared) {
            failures.append("The p99 of users more than doubled.")
        }
        let fast = try await run(
            requests - requests / 10, at: try number("SOAK_RATE") ?? 2_500, quiet: .seconds(6))
        failures += fast.failures(hasFilledCaches: true)
        let minutes = Int((begin.duration(to: .now) / .seconds(60)).rounded(.up))
        for (provider, limit) in HostileRun.lowQuotas(minutes: minutes) {
            let calls = sandbox.calls.all(of: provider).reduce(0) { $0 + $1.count }
            print("\(provider.name.text): \(calls) calls")
            if calls > limit {
                failures.append("\(provider.name.text) got \(calls) calls; the limit is \(limit).")
            }
        }
        guard failures.isEmpty else { throw Failure(failures.joined(separator: "\n")) }
    }

    private static func summary(of report: HostileRun.Report, atMost rate: Int) -> String {
        let sorted = report.hostile.outcomes.sorted { $0.key.rawValue < $1.key.rawValue }
        let outcomes = sorted.map { attack, outcomes in
            let counts = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            return "  \(attack): \(counts.joined(separator: ", "))\n"
        }
        func latencies(_ users: LegitimateUsers.Result) -> String {
            let quantiles = [0.5, 0.9, 0.99].map { "p\(Int($0 * 100)) \(milliseconds(users.quantile($0)))" }
            return "\(users.latencies.count) screens, \(quantiles.joined(separator: ", ")), longest sign-in "
                + milliseconds(users.signIns.max() ?? .zero)
        }
        return """
            \(report.hostile.requests) hostile requests, at most \(rate) a second, \(report.hostile.sockets) WebSockets:
            \(outcomes.joined())\
              users before: \(latencies(report.quiet))
              users during the attack: \(latencies(report.attacked))
              memory at most \((report.memory.max() ?? 0) >> 20) MB, \((report.memory.last ?? 0) >> 20) MB at the \
            end, \(report.memory.count) samples
            """
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\((duration / .milliseconds(1) * 10).rounded() / 10) ms"
    }

    private static func number(_ variable: String) throws -> Int? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw Failure("\(variable) is not a number: \(text)")
        }
        return number
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
