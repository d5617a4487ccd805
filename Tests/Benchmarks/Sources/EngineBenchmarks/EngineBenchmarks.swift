import Foundation

/// Measures the query engine alone on the workload; `Scripts/bench.sh` builds and runs it.
@main
struct EngineBenchmarks {
    static let usage = """
        usage: EngineBenchmarks time [PEER …]     medians in microseconds; PEER is a command that measures graphql-js
               EngineBenchmarks allocations       allocations an operation, counted by the preloaded malloc hook
               EngineBenchmarks check             fails where these are more than thresholds.json allows
               EngineBenchmarks record            writes thresholds.json anew
               EngineBenchmarks repeat w2 cached  one step of one operation until it is stopped, for a profiler
        """

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case "time": try TimeReport.print(peer: Array(arguments.dropFirst()))
            case "allocations": try AllocationReport.print()
            case "check": try AllocationReport.check()
            case "record": try AllocationReport.record()
            case "repeat": try repeatForever(Array(arguments.dropFirst()))
            default: stop(usage, status: 2)
            }
        } catch {
            stop("\(error)", status: 1)
        }
    }

    private static func repeatForever(_ arguments: [String]) throws {
        guard arguments.count == 2, let step = Operation.Step(rawValue: arguments[1]),
            let operation = try Operation.all().first(where: { $0.name == arguments[0] })
        else { throw BenchmarkError(usage) }
        let measured = try operation.measured(step)
        while true { try measured() }
    }

    private static func stop(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}

/// What ends a measurement: a wrong answer, a missing hook.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
