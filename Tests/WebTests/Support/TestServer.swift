import Logging
import NIOCore
import PorticoCore
import TestSupport
import Web

/// A server on a free port, for the duration of a test.
struct TestServer: Sendable {
    let server: HTTPServer
    /// Ends when the server has stopped.
    let running: Task<Void, any Error>

    var port: Int { server.port }

    func client() throws -> RawClient { try RawClient(port: port) }

    /// Starts the shutdown, as SIGTERM does.
    func stop() { running.cancel() }

    /// Sends bytes on a new connection, and reads one response.
    func ask(_ text: String, toHead: Bool = false) async throws -> RawResponse {
        let client = try client()
        defer { client.close() }
        try await client.send(text)
        return try await client.response(toHead: toHead)
    }
}

/// Runs a server around a test, and waits until it has stopped.
func withServer<Value>(
    _ service: TestGraphQLService = TestService.make(), limits: ServerLimits = .patient,
    routes: [String: any Route] = [:], logger: Logger = .silent,
    _ test: (TestServer) async throws -> Value
) async throws -> Value {
    let configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: limits)
    return try await withServer(configuration, service, routes: routes, logger: logger, test)
}

/// Runs a server of a configuration around a test, and waits until it has stopped.
func withServer<Value>(
    _ configuration: ServerConfiguration, _ service: TestGraphQLService = TestService.make(),
    routes: [String: any Route] = [:], logger: Logger = .silent,
    _ test: (TestServer) async throws -> Value
) async throws -> Value {
    let server = try await HTTPServer.start(
        configuration, service: service.service, routes: routes, logger: logger)
    let running = Task { try await server.run() }
    let result = await Result.of { try await test(TestServer(server: server, running: running)) }
    running.cancel()
    _ = await running.result
    return try result.get()
}

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension RawClient {
    func asking(_ text: String) async throws -> RawResponse {
        try await send(text)
        return try await response()
    }
}

extension ServerLimits {
    /// Long timeouts, for a client on a busy machine.
    static var patient: ServerLimits {
        var limits = ServerLimits()
        limits.headTimeout = .seconds(60)
        limits.bodyTimeout = .seconds(60)
        limits.initialisationTimeout = .seconds(60)
        limits.keepalive = .seconds(600)
        return limits
    }
}
