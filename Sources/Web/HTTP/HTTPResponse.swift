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
        case whole([UInt8])
        /// Parts, as they come.
        case streamed(StreamingBody)
        /// Another protocol: the response is `101 Switching Protocols`.
        case handover(ProtocolUpgrade)

        /// How long it is, where that is known beforehand.
        var count: Int? {
            switch self {
            case .whole(let bytes): bytes.count
            case .streamed, .handover: nil
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
        self.body = .whole(body)
    }

    /// A response without content.
    package init(_ status: HTTPResponseStatus) {
        self.status = status
        contentType = nil
        body = .whole([])
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
        body = .handover(handover)
        self.headers = headers
    }
}
