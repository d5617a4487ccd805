import NIOCore
import NIOHTTP1

/// A request that has arrived, as far as its answer needs it.
struct Exchange: Sendable {
    let id: RequestID
    let method: HTTPMethod
    /// For logs; without the query.
    let path: String
    let isKeepAlive: Bool
    let isHTTP10: Bool
    var work: Work

    /// What is left to do.
    enum Work: Sendable {
        case answer(Router.Destination, body: ByteBuffer)
        case tell(HTTPResponse)
    }

    init(_ head: RequestHead, id: RequestID, _ work: Work) {
        self.id = id
        method = head.method
        path = String(head.target.path)
        isKeepAlive = head.isKeepAlive
        isHTTP10 = head.isHTTP10
        self.work = work
    }

    /// An exchange that ends its connection with a problem, where there is no head to go by.
    ///
    /// An answer to HEAD has no body, so the method is told where it is known.
    init(ending problem: HTTPProblem, id: RequestID, method: HTTPMethod = .GET) {
        self.id = id
        self.method = method
        path = "-"
        isKeepAlive = false
        isHTTP10 = false
        work = .tell(problem.response(id: id))
    }
}
