import GraphQL
import NIOCore
import NIOHTTP1
import Synchronization

/// A request about an event stream (GraphQL over Server-Sent Events, "Single connection mode").
enum EventStreamRequest: Sendable {
    /// PUT: reserves a stream.
    case reserve
    /// GET: opens a reserved stream.
    case open(token: String)
    /// POST: starts an operation.
    case start(token: String)
    /// DELETE: stops an operation.
    case stop(token: String, operationID: String)
}

/// The event streams of all clients, by their tokens.
///
/// Each stream counts for its client among the streams of `ServerLimits.streamsPerClient`, so that the number of entries
/// is bounded.
final class EventStreamService: Sendable {
    private let heartbeat: Duration
    private let limit: Int
    private let load: ServerResources
    // All event loops share the table.
    private let streams = Mutex<[String: EventStream]>([:])

    /// How long a reserved stream waits for its connection.
    private static let reservationTime = Duration.seconds(30)

    init(_ limits: ServerLimits, _ load: ServerResources) {
        heartbeat = .nanoseconds(limits.heartbeat.nanoseconds)
        limit = limits.operationsPerSocket
        self.load = load
    }

    /// Whether a text is the token of a stream that waits for its connection.
    func isReserved(_ token: String) -> Bool {
        streams.withLock { $0[token] }?.isReserved ?? false
    }

    /// Reserves a stream for the client of a request; the body of the response is the token of the stream.
    func reserve(for context: RequestContext) throws(HTTPError) -> HTTPResponse {
        let session = context.session
        let stream = EventStream(
            principal: session.principal,
            holding: try load.shares.stream(of: session.user, at: context.client), limit: limit)
        streams.withLock { $0[stream.token] = stream }
        // Weak, because the stream counts for its client until it is released.
        Task { [self, weak stream] in
            try await Task.sleep(for: Self.reservationTime)
            if let stream, stream.expire() { remove(stream) }
        }
        var response = HTTPResponse(.created, "text/plain; charset=utf-8", body: Array(stream.token.utf8))
        response.headers = [HTTPResponse.Header("cache-control", "no-store")]
        return response
    }

    /// Opens a stream; the response ends with it.
    func open(_ token: String, for context: RequestContext) throws(HTTPError) -> HTTPResponse {
        guard context.accepted.stream == .eventStream else { throw .severalResponses }
        let stream = try stream(token, for: context)
        let body = try stream.open(heartbeat: heartbeat) { [self] in remove(stream) }
        return HTTPResponse(uncached: StreamFormat.eventStream, body)
    }

    /// Starts an operation; the response has no content.
    ///
    /// - Parameters:
    ///   - extensions: The extensions of the request, which have the id of the operation.
    ///   - token: The token of the stream.
    ///   - context: The request.
    ///   - operation: Makes the operation, once it is counted.
    /// - Returns: The response 202.
    /// - Throws: If there is no such stream or id, or a limit is reached.
    func start(
        _ extensions: InputObject, on token: String, for context: RequestContext,
        _ operation: () -> StreamedOperation
    ) throws(HTTPError) -> HTTPResponse {
        let stream = try stream(token, for: context)
        guard case .string(let id)? = extensions["operationId"], (1...256).contains(id.utf8.count) else {
            throw .missingOperationID
        }
        let permit = try load.shares.stream(of: context.session.user, at: context.client)
        guard load.streams.acquire() else { throw .overloaded(.streams) }
        try stream.start(operation(), id: id) { [load] in
            load.streams.release()
            withExtendedLifetime(permit) {}
        }
        return HTTPResponse(.accepted)
    }

    /// Stops an operation.
    func stop(_ id: String, on token: String, for context: RequestContext) throws(HTTPError) -> HTTPResponse {
        try stream(token, for: context).stop(id)
        return HTTPResponse(.ok)
    }

    /// The stream with a token; a stream of another user does not exist for a client.
    private func stream(_ token: String, for context: RequestContext) throws(HTTPError) -> EventStream {
        guard let stream = streams.withLock({ $0[token] }), stream.belongs(to: context.session) else {
            throw .unknownEventStream
        }
        return stream
    }

    /// Removes a stream that has ended.
    private func remove(_ stream: EventStream) {
        _ = streams.withLock { $0.removeValue(forKey: stream.token) }
    }
}

extension HTTPResponse {
    /// A stream, which proxies must neither store nor buffer.
    init(uncached format: StreamFormat, _ body: StreamingBody) {
        self.init(.ok, format.contentType, streaming: body)
        headers = [Header("cache-control", "no-store"), Header("x-accel-buffering", "no")]
    }
}
