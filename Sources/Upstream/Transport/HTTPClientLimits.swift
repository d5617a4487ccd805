/// The bounds of a ``HTTPClient``.
package struct HTTPClientLimits: Sendable {
    /// Connections to one host and port, open at the same time.
    package var connectionsPerHost = 16
    /// Connections in all, idle ones included.
    package var connections = 128
    /// Calls that run or wait; more fail with ``HTTPClientError/overloaded``.
    package var calls = 1_024
    /// Bytes of a response's head.
    package var headBytes = 64 << 10
    /// How long a connection may take to come about, as far as the deadline lets it.
    package var connectTimeout = Duration.seconds(5)

    package init() {}
}
