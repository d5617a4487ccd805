import Foundation
import PorticoCore
import Sandbox
import TestSupport
import Testing

/// A provider that a server is pointed at, as one points it at Alpaca.
struct Upstream {
    var tradingURL: String
    var dataURL: String
    var credential: [String: String]

    init(
        tradingURL: String, dataURL: String,
        credential: [String: String] = ["PORTICO_ALPACA_TOKEN": RunningSandbox.token]
    ) {
        self.tradingURL = tradingURL
        self.dataURL = dataURL
        self.credential = credential
    }

    init(_ sandbox: RunningSandbox) {
        self.init(tradingURL: sandbox.tradingURL, dataURL: sandbox.dataURL)
    }

    init(_ sandbox: Sandbox) {
        self.init(tradingURL: sandbox.alpaca.tradingURL, dataURL: sandbox.alpaca.dataURL)
    }

    var environment: [String: String] {
        credential.merging(["PORTICO_ALPACA_BASE_URL": tradingURL, "PORTICO_ALPACA_DATA_URL": dataURL]) { $1 }
    }
}

extension Upstream {
    /// The settings of a server in front of the provider, with an owner, and with its data in a folder.
    func environment(in folder: URL, _ others: [String: String] = [:]) throws -> [String: String] {
        var settings = try environment.merging(ownerSetting(in: folder)) { $1 }
        settings["PORTICO_DATA"] = folder.path
        return settings.merging(others) { $1 }
    }
}

/// The token of the owner of a server's broker keys, in tests.
let ownerToken = "owner-token-of-the-tests"

/// Runs `portico serve` in front of a provider, with an owner.
func withServer<Value>(
    before upstream: Upstream, _ arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation,
    _ test: (RunningServer) async throws -> Value
) async throws -> Value {
    try await withOwnersServer(
        upstream.environment, arguments, sourceLocation: sourceLocation, test)
}

/// Runs `portico serve` with some variables and an owner.
func withOwnersServer<Value>(
    _ environment: [String: String], _ arguments: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation, _ test: (RunningServer) async throws -> Value
) async throws -> Value {
    try await withFolder { folder in
        try await withServer(
            arguments, environment: environment.merging(ownerSetting(in: folder)) { $1 },
            sourceLocation: sourceLocation, test)
    }
}

/// Writes the owner's token to a file of a folder.
///
/// - Returns: The setting with the path of the file.
func ownerSetting(in folder: URL) throws -> [String: String] {
    let file = folder.appending(path: "owner-token")
    try (ownerToken + "\n").write(to: file, atomically: true, encoding: .utf8)
    return ["PORTICO_OWNER_TOKEN_FILE": file.path]
}

/// Runs a sandbox within the tests, for those that tell it what to do.
func withSandbox<Value>(
    configured configure: (inout SandboxConfiguration) -> Void = { _ in },
    _ test: (Sandbox) async throws -> Value
) async throws -> Value {
    var configuration = SandboxConfiguration()
    configure(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    let result = await Result.of { try await test(sandbox) }
    await sandbox.stop()
    return try result.get()
}
