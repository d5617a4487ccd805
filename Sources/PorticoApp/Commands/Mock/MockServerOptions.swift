import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import Web

/// The options of the server of `portico mock` and `portico mock record`.
struct MockServerOptions: ParsableArguments {
    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 chooses a free port and prints it.")
    var port: UInt16 = 4000

    /// Serves to pages of all sites until a signal; prints the message for the URL of the endpoint at the start.
    ///
    /// - Throws: `UsageError` for an invalid item of `hosts`, and `ServerStartError`.
    func serve(
        _ service: GraphQLService, log label: String, hosts: String? = nil, reportsUpstream: Bool = true,
        until signals: [UnixSignal] = [.sigterm, .sigint], message: (_ url: String) -> String
    ) async throws {
        let logger = Logger(label: label, factory: { StreamLogHandler.standardError(label: $0) })
        var configuration = ServerConfiguration(host: host, port: Int(port))
        configuration.cors.origins = .any
        configuration.cors.allowedHeaders = nil
        configuration.allowsUpstreamReports = reportsUpstream
        configuration.limits.batch = 10
        configuration.hosts = try HostPolicy(
            (hosts ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) },
            named: "--hosts", listeningOn: host)
        let server = try await HTTPServer.start(configuration, service: service, logger: logger)
        let greeting = StartupMessageService(text: message("\(server.origin)/graphql"))
        let group = ServiceGroup(
            services: [server, greeting], gracefulShutdownSignals: signals, logger: logger)
        try await group.run()
    }
}
