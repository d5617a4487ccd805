import NIOCore

/// The handlers of a connection that speaks HTTP/1.1.
enum HTTP1Pipeline {
    static func addHandlers(to channel: any Channel, _ server: ServerState) throws {
        let connection = HTTPConnectionHandler(server, encoding: .http1)
        try channel.pipeline.syncOperations.addHandlers([
            HTTP1Codec(connection, limits: server.limits), connection,
        ])
    }
}
