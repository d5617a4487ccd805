import Foundation
import PorticoApp
import Sandbox
import ServiceLifecycle
import TestSupport
import Testing

@Suite("The order of services")
struct ServiceGraphTests {
    private struct TestService: Service {
        func run() async throws {}
    }

    /// The names of services in the order of their start, each of which is given with those that it needs.
    private func order(
        _ services: KeyValuePairs<String, [String]>, without missing: Set<String> = []
    ) throws(ServiceGraphError) -> [String] {
        var graph = ServiceGraph()
        for (name, needs) in services {
            graph.add(name, missing.contains(name) ? nil : TestService(), needs: needs)
        }
        return try graph.ordered().map(\.serviceName)
    }

    @Test("is that in which they were added, except that those that a service needs start before it")
    func order() throws {
        #expect(try order(["b": [], "a": [], "c": []]) == ["b", "a", "c"])
        #expect(
            try order(["server": ["orders", "alerts"], "alerts": [], "orders": ["calls"], "calls": []])
                == ["calls", "orders", "alerts", "server"])
        #expect(try order(["a": ["c"], "b": [], "c": ["b"]]) == ["b", "c", "a"])
    }

    @Test("is the same without a service that the settings do not have")
    func missing() throws {
        #expect(try order(["a": ["b"], "b": ["c"], "c": []], without: ["b"]) == ["c", "a"])
    }

    @Test(
        "does not exist if services need each other, or one that was not added",
        arguments: [
            (["a": ["b"], "b": ["c"], "c": ["b"]], "Services need each other: b needs c needs b."),
            (["a": ["a"]], "Services need each other: a needs a."),
            (["a": [], "b": ["d"]], "The service b needs d, which is not a service."),
        ] as [(KeyValuePairs<String, [String]>, String)])
    func failures(_ services: KeyValuePairs<String, [String]>, _ message: String) throws {
        let error = try #require(throws: ServiceGraphError.self) { try order(services) }
        #expect("\(error)" == message)
    }

    // MARK: The program

    /// Runs a server, and expects its services in the order of their start, and that they stop in the reverse order.
    private func expect(
        _ names: [String], of environment: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let environment = environment.merging(["PORTICO_LOG_LEVEL": "debug"]) { $1 }
        let program = try await withServer(environment: environment) { $0.program }
        let log = await program.errors.whole()
        let started = log.matches(of: /sl-service=(.*) \[ServiceLifecycle\] Starting service\n/)
        #expect(started.map { String($0.1) } == names, sourceLocation: sourceLocation)
        let stopped = log.matches(
            of: /sl-service=(.*) \[ServiceLifecycle\] Triggering graceful shutdown for service\n/)
        // The service of the signals has ended before.
        #expect(stopped.map { String($0.1) } == names.dropLast().reversed(), sourceLocation: sourceLocation)
    }

    @Test("of one process with files and the sandbox")
    func singleProcess() async throws {
        try await withFolder { folder in
            try await expect(
                [
                    "Sandbox", "Data stores", "Transport", "Sessions", "Connections", "Orders",
                    "Followed orders", "Alerts", "Cache reports", "HTTP server", "Startup message", "Signals",
                ], of: ["PORTICO_DATA": folder.path])
        }
    }

    @Test("of a replica with PostgreSQL, Redis and an admin port")
    func replica() async throws {
        let redis = try RedisServer()
        try await withSandbox { sandbox in
            try await withFolder { folder in
                var environment = try Replicas.environment(sandbox, redis, folder)
                environment["PORTICO_ADMIN_PORT"] = "0"
                try await expect(
                    [
                        "Redis", "Database lock", "Data stores", "Replica", "Transport", "Sessions",
                        "Client limits", "Connections", "Orders", "Followed orders", "Alerts",
                        "Cache reports",
                        "Admin port", "HTTP server", "Startup message", "Signals",
                    ], of: environment)
            }
        }
    }
}
