import Foundation
import Upstream

/// Measures what lies between the engine and the providers: `GatewayBenchmarks`; `GatewayBenchmarks check` fails where a
/// chart allocates for its candles.
@main
struct GatewayBenchmarks {
    static func main() async {
        do {
            try await measure()
        } catch {
            FileHandle.standardError.write(Data("GatewayBenchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == SandboxProcess.argument {
            try await SandboxProcess.run(latency: arguments.last.flatMap { Double($0) } ?? 0)
            return
        }
        if arguments.first == "check" {
            try await ChartAllocations.check()
            return
        }
        try await sessions()
        try await charts()
        let transport = try HTTPClient(userAgent: "gateway-benchmarks")
        try await with(SandboxProcess(latency: .milliseconds(4))) { sandbox in
            try await homeScreen(HomeScreen(sandbox, over: transport))
        }
        try await with(SandboxProcess(latency: .zero)) { sandbox in
            try await decoding(Decoding(sandbox, over: transport))
        }
        await transport.shutDown()
    }

    private static func with(
        _ sandbox: SandboxProcess, _ work: (SandboxProcess) async throws -> Void
    ) async throws {
        defer { sandbox.stop() }
        try await work(sandbox)
    }

    private static func sessions() async throws {
        let lookup = try await SessionLookup()
        // The first look is for a hash that the file has; all others find the token itself.
        try lookup.findAll()
        let seconds = try await median(of: 51) { try lookup.findAll() } / Double(SessionLookup.sessions)
        let bytes = lookup.residentBytes
        let isFast = seconds < 1e-6
        print(
            "\(SessionLookup.sessions) sessions: one is found in \(Int(seconds * 1e9)) ns "
                + "(aim: under 1000 ns)\(isFast ? "" : " MISSED"); the process grew "
                + "from \(bytes.before >> 20) to \(bytes.after >> 20) MB")
    }

    private static func charts() async throws {
        print("\nA chart of \(ChartWriting.candles) candles, read before: written at")
        let writing = try ChartWriting()
        for form in ChartWriting.forms {
            let bytes = try await writing.response(form.fields).count
            let seconds = try await median(of: 51) { _ = try await writing.response(form.fields) }
            let speed = Double(bytes) / seconds / 1e6
            print("  \(form.name): \(bytes) bytes, \(Int(speed)) MB/s")
        }
    }

    /// Requests one after another.
    private static func homeScreen(_ screen: HomeScreen) async throws {
        print("\nThe home screen over Alpaca's stand-in, which answers after 4 ms")
        for isCold in [true, false] {
            let runs = isCold ? 1_000 : 20_000
            _ = try await screen.ask(forgetting: isCold)
            var own: [Duration] = []
            var cost = try await screen.ask(forgetting: isCold)
            let start = processorTime()
            for _ in 0..<runs {
                cost = try await screen.ask(forgetting: isCold)
                own.append(cost.own)
            }
            let perSecond = Double(runs) / (processorTime() - start)
            own.sort()
            let (half, most) = (own[runs / 2], own[runs * 99 / 100])
            print(
                "  \(isCold ? "nothing at hand" : "all at hand"): \(cost.bytes) bytes, \(cost.calls) calls; "
                    + "own time p50 \(microseconds(half)), p99 \(microseconds(most)) µs; "
                    + "\(Int(perSecond)) requests a core-second")
        }
    }

    private static func decoding(_ decoding: Decoding) async throws {
        print("\nPayloads, decoded and mapped (a client's call less a bare one for the same bytes)")
        for payload in try await decoding.payloads() {
            let bytes = try await decoding.bytes(of: payload)
            // The first call may fetch a cookie or the like.
            try await payload.decode()
            let bare = try await median(of: 201) { _ = try await decoding.bytes(of: payload) }
            let whole = try await median(of: 201) { try await payload.decode() }
            let seconds = max(whole - bare, 0)
            print(
                "  \(payload.name): \(bytes) bytes, \(microseconds(.seconds(seconds))) µs, "
                    + "\(seconds > 0 ? Int(Double(bytes) / seconds / 1e6) : 0) MB/s")
        }
    }

    private static func microseconds(_ duration: Duration) -> String {
        String(Int((duration / .microseconds(1)).rounded()))
    }

    /// The median of some runs, in seconds of the processor's time.
    static func median(of runs: Int, _ work: () async throws -> Void) async rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<runs {
            let start = processorTime()
            try await work()
            times.append(processorTime() - start)
        }
        return times.sorted()[runs / 2]
    }

    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
