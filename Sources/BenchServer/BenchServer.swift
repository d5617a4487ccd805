import Foundation
import GraphQL
import Logging
import ServiceLifecycle
import UnixSignals
import Web
import Workload

/// The benchmark's workload behind the front door, for harnesses that measure over sockets: it listens on 127.0.0.1
/// at `$PORT`, a free port without one, and prints its address.
@main
struct BenchServer {
    static func main() async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .warning
        let workload = Workload()
        let schema = try workload.schema()
        let store = try workload.store()
        let service = GraphQLService<Void>(
            schemaText: try workload.text("schema.graphql"), session: { _ in .success(()) },
            respond: { request, front in
                schema.respond(to: request, context: store, allowing: front.allowedOperations)
            })
        let port = ProcessInfo.processInfo.environment["PORT"].flatMap { Int($0) } ?? 0
        let server = try await Server.start(
            ServerConfiguration(host: "127.0.0.1", port: port), service: service, logger: logger)
        print("http://127.0.0.1:\(server.port)/graphql")
        fflush(nil)
        try await ServiceGroup(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        ).run()
    }
}
