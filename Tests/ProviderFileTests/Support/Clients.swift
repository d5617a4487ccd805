import Brokerage
import Foundation
import PorticoCore
import ProviderFile
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

/// A file of the repository.
func repositoryText(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
}

/// The first provider of a file.
func provider(_ text: String) throws -> ProviderDescription {
    try #require(try ProviderFile(text, file: "providers.yaml").providers.first)
}

/// Runs `body` with a sandbox whose clock stands still, and a channel of each provider.
func withSandbox(
    at moment: String, _ change: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (Sandbox, (ProviderID) -> ProviderChannel) async throws -> Void
) async throws {
    let clock = ManualClock(try #require(Instant(moment)))
    var configuration = SandboxConfiguration(seed: 7, clock: clock.clock)
    change(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    let system = TimeSource.system
    let time = TimeSource(now: system.now, wallTime: { clock.now }, sleep: system.sleep)
    let result = await Result.of {
        try await HTTPClient.with(userAgent: "portico-tests") { transport in
            try await body(sandbox) {
                ProviderChannel(QuotaAccount($0), over: transport, clock: time, retry: .once)
            }
        }
    }
    await sandbox.stop()
    try result.get()
}

/// Runs `body` with the client of a file, and a server that gives the answers written down.
func withFileClient(
    _ text: String, key: String? = nil, retry: RetryPolicy = .once,
    answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
    _ body: (FileProviderClient, CannedServer) async throws -> Void
) async throws {
    let provider = try provider(text)
    try await CannedServer.run(answering: answer) { server, transport in
        let channel = ProviderChannel(
            QuotaAccount(provider.id), over: transport,
            clock: .showing(Instant(nanosecondsSince1970: 1_795_262_400_000_000_000)), retry: retry)
        let base = try ProviderBaseURL(#require(HTTPURL(server.url + "/api")))
        let client = try FileProviderClient(
            provider, base: base, key: key.map { try APIKey($0) }, over: channel)
        try await body(client, server)
    }
}
