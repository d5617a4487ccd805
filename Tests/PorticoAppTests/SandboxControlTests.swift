import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("portico sandbox controls a running sandbox:")
struct SandboxControlTests {
    private func run(
        _ arguments: [String], _ sandbox: Sandbox
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await Program.run(["sandbox"] + arguments + ["--url", "http://\(sandbox.address)"])
    }

    @Test("faults, calls, the market and streams")
    func commands() async throws {
        let sandbox = try await Sandbox.start(SandboxConfiguration())
        do {
            let added = try await run(
                ["fault", "status", "--status", "503", "--provider", "alpaca", "--remaining", "2"], sandbox)
            #expect(added.status == 0, "\(added.errors)")
            let fault = try JSONValue(parsing: added.output)
            #expect(fault["effect"]?.string == "status")
            #expect(fault["provider"]?.string == "alpaca")
            #expect(fault["remaining"]?.number == 2)
            #expect(sandbox.faults.faults.count == 1)
            #expect(try await run(["fault", "--list"], sandbox).output.contains("\"status\":503"))
            #expect(try await run(["fault", "--clear"], sandbox).status == 0)
            #expect(sandbox.faults.faults.isEmpty)
            let market = try await run(["market", "--hours", "closed", "--unpriced", "AAPL"], sandbox)
            #expect(try JSONValue(parsing: market.output)["hours"]?.string == "closed")
            #expect(try await run(["calls"], sandbox).output.contains("\"calls\""))
            #expect(try await run(["calls", "--endpoints"], sandbox).output.contains("GET /v2/account"))
            #expect(
                try await run(["disconnect", "--provider", "alpaca"], sandbox).output.contains(
                    "\"streams\":0"))
            #expect(try await run(["reset"], sandbox).status == 0)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    @Test("a rejected request is reported with its reason")
    func rejected() async throws {
        let sandbox = try await Sandbox.start(SandboxConfiguration())
        let unknown = try await run(["fault", "explode"], sandbox)
        await sandbox.stop()
        #expect(unknown.status == 2)
        #expect(
            unknown.errors.contains(
                "The sandbox rejects the request: \"effect\" must be one of latency"),
            "\(unknown.errors)")
    }

    @Test(
        "wrong usage is rejected",
        arguments: [
            (["fault"], "Give an effect, such as hang, or --list, or --clear."),
            (["fault", "hang", "--clear"], "Give an effect, such as hang, or --list, or --clear."),
            (["calls", "--url", "http://127.0.0.1:1"], "No sandbox responds at http://127.0.0.1:1"),
            (["calls", "--url", "nowhere"], "\"nowhere\" is not an address like http://127.0.0.1:9000"),
        ])
    func usage(_ arguments: [String], _ message: String) async throws {
        let run = try await Program.run(["sandbox"] + arguments)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}
