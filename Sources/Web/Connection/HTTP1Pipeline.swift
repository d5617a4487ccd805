import NIOCore
import NIOHTTP1

/// The handlers of a connection that speaks HTTP/1.1.
enum HTTP1Pipeline {
    /// The codec is NIO's; another one takes its place by firing the same parts.
    static func addHandlers(to channel: any Channel, _ server: ServerState) throws {
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .forwardBytes, limitConfiguration: server.limits.decoderLimits)
        let connection = ConnectionHandler(server, encoding: .http1)
        try channel.pipeline.syncOperations.addHandlers([
            ArrivalGate(connection), ByteToMessageHandler(decoder), connection,
        ])
    }
}

extension ServerLimits {
    /// The bounds of the codec: it counts the target among the fields, and holds one of them at a time.
    fileprivate var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderListSize = uri + headers
        decoder.maxHeaderFieldSize = uri + headers
        decoder.maxHeaderFieldCount = headerFields
        return decoder
    }
}
