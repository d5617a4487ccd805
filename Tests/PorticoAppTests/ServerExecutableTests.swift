import Foundation
import TestSupport
import Testing

/// The executable of production, `portico-server`.
@Suite("The executable portico-server")
struct ServerExecutableTests {
    private static let path = Program.executable(named: "portico-server")

    @Test("has no symbol of the module Sandbox, unlike portico")
    func symbols() throws {
        let symbol = Data("$s7Sandbox".utf8)
        let portico = try Data(contentsOf: URL(filePath: Program.executable), options: .alwaysMapped)
        let server = try Data(contentsOf: URL(filePath: Self.path), options: .alwaysMapped)
        #expect(portico.range(of: symbol) != nil)
        #expect(server.range(of: symbol) == nil)
    }

    @Test(
        "rejects the sandbox with exit status 2 and a remedy",
        arguments: [
            (["serve", "--sandbox"], [:], "--sandbox (PORTICO_SANDBOX) needs the sandbox"),
            (["serve"], ["PORTICO_SANDBOX": "true"], "--sandbox (PORTICO_SANDBOX) needs the sandbox"),
            (
                ["serve"], ["PORTICO_SANDBOX_TIME": "2026-11-20T16:00:00Z"],
                "PORTICO_SANDBOX_TIME needs the sandbox"
            ),
        ])
    func sandbox(arguments: [String], environment: [String: String], message: String) async throws {
        let run = try await Program.run(at: Self.path, arguments, environment: environment)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.errors.contains("Run the executable portico"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("does not start without a provider, and names the settings of one")
    func noProvider() async throws {
        let run = try await Program.run(at: Self.path, ["serve"])
        #expect(run.status == 2)
        #expect(run.errors.contains("No provider is configured. Set PORTICO_ALPACA_KEY_ID"), "\(run.errors)")
    }

    @Test("has no command sandbox, and all other commands of portico")
    func commands() async throws {
        #expect(try await Program.run(at: Self.path, ["sandbox"]).status == 2)
        let help = try await Program.run(["--help"]).output
        let commands = help.matches(of: #/\n  ([a-z]+)  /#).map { String($0.1) }.filter { $0 != "portico" }
        #expect(commands.contains("sandbox") && commands.contains("serve"), "\(commands)")
        for command in commands where command != "sandbox" {
            let run = try await Program.run(at: Self.path, [command, "--help"])
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
    }
}
