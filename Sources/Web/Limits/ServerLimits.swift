package import NIOCore
package import PorticoCore

/// The limits of the HTTP server.
///
/// All are on by default, and settings can change them.
package struct ServerLimits: Sendable, Hashable {
    // MARK: Sizes, in bytes

    /// The longest request target: path and query together.
    package var uri = 8 << 10
    /// All header fields of a request, names and values; and, separately, all extensions of chunks and
    /// trailers.
    package var headers = 16 << 10
    /// The longest body.
    package var body = 1 << 20

    /// Cached responses, with their documents.
    package var responseCache = 12 << 20

    /// The most memory for request bodies, heads over 4 KiB and WebSocket messages, over all connections, until they are answered;
    /// at least ``body``.
    package var requestMemory = 16 << 20
    /// The most memory for responses over 64 KiB that wait for their clients, over all connections.
    package var responseMemory = 32 << 20

    /// The most memory for documents, variables and followed symbols of running streams and of operations of
    /// WebSockets, over all connections.
    package var streamMemory = 16 << 20

    // MARK: Counts

    /// Open connections.
    package var connections = 10_000
    /// Open connections of one address.
    package var connectionsPerAddress = 256
    /// Requests that load data, over all connections; those that need no data do not count.
    package var requestsInFlight = 4_096
    /// Requests that wait until they may load data.
    package var requestsQueued = 4_096
    /// Operations of one WebSocket at a time.
    package var operationsPerSocket = 100
    /// Streamed responses and operations of WebSockets, over all connections.
    package var streams = 10_000
    /// The most streamed responses and operations of WebSockets of one client: a user, or the clients without
    /// one at an address.
    package var streamsPerClient = 400
    /// The most WebSockets of one client.
    package var socketsPerClient = 100
    /// Requests of one connection of HTTP/2 at a time.
    package var streamsPerConnection = 100
    /// Requests of one connection that wait for the response to an earlier one.
    package var pipelinedRequests = 64
    /// Header fields of a request.
    package var headerFields = 100
    /// Levels of arrays and objects in a request's JSON.
    package var jsonDepth = 64
    /// The most values in the JSON of a request or of a WebSocket message, including arrays and objects.
    package var jsonValues = 20_000
    /// Requests in one array; 0 refuses arrays.
    package var batch = 0

    // MARK: Rates

    /// Requests of one address, except for health checks and CORS preflights.
    package var addressRate = CallRate(burst: 1_000, every: .milliseconds(5))
    /// Requests with one token, from all addresses.
    package var tokenRate = CallRate(burst: 500, every: .milliseconds(10))
    /// Addresses, and tokens, whose requests are counted apart at a time; those beyond share what one may send.
    package var trackedClients = 100_000
    /// Whether clients on this machine are exempt from the limits of rates, connections and shares: they
    /// belong to its owner, or are those of a proxy, which has limits of its own.
    ///
    /// If a trusted proxy names its clients, the limits apply to these. Requests that an untrusted proxy
    /// forwards, or that a browser sends for a page of another site, are limited.
    package var exemptsThisMachine = true

    // MARK: Times

    /// For a request's head, from its first byte.
    package var headTimeout = TimeAmount.seconds(10)
    /// For a request's body, from the end of its head.
    package var bodyTimeout = TimeAmount.seconds(30)
    /// Between two requests, and before the first.
    package var idleTimeout = TimeAmount.seconds(60)
    /// The maximum time in the queue.
    package var queueTimeout = TimeAmount.seconds(5)
    /// The maximum time for a response, after the queue.
    package var responseTimeout = TimeAmount.seconds(60)
    /// The maximum time until the next part of a streamed response; producers send heartbeats.
    package var streamTimeout = TimeAmount.seconds(60)
    /// The interval of heartbeats in a streamed response.
    package var heartbeat = TimeAmount.seconds(15)
    /// The maximum time until a WebSocket's first message, which authenticates it.
    package var initialisationTimeout = TimeAmount.seconds(10)
    /// The interval of pings to the client of a WebSocket, and the time that it has to respond.
    package var keepalive = TimeAmount.seconds(30)
    /// The maximum time until a client reads 64 KiB of the written data, 16 KiB on a stream of HTTP/2, or all of it.
    ///
    /// Data count as read when the system takes them, which it does before the client reads as long as its own buffer for the
    /// connection has space.
    package var writeTimeout = TimeAmount.seconds(30)
    /// The time for a client to close its side after the last response of a connection, or after the close
    /// frame of a WebSocket.
    ///
    /// The server then closes the connection in any case.
    package var lingerTimeout = TimeAmount.seconds(1)
    /// The time for requests in flight to finish when the server shuts down: the grace period.
    ///
    /// A container needs some seconds more until it is killed, see `terminationGracePeriodSeconds` in the manifest.
    package var drainTimeout = TimeAmount.seconds(30)

    package init() {}
}
