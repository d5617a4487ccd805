import NIOCore
import NIOHTTP1

/// A request that has arrived, as far as its answer needs it.
struct Exchange: Sendable {
    let id: RequestID
    /// For logs. The query is not among it.
    let method: HTTPMethod
    let path: String
    let isKeepAlive: Bool
    let isVersion1_0: Bool
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
        isVersion1_0 = head.isVersion1_0
        self.work = work
    }

    /// An exchange that ends its connection with a problem, where there is no head to go by.
    ///
    /// - Parameter method: as far as it is known; an answer to HEAD has no body.
    init(ending problem: HTTPProblem, id: RequestID, method: HTTPMethod = .GET) {
        self.id = id
        self.method = method
        path = "-"
        isKeepAlive = false
        isVersion1_0 = false
        work = .tell(problem.response(id: id))
    }
}
