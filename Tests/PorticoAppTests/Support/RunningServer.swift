import Foundation
import PorticoCore
import TestSupport
import Testing

/// `portico serve` on a free port, for as long as a test needs it.
struct RunningServer {
    let program: Program
    let port: Int

    /// The token of the sandbox's demo user, where the sandbox is embedded.
    static let sandboxToken = "sandbox"

    /// Asks a query, and waits so many seconds for the answer at most.
    func ask(
        _ query: String, token: String? = sandboxToken, patience: Int = RawClient.patience
    ) async throws -> RawResponse {
        try await send(RawRequest.post(RawRequest.query(query), fields: fields(token)), patience: patience)
    }

    /// The token of a session, from a mutation of the API that begins one; by default that of a new guest.
    func token(of mutation: String = "startGuestSession", token: String? = nil) async throws -> String {
        let answer = try await ask("mutation { it: \(mutation) { token } }", token: token)
        return try #require(answer.json?["data"]?["it"]?["token"]?.string, "\(answer.body)")
    }

    /// The id of the owner's default account.
    func accountID() async throws -> String {
        let answer = try await ask("{ account { id } }", token: ownerToken)
        return try #require(answer.json?["data"]?["account"]?["id"]?.string, "\(answer.body)")
    }

    func get(_ path: String, token: String? = nil) async throws -> RawResponse {
        try await send(RawRequest.get(path, fields: fields(token)))
    }

    /// Sends bytes on a connection of their own, and reads one response.
    func send(_ request: String, patience: Int = RawClient.patience) async throws -> RawResponse {
        let client = try RawClient(port: port, patience: patience)
        defer { client.close() }
        try await client.send(request)
        return try await client.response()
    }

    /// Sends SIGTERM to a server with a shutdown delay, and waits until the delay has begun.
    func beginShutdownDelay(sourceLocation: SourceLocation = #_sourceLocation) async {
        program.stop()
        let notice = await program.errors.first { $0.contains("The shutdown begins in ") ? true : nil }
        #expect(notice == true, "it wrote: \(program.errors.text)", sourceLocation: sourceLocation)
    }

    func fields(_ token: String?) -> [String] {
        token.map { ["Authorization: Bearer \($0)"] } ?? []
    }
}

/// Runs `portico serve` around a test; stops it with SIGTERM, after which its exit status must be 0.
func withServer<Value>(
    _ arguments: [String] = [], environment: [String: String] = [:],
    longestLife: DispatchTimeInterval = Program.longestLife,
    sourceLocation: SourceLocation = #_sourceLocation, _ test: (RunningServer) async throws -> Value
) async throws -> Value {
    try await withProgram(
        ["serve", "--port", "0"] + arguments, environment: environment, longestLife: longestLife,
        sourceLocation: sourceLocation
    ) { program, port in
        try await test(RunningServer(program: program, port: port))
    }
}

/// Runs `portico serve` around a test, and ends it by `kill -9`.
func withCrashingServer<Value>(
    environment: [String: String], sourceLocation: SourceLocation = #_sourceLocation,
    _ test: (RunningServer) async throws -> Value
) async throws -> Value {
    try await ProcessLimiter.take {
        let program = try Program(["serve", "--port", "0"], environment: environment)
        let result = await Result.of {
            try await test(RunningServer(program: program, port: program.port()))
        }
        program.crash()
        #expect(await program.exitStatus == 128 + 9, sourceLocation: sourceLocation)
        return try result.get()
    }
}

/// Runs a program that listens around a test; stops it with SIGTERM, after which its exit status must be 0.
func withProgram<Value>(
    at path: String? = nil, _ arguments: [String], environment: [String: String] = [:],
    longestLife: DispatchTimeInterval = Program.longestLife, exitStatus: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation, _ test: (Program, _ port: Int) async throws -> Value
) async throws -> Value {
    try await ProcessLimiter.take {
        let program = try Program(
            at: path, arguments, environment: environment, longestLife: longestLife)
        let result = await Result.of { try await test(program, program.port()) }
        program.stop()
        let status = await program.exitStatus
        #expect(
            status == exitStatus, "stopped by SIGTERM; it wrote: \(program.errors.text)",
            sourceLocation: sourceLocation)
        return try result.get()
    }
}

/// Runs a test with an empty folder, which is removed afterwards.
func withFolder<Value>(_ test: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await test(folder)
}
