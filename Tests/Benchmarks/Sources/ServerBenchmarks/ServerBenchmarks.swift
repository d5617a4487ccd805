import Foundation

/// Measures the built `portico` as a process, over its sockets.
///
/// `ServerBenchmarks [home] [sockets] [subscribers] [sessions] [replicas] -- COMMAND …`, where the command runs
/// `portico`. This process contains the clients and the fake providers, so pin the two to different cores. Without a
/// name, all benchmarks run. Environment variables `BENCH_…` change the sizes (see ``Sizes``).
@main
struct ServerBenchmarks {
    static func main() async {
        do {
            try await measure()
        } catch {
            FileHandle.standardError.write(Data("ServerBenchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let command = Array(arguments.drop { $0 != "--" }.dropFirst())
        guard !command.isEmpty else {
            throw BenchmarkError("No command is given. Usage: ServerBenchmarks [NAME …] -- COMMAND …")
        }
        var names = arguments.prefix { $0 != "--" }.map { String($0) }
        if names.isEmpty { names = ["home", "sockets", "subscribers", "sessions"] }
        let sizes = try Sizes()
        for name in names {
            switch name {
            case "home": try await HomeLoad(sizes).run(command)
            case "sockets": try await IdleSockets(sizes).run(command)
            case "subscribers": try await SubscriberLoad(sizes).run(command)
            case "sessions": try await SessionLoad(sizes).run(command)
            case "replicas": try await ReplicaLoad(sizes).run(command)
            default:
                throw BenchmarkError(
                    "\(name) is no benchmark. Benchmarks: home, sockets, subscribers, sessions, replicas.")
            }
        }
    }
}

/// The sizes of the benchmarks.
struct Sizes {
    /// `BENCH_SECONDS`: how long requests and updates are counted.
    let seconds: Int
    /// `BENCH_IDLE_SECONDS`: how long sockets are idle; the server pings each after 30 seconds.
    let idleSeconds: Int
    /// `BENCH_SOCKETS`: the number of idle sockets.
    let sockets: Int
    /// `BENCH_SUBSCRIBERS`: the number of subscribers of one quote.
    let subscribers: Int
    /// `BENCH_TURNS`: the number of rounds in which servers alternate.
    let turns: Int
    /// `BENCH_SESSIONS`: the number of active sessions of guests; a server stores at most 10,000 guests.
    let sessions: Int

    init() throws {
        func size(_ name: String, _ standard: Int) throws -> Int {
            guard let text = ProcessInfo.processInfo.environment[name] else { return standard }
            guard let size = Int(text), size > 0 else {
                throw BenchmarkError("\(name) is no number: \(text)")
            }
            return size
        }
        seconds = try size("BENCH_SECONDS", 10)
        idleSeconds = try size("BENCH_IDLE_SECONDS", 35)
        sockets = try size("BENCH_SOCKETS", 10_000)
        subscribers = try size("BENCH_SUBSCRIBERS", 1_000)
        turns = try size("BENCH_TURNS", 3)
        sessions = try size("BENCH_SESSIONS", 10_000)
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Prints results beside their targets.
enum Report {
    static func print(_ text: String, target: String, isReached: Bool) {
        Swift.print("  \(text) (target: \(target))\(isReached ? "" : " MISSED")")
        fflush(nil)
    }

    /// Formats with two decimals.
    static func milliseconds(_ duration: Duration) -> String {
        let hundredths = Int((duration / .microseconds(10)).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
