package import NIOCore
package import NIOHTTP1

/// A response before it is encoded.
package struct HTTPResponse: Sendable {
    package var status: HTTPResponseStatus
    /// Nil without a body.
    package var contentType: StaticString?
    package var body: Body
    /// Headers in addition to those of every response.
    package var headers: [Header] = []
    /// The operation of the response, for logs and metrics.
    package var operation: OperationSummary?
    /// Properties of a constant body, which are computed once.
    var prepared: Prepared?
    /// Whether the connection is closed after the response.
    package var endsConnection = false

    /// The entity tag of a constant body, and its gzip form if it has one.
    struct Prepared: Sendable {
        let tag: EntityTag
        let gzip: [UInt8]?
    }

    /// The part of a response after its head.
    package enum Body: Sendable {
        /// All of it at once.
        case complete([UInt8])
        /// Parts, as they come.
        case streamed(StreamingBody)
        /// Another protocol: the response is `101 Switching Protocols`.
        case upgrade(ProtocolUpgrade)

        /// The length of the body, if it is known in advance.
        var count: Int? {
            switch self {
            case .complete(let bytes): bytes.count
            case .streamed, .upgrade: nil
            }
        }
    }

    /// A header field; its name is in lower case, as HTTP/2 requires, except in a handshake.
    package struct Header: Sendable {
        package let name: StaticString
        package let value: String

        /// The value has no line breaks: all values are made in this module, none is text from a client.
        package init(_ name: StaticString, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(_ status: HTTPResponseStatus, _ contentType: StaticString, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = .complete(body)
    }

    /// A response without content.
    package init(_ status: HTTPResponseStatus) {
        self.status = status
        contentType = nil
        body = .complete([])
    }

    /// A response whose body is made while it is sent.
    package init(_ status: HTTPResponseStatus, _ contentType: StaticString, streaming body: StreamingBody) {
        self.status = status
        self.contentType = contentType
        self.body = .streamed(body)
    }

    /// Accepts a request for another protocol (RFC 9110, section 15.2.2).
    ///
    /// The headers name the protocol (`upgrade`); the connection header is added.
    package init(switchingTo handover: ProtocolUpgrade, headers: [Header]) {
        status = .switchingProtocols
        contentType = nil
        body = .upgrade(handover)
        self.headers = headers
    }
}

/// Produces the body of a response while it is sent, in a task of its own.
///
/// The task is cancelled when the client disconnects, when the server drains (unless the body ends by
/// itself), and when no part was produced within `ServerLimits.streamTimeout`. Returning completes the body,
/// also after cancellation: a draining server still sends the parts that were written before, up to its
/// limit. Throwing closes the connection, so that the client does not take a part as complete.
package struct StreamingBody: Sendable {
    package let produce: @Sendable (BodyWriter) async throws -> Void
    /// Whether it is finished when the server drains, as any other response is.
    let endsByItself: Bool

    package init(
        endsByItself: Bool = false, _ produce: @escaping @Sendable (BodyWriter) async throws -> Void
    ) {
        self.produce = produce
        self.endsByItself = endsByItself
    }
}

/// The destination of a streamed body.
package struct BodyWriter: Sendable {
    private let send: @Sendable (_ part: ByteBuffer, _ isMutation: Bool) async throws -> Void

    package init(_ send: @escaping @Sendable (_ part: ByteBuffer, _ isMutation: Bool) async throws -> Void) {
        self.send = send
    }

    /// Sends a part, and returns when the client is ready for the next one.
    ///
    /// A producer that stores only its latest value meanwhile needs no queue.
    ///
    /// - Parameters:
    ///   - part: The part. One of at most 4 KiB always has memory.
    ///   - isMutation: Whether it is a response of a mutation, for which a part of the memory is reserved.
    /// - Throws: `CancellationError` if the client has disconnected; `HTTPError.overloaded` if the responses that wait for their
    ///   clients take too much memory, and the part is not sent.
    package func write(_ part: ByteBuffer, isMutation: Bool = false) async throws {
        try await send(part, isMutation)
    }
}

/// Takes a connection over for another protocol, after the response 101.
package struct ProtocolUpgrade: Sendable {
    let addHandlers: @Sendable (any Channel) throws -> Void

    /// - Parameter takeOver: Called on the connection's event loop after the response was written: adds the
    ///   handlers of the new protocol to the end of the pipeline, synchronously, or throws. All HTTP
    ///   handlers are removed then. The bytes that the client has sent after its request reach the new
    ///   handlers as `ByteBuffer`s, before later bytes. A draining server sends them a `DrainEvent`, after
    ///   which they must close the channel; it is closed for them at the end of the grace period. The
    ///   connection still counts among those of the server.
    package init(_ takeOver: @escaping @Sendable (any Channel) throws -> Void) {
        self.addHandlers = takeOver
    }
}
