package import NIOCore

/// The bounds of the front door.
///
/// All are on; each is a default that a configuration may change.
package struct ServerLimits: Sendable, Hashable {
    // MARK: Sizes, in bytes

    /// The longest request target: path and query together.
    ///
    /// One that is longer than this and `headers` together is answered with 431: the codec stops there, and does not
    /// tell targets from fields.
    package var uri = 8 << 10
    /// All header fields of a request, names and values together.
    package var headers = 16 << 10
    /// The longest body.
    package var body = 1 << 20

    // MARK: Counts

    /// Open connections.
    package var connections = 10_000
    /// Requests that wait for data, over all connections; what is answered at once does not count.
    package var requestsInFlight = 4_096
    /// Requests of one connection that wait for the answer before theirs.
    package var pipelinedRequests = 64
    /// Header fields of a request.
    package var headerFields = 100
    /// Levels of arrays and objects in a request's JSON.
    package var jsonDepth = 64

    // MARK: Times

    /// For a request's head, from its first byte.
    package var headTimeout = TimeAmount.seconds(10)
    /// For a request's body, from the end of its head.
    package var bodyTimeout = TimeAmount.seconds(30)
    /// Between two requests, and before the first.
    package var idleTimeout = TimeAmount.seconds(60)
    /// For an answer, from the end of its request.
    package var answerTimeout = TimeAmount.seconds(60)
    /// For a client to take some of what was written to it.
    package var writeTimeout = TimeAmount.seconds(30)
    /// For a client to close its side after the last answer of a connection.
    package var lingerTimeout = TimeAmount.seconds(2)
    /// For the answers in the making, when the server stops.
    package var drainTimeout = TimeAmount.seconds(10)

    package init() {}
}
