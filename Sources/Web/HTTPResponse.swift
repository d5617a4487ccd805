package import NIOHTTP1

/// An answer, before it is bytes.
package struct HTTPResponse: Sendable {
    package var status: HTTPResponseStatus
    package var contentType: StaticString
    package var body: [UInt8]
    /// What stands beside the fields that every response has.
    package var headers: [Header] = []
    /// Whether the connection is closed after it, whatever the client wishes.
    package var endsConnection = false

    /// A header field; its name is in lower case.
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
        self.body = body
    }
}
