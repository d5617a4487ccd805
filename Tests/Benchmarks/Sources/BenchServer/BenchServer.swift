import Foundation
import GraphQL
import Logging
import ServiceLifecycle
import UnixSignals
import Web
import Workload

/// The benchmark's workload behind the front door, for harnesses that measure over sockets: it listens on 127.0.0.1
/// at `$PORT`, a free port without one, and prints its address.
///
/// `BenchServer bare` sends the same answers without looking at the questions: no server on the same codec is faster.
/// `BenchServer framed` sends them without any codec: no server on the same channels is faster.
@main
struct BenchServer {
    static func main() async throws {
        let port = ProcessInfo.processInfo.environment["PORT"].flatMap { Int($0) } ?? 0
        switch CommandLine.arguments.dropFirst().first {
        case "bare": try await runBare(port: port)
        case "framed": try await runFramed(port: port)
        case .some, nil: try await run(port: port)
        }
    }

    private static func run(port: Int) async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .warning
        AvailableCPUs.limitEventLoops()
        let workload = Workload()
        let schema = try workload.schema()
        let store = try workload.store()
        let session = WorkloadSession(schema, store)
        var service = GraphQLService(
            schemaText: try workload.text("schema.graphql"), session: { _ in session })
        service.prepare = schema.prepare
        let server = try await HTTPServer.start(
            ServerConfiguration(host: "127.0.0.1", port: port), service: service, logger: logger)
        announce(port: server.port)
        try await ServiceGroup(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        ).run()
    }

    private static func runBare(port: Int) async throws {
        let server = try await BareServer.start(port: port, answers: try await answers())
        announce(port: server.port ?? port)
        // Until it is killed.
        try await server.run()
    }

    private static func runFramed(port: Int) async throws {
        let server = try await FramedServer.start(port: port, answers: try await answers())
        announce(port: server.port ?? port)
        // Until it is killed.
        try await server.run()
    }

    /// The engine's answers to the operations of the workload, by the lengths of the files that are posted.
    private static func answers() async throws -> [Int: [UInt8]] {
        let workload = Workload()
        let schema = try workload.schema()
        let store = try workload.store()
        var answers: [Int: [UInt8]] = [:]
        for name in ["w1", "w2", "w3", "w4"] {
            let body = Array(try workload.text("\(name).json").utf8)
            let request = try GraphQLRequest(json: body)
            answers[body.count] = try await schema.respond(to: request, context: store).value().body
        }
        return answers
    }

    private static func announce(port: Int) {
        print("http://127.0.0.1:\(port)/graphql")
        fflush(nil)
    }
}

/// The session of all requests to the benchmark's workload.
private final class WorkloadSession: GraphQLSession {
    private let schema: ExecutableSchema<WorkloadStore>
    private let store: WorkloadStore

    init(_ schema: ExecutableSchema<WorkloadStore>, _ store: WorkloadStore) {
        (self.schema, self.store) = (schema, store)
    }

    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse> {
        schema.respond(to: request, context: store, allowing: context.allowedOperations)
    }
}
