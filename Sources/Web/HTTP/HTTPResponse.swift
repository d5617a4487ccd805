package import NIOCore
package import NIOHTTP1

/// An answer, before it is bytes.
package struct HTTPResponse: Sendable {
    package var status: HTTPResponseStatus
    /// Nil where there is nothing that could have a type.
    package var contentType: StaticString?
    package var body: Body
    /// What stands beside the fields that every response has.
    package var headers: [Header] = []
    /// What it answers, for logs and metrics.
    package var operation: OperationSummary?
    /// What is known of the body before it is asked for, so that it is not made anew each time.
    var prepared: Prepared?
    /// Whether the connection is closed after it, whatever the client wishes.
    package var endsConnection = false

    /// What a body that stays the same is named by, and its form in gzip where it has one.
    struct Prepared: Sendable {
        let tag: EntityTag
        let gzip: [UInt8]?
    }

    /// What follows a response's head.
    package enum Body: Sendable {
        /// All of it at once.
        case complete([UInt8])
        /// Parts, as they come.
        case streamed(StreamingBody)
        /// Another protocol: the response is `101 Switching Protocols`.
        case upgrade(ProtocolUpgrade)

        /// How long it is, where that is known beforehand.
        var count: Int? {
            switch self {
            case .complete(let bytes): bytes.count
            case .streamed, .upgrade: nil
            }
        }
    }

    /// A header field; its name is in lower case, as HTTP/2 wants it, but for those of a handshake.
    package struct Header: Sendable {
        package let name: StaticString
        package let value: String

        /// The value has no line breaks: all values are made in this module, none of what a client has sent.
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

    /// The consent to a client that asks for another protocol (RFC 9110, section 15.2.2).
    ///
    /// The fields name the protocol, as `upgrade`; that the connection is upgraded is said beside them.
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

/// Takes a connection over for another protocol, after the `101` that says so.
package struct ProtocolUpgrade: Sendable {
    let addHandlers: @Sendable (any Channel) throws -> Void

    /// - Parameter takeOver: called on the connection's event loop, once the response is written: adds the handlers
    ///   of the new protocol to the end of the pipeline, synchronously, and throws where it cannot. All handlers of
    ///   HTTP leave then. What the client has already sent behind its request reaches the new handlers as
    ///   `ByteBuffer`s, before anything that comes later. They are told of a draining server by a `DrainEvent`, and
    ///   must close the channel in good order then; it is closed for them when the bound for draining is over. The
    ///   connection goes on counting among those of the server.
    package init(_ takeOver: @escaping @Sendable (any Channel) throws -> Void) {
        self.addHandlers = takeOver
    }
}
