import Foundation

/// Measures the built `portico` from outside, as its clients meet it.
///
/// `DoorBenchmarks [home] [sockets] [subscribers] [sessions] -- COMMAND …`, where the command runs `portico`, pinned to a
/// core perhaps: this process plays the clients and the providers, and belongs on another. Without a name it measures
/// all. Sizes are those of the aims, unless `BENCH_…` says otherwise (see ``Sizes``).
@main
struct DoorBenchmarks {
    static func main() async {
        do {
            try await measure()
        } catch {
            FileHandle.standardError.write(Data("DoorBenchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure() async throws {
        let words = CommandLine.arguments.dropFirst()
        let command = Array(words.drop { $0 != "--" }.dropFirst())
        guard !command.isEmpty else {
            throw BenchmarkError("Which portico? DoorBenchmarks [NAME …] -- COMMAND …")
        }
        var names = words.prefix { $0 != "--" }.map { String($0) }
        if names.isEmpty { names = ["home", "sockets", "subscribers", "sessions"] }
        let sizes = try Sizes()
        for name in names {
            switch name {
            case "home": try await HomeLoad(sizes).run(command)
            case "sockets": try await IdleSockets(sizes).run(command)
            case "subscribers": try await SubscriberLoad(sizes).run(command)
            case "sessions": try await SessionLoad(sizes).run(command)
            default:
                throw BenchmarkError("There is no \(name): home, sockets, subscribers and sessions are.")
            }
        }
    }
}

/// How much of everything.
struct Sizes {
    /// `BENCH_SECONDS`: how long requests and updates are counted.
    let seconds: Int
    /// `BENCH_IDLE_SECONDS`: how long idle sockets are left alone; the server asks each after 30 seconds whether it is
    /// still there.
    let idleSeconds: Int
    /// `BENCH_SOCKETS`: how many are open and idle.
    let sockets: Int
    /// `BENCH_SUBSCRIBERS`: how many follow one quote.
    let subscribers: Int
    /// `BENCH_SESSIONS`: how many are live; their users are guests, of whom a server keeps 10,000 at most.
    let sessions: Int

    init() throws {
        func size(_ name: String, _ usual: Int) throws -> Int {
            guard let text = ProcessInfo.processInfo.environment[name] else { return usual }
            guard let size = Int(text), size > 0 else {
                throw BenchmarkError("\(name) is no number: \(text)")
            }
            return size
        }
        seconds = try size("BENCH_SECONDS", 10)
        idleSeconds = try size("BENCH_IDLE_SECONDS", 35)
        sockets = try size("BENCH_SOCKETS", 10_000)
        subscribers = try size("BENCH_SUBSCRIBERS", 1_000)
        sessions = try size("BENCH_SESSIONS", 10_000)
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// What was measured, beside what it should be.
enum Report {
    static func print(_ text: String, aim: String, isReached: Bool) {
        Swift.print("  \(text) (aim: \(aim))\(isReached ? "" : " MISSED")")
        fflush(nil)
    }

    /// Two digits behind the point.
    static func milliseconds(_ duration: Duration) -> String {
        let hundredths = Int((duration / .microseconds(10)).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
