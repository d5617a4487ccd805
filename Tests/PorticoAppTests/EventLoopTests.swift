import Foundation
import Testing

@Suite("The event loops of the executable")
struct EventLoopTests {
    private static let taskset = "/usr/bin/taskset"

    @Test(
        "are one if the affinity of the process allows one CPU",
        .enabled(if: FileManager.default.isExecutableFile(atPath: taskset)))
    func affinity() async throws {
        let allowed = try ProcessGauge(getpid()).allowedCPU()
        let cpu = try #require(allowed)
        let serve = [Program.executable, "serve", "--port", "0"]
        try await withProgram(at: Self.taskset, ["--cpu-list", "\(cpu)"] + serve) { program, _ in
            let count = try Self.eventLoops(of: program)
            #expect(count == 1)
        }
        try await withProgram(
            at: Self.taskset, ["--cpu-list", "\(cpu)"] + serve,
            environment: ["NIO_SINGLETON_GROUP_LOOP_COUNT": "3"]
        ) { program, _ in
            let count = try Self.eventLoops(of: program)
            #expect(count == 3, "the variable has precedence")
        }
    }

    /// Returns the number of a program's event loops, by the names that NIO gives their threads.
    private static func eventLoops(of program: Program) throws -> Int {
        try ProcessGauge(program.processID).threadNames().count { $0.hasPrefix("NIO-SGLTN-") }
    }
}
