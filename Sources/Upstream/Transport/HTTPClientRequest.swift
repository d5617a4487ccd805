/// One call to a provider.
package struct HTTPClientRequest: Sendable {
    package var method: HTTPClientMethod
    package var url: HTTPURL
    package var headers: HTTPClientHeaders
    package var body: [UInt8]?
    /// The call has failed with ``HTTPClientError/timedOut`` if it is not over by then, waiting included.
    package var deadline: ContinuousClock.Instant
    /// Larger bodies fail with ``HTTPClientError/responseTooLarge``, counted after decompression.
    package var maximumResponseBytes: Int
    /// Returns whether the request may still be sent; nil for no condition other than the deadline.
    ///
    /// The transport calls it immediately before libcurl writes the first byte, on the thread that handles
    /// all calls: it must be quick and must not wait. If it returns false, nothing is sent and the call fails
    /// with ``HTTPClientError/notSent``. A request with such a condition is sent once at most, also if it only
    /// reads. Only the returned value shows whether the provider may have received a request that failed. The
    /// transport does not call it after ``HTTPClient/send(_:)`` has returned.
    package var maySend: (@Sendable () -> Bool)?

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
