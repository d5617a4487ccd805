package import NIOCore

/// Makes the body of a response while it is sent, in a task of its own.
///
/// The task is cancelled when the client goes away, when the server drains, unless the body ends by itself, and when no part
/// has come within `ServerLimits.streamTimeout`. Returning ends the body in good order, also after cancellation: a draining server
/// still sends what is written until then, within its bound. Throwing breaks the connection off, so that the client
/// does not take a part for the whole.
package struct BodyProducer: Sendable {
    let produce: @Sendable (BodyWriter) async throws -> Void
    /// Whether it is finished when the server drains, as any other answer is.
    let endsByItself: Bool

    package init(
        endsByItself: Bool = false, _ produce: @escaping @Sendable (BodyWriter) async throws -> Void
    ) {
        self.produce = produce
        self.endsByItself = endsByItself
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
