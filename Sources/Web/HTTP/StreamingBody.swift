package import NIOCore

/// Produces the body of a response while it is sent, in a task of its own.
///
/// The task is cancelled when the client disconnects, when the server drains (unless the body ends by
/// itself), and when no part was produced within `ServerLimits.streamTimeout`. Returning completes the body,
/// also after cancellation: a draining server still sends the parts that were written before, up to its
/// limit. Throwing closes the connection, so that the client does not take a part as complete.
package struct StreamingBody: Sendable {
    let produce: @Sendable (BodyWriter) async throws -> Void
    /// Whether it is finished when the server drains, as any other response is.
    let endsByItself: Bool
    /// Whether it is the response of a mutation, which is always sent.
    let isMutation: Bool

    package init(
        endsByItself: Bool = false, isMutation: Bool = false,
        _ produce: @escaping @Sendable (BodyWriter) async throws -> Void
    ) {
        self.produce = produce
        self.endsByItself = endsByItself
        self.isMutation = isMutation
    }
}

/// Where a streamed body is written to.
package struct BodyWriter: Sendable {
    private let send: @Sendable (ByteBuffer) async throws -> Void

    init(_ send: @escaping @Sendable (ByteBuffer) async throws -> Void) {
        self.send = send
    }

    /// Sends a part at once, and returns when the client is ready for the next one.
    ///
    /// A producer that holds only its latest value meanwhile has neither a queue nor a slow client's backlog.
    ///
    /// - Throws: `CancellationError` where the client has gone; nothing that is written reaches it any more.
    package func write(_ part: ByteBuffer) async throws {
        try await send(part)
    }
}
