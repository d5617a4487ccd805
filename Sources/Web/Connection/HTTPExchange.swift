import NIOCore
import NIOHTTP1
import PorticoCore

/// A received request, as far as its response needs it.
package struct HTTPExchange: Sendable {
    let id: RequestID
    /// When it had arrived.
    let arrival = NIODeadline.now()
    let method: HTTPMethod
    let client: ClientAddress
    /// For logs; without the query.
    let path: String
    let isKeepAlive: Bool
    let isHTTP10: Bool
    let acceptsGzip: Bool
    /// The entity tags that the client has.
    let ifNoneMatch: String?
    /// The site of the page that sent the request.
    let origin: String?
    var work: Work
    /// Counts the body's memory until the response begins; nil for a short body.
    var memory: MemoryBudget.Reservation?

    /// The work for the response.
    enum Work: Sendable {
        case handle(RequestHandler, body: ByteBuffer)
        /// The response is being made; the body is not retained for it.
        case started
        case respond(HTTPResponse)
    }

    init(_ head: RequestHead, id: RequestID, _ work: Work) {
        self.id = id
        method = head.method
        client = head.client
        path = String(head.target.path)
        isKeepAlive = head.isKeepAlive
        isHTTP10 = head.isHTTP10
        ifNoneMatch = head.fields.ifNoneMatch
        acceptsGzip = AcceptEncoding.prefersGzip(head.fields.acceptEncoding)
        origin = head.fields.origin
        self.work = work
    }

    /// An exchange that ends its connection with an error, without the head of a request.
    ///
    /// A response to HEAD has no body, so the method is given if it is known.
    init(ending problem: HTTPError, id: RequestID, method: HTTPMethod = .GET) {
        self.id = id
        self.method = method
        client = .unknown
        path = "-"
        isKeepAlive = false
        isHTTP10 = false
        acceptsGzip = false
        ifNoneMatch = nil
        origin = nil
        work = .respond(problem.response(id: id))
    }
}

/// A request in progress.
struct CurrentExchange {
    let exchange: HTTPExchange
    let work: Work
    /// The body, after the head of the response was written.
    var body: HTTPConnectionHandler.OpenBody?

    /// The state of the request.
    enum Work {
        /// Waits for a slot of the admission queue.
        case queued(AdmissionQueue.Ticket, Fetch)
        case running(Task<Void, Never>)
    }

    /// Makes an asynchronous response.
    typealias Fetch = @Sendable () async throws -> HTTPResponse

    /// The phase of the connection during this request.
    var phase: ConnectionPhase {
        switch work {
        case .queued: .queued
        case .running: body == nil ? .answering : .streaming
        }
    }

    /// Cancels the work, because the client has disconnected.
    func cancel(in queue: AdmissionQueue) {
        switch work {
        case .queued(let ticket, _): _ = queue.withdraw(ticket)
        case .running(let task): task.cancel()
        }
    }
}
