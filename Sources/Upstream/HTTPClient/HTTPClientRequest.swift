/// One call to a provider.
package struct HTTPClientRequest: Sendable {
    package var method: HTTPClientMethod
    package var url: HTTPURL
    package var headers: HTTPClientHeaders
    package var body: [UInt8]?
    /// The call has failed with ``HTTPClientError/timedOut`` if it is not over by then, waiting included.
    package var deadline: ContinuousClock.Instant
    /// Larger bodies fail with ``HTTPClientError/responseTooLarge``, counted after decompression, and after the filter.
    package var maximumResponseBytes: Int
    /// What is kept of the body while it is received; nil for all.
    ///
    /// It has its own limit of the bytes before it, with the same error.
    package var filter: JSONMemberFilter?
    /// Returns whether the request may still be sent; nil for no condition other than the deadline.
    ///
    /// The client calls it immediately before libcurl writes the first byte, on the thread that handles all
    /// calls: it must be fast and must not wait. If it returns false, nothing is sent and the call fails
    /// with ``HTTPClientError/notSent``. A request with such a condition is sent once at most, also if it
    /// only reads. Only the returned value shows whether the provider may have received a request that
    /// failed. The client does not call it after ``HTTPClient/send(_:)`` has returned.
    package var maySend: (@Sendable () -> Bool)?
    /// The address to connect to, instead of those of the URL's host, which is not resolved; nil to resolve it.
    ///
    /// The certificate must be that of the URL's host.
    package var address: IPAddress?

    package init(
        _ method: HTTPClientMethod = .get, _ url: HTTPURL, headers: HTTPClientHeaders = HTTPClientHeaders(),
        body: [UInt8]? = nil,
        deadline: ContinuousClock.Instant, maximumResponseBytes: Int = 16 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.maximumResponseBytes = maximumResponseBytes
    }
}

extension HTTPClientRequest: CustomStringConvertible, CustomReflectable {
    /// Method and address without secrets; no header, no body.
    package var description: String { "\(method.rawValue) \(url)" }

    package var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

/// The methods that providers' interfaces use.
package enum HTTPClientMethod: String, Sendable, Hashable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// Reads may be sent again; writes are sent once.
    package var isRead: Bool {
        switch self {
        case .get: true
        case .post, .put, .patch, .delete: false
        }
    }
}

/// Header fields of a request, in the order in which they are sent.
///
/// Names and values that could break out of their line are refused, so no value can smuggle in another header.
package struct HTTPClientHeaders: Sendable, Hashable {
    package private(set) var fields: [Field] = []

    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init() {}

    /// Adds a field; false, and nothing added, if the name is no token (RFC 9110, section 5.6.2) or the value has
    /// control characters.
    @discardableResult
    package mutating func add(_ name: String, _ value: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return false }
        fields.append(Field(name: name, value: value))
        return true
    }

    /// The first value of a header; names are compared without case.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name.utf8.elementsEqual(name.utf8, by: Self.areEqualWithoutCase) }?.value
    }

    /// Names are tokens, in which only letters have a case.
    private static func areEqualWithoutCase(_ one: UInt8, _ other: UInt8) -> Bool {
        one == other
            || (one | 0x20 == other | 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(one | 0x20))
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension HTTPClientHeaders: CustomStringConvertible, CustomReflectable {
    /// `Accept: application/json, Authorization: …`.
    package var description: String {
        fields.map { "\($0.name): \(Redaction.header($0.name, $0.value))" }.joined(separator: ", ")
    }

    package var customMirror: Mirror { Mirror(self, children: ["fields": description]) }
}

extension HTTPClientHeaders.Field: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(name): \(Redaction.header(name, value))" }

    package var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}
