import Brokerage
import Foundation
import HostileTraffic
import Sandbox
import TestSupport

/// Sends an hour's volume of hostile traffic to a built `portico` with default limits, beside legitimate users.
///
/// `HostileSoak COMMAND …`: the command runs `portico`, possibly pinned to a core; this process runs the
/// users and the providers, and a child process the hostile clients: in this process, the users would wait for
/// them. `SOAK_REQUESTS` is the number of hostile requests (1,000,000), `SOAK_RATE` the
/// most requests in a second (2,500).
///
/// It fails if the server takes more than 300 MB or grows, if a legitimate user gets an error, if the p99 of
/// the users' screen more than doubles, or if providers with a low quota get more calls than the limit of
/// clients without a session.
@main
struct HostileSoak {
    /// A p99 below this is not compared: it comes from scheduling and not from the server's work.
    private static let smallestCompared = Duration.milliseconds(10)

    private static let brokerUsers = SandboxUser.copiesOfDemo(8, named: "user")

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
        let result: Result<Void, any Error>
        do {
            result = .success(try await soak(command, sandbox))
        } catch {
            result = .failure(error)
        }
        await sandbox.stop()
        try result.get()
    }

    private static func soak(_ command: [String], _ sandbox: Sandbox) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var environment = sandbox.hostileSoakEnvironment
        environment["PORTICO_DATA"] = folder.path
        let portico = try PorticoProcess(command, environment)
        defer { portico.stop() }
        let processID = portico.processID
        let attack = HostileAttack(
            port: portico.port, requests: try number("SOAK_REQUESTS") ?? 1_000_000,
            // More than the attempts to sign in that wait for a hash: 6 for each of the 8 addresses.
            requestsPerSecond: try number("SOAK_RATE") ?? 2_500, connections: 128, held: 200,
            seed: 20_261_122)
        let report = try await HostileRun(
            port: portico.port, quiet: .seconds(30),
            attack: { try await AttackProcess.result(of: attack) },
            residentBytes: { try PorticoProcess.residentBytes(of: processID) }
        ).run(connecting: Self.brokerUsers.map(\.connectingMutation))
        try judge(report, sandbox)
    }

    private static func judge(_ report: HostileRun.Report, _ sandbox: Sandbox) throws {
        for (attack, statuses) in report.hostile.statuses.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            print("  \(attack): \(counts.joined(separator: ", "))")
        }
        let (quiet, attacked) = (report.quiet.p99, report.attacked.p99)
        print(
            "\(report.hostile.requests) hostile requests; \(report.attacked.latencies.count) screens of users, "
                + "p99 \(milliseconds(quiet)) before, \(milliseconds(attacked)) during the attack; "
                + "memory at most \((report.memory.max() ?? 0) >> 20) MB, "
                + "\((report.memory.last ?? 0) >> 20) MB at the end")
        var failures = report.failures()
        if attacked > max(quiet * 2, smallestCompared) {
            failures.append("The p99 of users more than doubled.")
        }
        for (provider, limit) in HostileRun.lowQuotas(minutes: report.minutes) {
            let calls = sandbox.calls.all(of: provider).reduce(0) { $0 + $1.count }
            print("\(provider.rawValue): \(calls) calls")
            if calls > limit {
                failures.append("\(provider.rawValue) got \(calls) calls; the limit is \(limit).")
            }
        }
        guard failures.isEmpty else { throw Failure(failures.joined(separator: "\n")) }
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

    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
