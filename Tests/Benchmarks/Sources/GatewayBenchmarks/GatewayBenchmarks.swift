import Foundation
import Upstream

/// Measures what lies between the engine and the providers: `GatewayBenchmarks`, or with names only these parts;
/// `GatewayBenchmarks check` fails where a chart allocates for its candles, and where a user's own values need more
/// allocations than their budget.
@main
struct GatewayBenchmarks {
    /// A part, by the name with which it is measured alone.
    private enum Part: String, CaseIterable {
        case sessions, charts, activities, home
        case firstPayload = "first-payload"
        case decoding
        /// The part of `decoding` that compares provider files with the compiled provider.
        case files
    }

    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("GatewayBenchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case SandboxProcess.argument:
            try await SandboxProcess.run(latencies: arguments.dropFirst().compactMap { Double($0) })
        case "check":
            try await ChartAllocations.check()
            try await PrivateAllocations.check()
        default:
            let transport = try HTTPClient(userAgent: "gateway-benchmarks")
            for name in arguments.isEmpty ? Part.allCases.map(\.rawValue) : Array(arguments) {
                guard let part = Part(rawValue: name) else {
                    let names = Part.allCases.map(\.rawValue).joined(separator: ", ")
                    throw BenchmarkError("There is no part \(name): \(names)")
                }
                try await measure(part, over: transport)
            }
            await transport.shutDown()
        }
    }

    private static func measure(_ part: Part, over transport: HTTPClient) async throws {
        switch part {
        case .sessions: try await sessions()
        case .charts: try await charts()
        case .activities: try await activities()
        case .home:
            try await with(SandboxProcess(latency: .milliseconds(4))) { sandbox in
                try await homeScreen(HomeScreen(SandboxGateway(sandbox, over: transport)))
            }
        case .firstPayload:
            let (broker, source) = FirstPayload.latencies
            try await with(SandboxProcess(latency: broker, polygon: source)) { sandbox in
                let gateway = try SandboxGateway(sandbox, over: transport, hasCompanyData: true)
                try await firstPayload(FirstPayload(gateway))
            }
        case .decoding, .files:
            try await with(SandboxProcess(latency: .zero)) { sandbox in
                let decoding = Decoding(sandbox, over: transport)
                if part == .decoding { try await measure(decoding) } else { try await compare(decoding) }
            }
        }
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

    private static func activities() async throws {
        print("\n\(ActivityListing.activities) stored activities: listed page by page at")
        var listing = try await ActivityListing()
        var first: [Double] = []
        for _ in 0..<11 {
            try listing.restart()
            let start = ContinuousClock.now
            let bytes = try await listing.list(.nodes)
            first.append(Double(bytes) / ((ContinuousClock.now - start) / .seconds(1)))
        }
        print("  nodes for the first time: \(Int(first.sorted()[first.count / 2] / 1e6)) MB/s")
        for form in ActivityListing.Form.allCases {
            let bytes = try await listing.list(form)
            let seconds = try await median(of: 21) { _ = try await listing.list(form) }
            let speed = Double(bytes) / seconds
            let isFast = form != .nodes || speed >= ActivityListing.aim
            print(
                "  \(form.rawValue): \(bytes) bytes, \(Int(speed / 1e6)) MB/s"
                    + (form == .nodes ? " (aim: at least \(Int(ActivityListing.aim / 1e6)))" : "")
                    + (isFast ? "" : " MISSED"))
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

    /// Requests one after another.
    private static func firstPayload(_ benchmark: FirstPayload) async throws {
        let (broker, source) = FirstPayload.latencies
        print(
            "\nThe first payload, with a broker that answers after \(broker) and a deferred source after \(source)"
        )
        // The first requests plan the operation and open the connections.
        for _ in 0..<3 { _ = try await benchmark.measure() }
        var times: [FirstPayload.Times] = []
        for _ in 0..<51 { times.append(try await benchmark.measure()) }
        let first = times.map(\.first).sorted()
        let last = times.map(\.last).sorted()
        let middle = times.count / 2
        let isFast = first[middle] <= FirstPayload.aim
        print(
            "  first p50 \(microseconds(first[middle])) µs (aim: at most \(microseconds(FirstPayload.aim)))"
                + "\(isFast ? "" : " MISSED"), p90 \(microseconds(first[times.count * 9 / 10])) µs; "
                + "last p50 \(microseconds(last[middle])) µs")
    }

    private static func measure(_ decoding: Decoding) async throws {
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

    /// Compiled provider and provider file alternate, in several rounds; the median of the rounds' ratios counts.
    private static func compare(_ decoding: Decoding) async throws {
        print("\nProvider files: decoding speed, as a part of that of the compiled provider")
        for payload in try await decoding.payloads() {
            guard let decodeByFile = payload.decodeByFile else { continue }
            let bytes = try await decoding.bytes(of: payload)
            var ratios: [Double] = []
            for _ in 0..<5 {
                let bare = try await median(of: 101) { _ = try await decoding.bytes(of: payload) }
                let compiled = try await median(of: 101) { try await payload.decode() } - bare
                let file = try await median(of: 101) { try await decodeByFile() } - bare
                // A difference below the noise of the bare call says nothing.
                if compiled > 0, file > 0 { ratios.append(compiled / file) }
            }
            guard ratios.count > 2 else {
                print("  \(payload.name): \(bytes) bytes, too fast to be measured")
                continue
            }
            let ratio = ratios.sorted()[ratios.count / 2]
            let isFast = ratio >= Decoding.aimOfFiles
            print(
                "  \(payload.name): \(bytes) bytes, \(Double(Int(ratio * 100)) / 100) "
                    + "(aim: at least \(Decoding.aimOfFiles))\(isFast ? "" : " MISSED")")
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
