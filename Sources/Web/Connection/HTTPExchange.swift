import NIOCore
import NIOHTTP1

/// A request that has arrived, as far as its answer needs it.
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
    /// What the client has already.
    let ifNoneMatch: String?
    /// The site whose page asks.
    let origin: String?
    var work: Work
    /// Counts the body's memory until the response begins; nil for a short body.
    var memory: MemoryBudget.Reservation?

    /// What is left to do.
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

    /// An exchange that ends its connection with a problem, where there is no head to go by.
    ///
    /// An answer to HEAD has no body, so the method is told where it is known.
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

/// A request whose answer is being made.
struct CurrentExchange {
    let exchange: HTTPExchange
    let work: Work
    /// Where the answer's head is out and its body follows.
    var body: HTTPConnectionHandler.OpenBody?

    /// How far it is.
    enum Work {
        /// It waits for its turn.
        case queued(AdmissionQueue.Ticket, Fetch)
        case running(Task<Void, Never>)
    }

    /// Makes an answer that has to be waited for.
    typealias Fetch = @Sendable () async throws -> HTTPResponse

    /// What the connection waits for because of it.
    var phase: ConnectionPhase {
        switch work {
        case .queued: .queued
        case .running: body == nil ? .answering : .streaming
        }
    }

    /// Gives up what it waits for, since nobody wants it any more.
    func cancel(in waitingRoom: AdmissionQueue) {
        switch work {
        case .queued(let ticket, _): _ = waitingRoom.withdraw(ticket)
        case .running(let task): task.cancel()
        }
    }
}
