package import NIOCore
package import NIOHTTP1

/// Makes requests of their parts, within bounds.
///
/// A value without input or output, so that it can be tested as one.
package struct RequestAssembler {
    private let router: Router
    private let limits: ServerLimits
    private let memory: MemoryBudget
    private let shares: ClientShares
    private let trustedProxies: Int
    /// Called for each request of a proxy whose client is unknown.
    private let reportProxy: @Sendable () -> Void
    /// Whom the connection is with.
    var peer = ClientAddress.unknown
    /// Set when the server shuts down.
    ///
    /// Requests whose head arrives later are refused.
    var isDraining = false
    private var state = State.head

    private enum State {
        case head
        /// An admitted request, its body so far.
        case body(RequestHead, RequestID, RequestHandler, ByteBuffer, MemoryBudget.Reservation?)
        /// A rejected request whose body is skipped so that the connection can continue; the number of
        /// skipped bytes.
        case skipping(HTTPExchange, count: Int)
        /// A request after which nothing is read.
        case over
    }

    /// The result of a part.
    package enum Step {
        case nothing
        /// The client waits for `100 Continue` before it sends its body.
        case invite
        case exchange(HTTPExchange)
    }

    package init(
        router: Router, limits: ServerLimits, memory: MemoryBudget, shares: ClientShares,
        trustedProxies: Int = 0,
        reportProxy: @escaping @Sendable () -> Void = {}
    ) {
        self.router = router
        self.limits = limits
        self.memory = memory
        self.shares = shares
        self.trustedProxies = trustedProxies
        self.reportProxy = reportProxy
    }

    /// Whether a head has come and the end of its request has not.
    var isMidRequest: Bool {
        switch state {
        case .body, .skipping: true
        case .head, .over: false
        }
    }

    /// Takes the next part; a head begins a request, which gets an id.
    package mutating func receive(_ part: RequestEvent, newID: () -> RequestID) -> Step {
        switch part {
        case .head(let head): return receive(head, id: newID())
        case .body(let bytes): return receive(bytes)
        case .end: return receiveEnd()
        case .malformed(let problem, let method):
            if case .over = state { return .nothing }
            state = .over
            return .exchange(HTTPExchange(ending: problem, id: newID(), method: method))
        }
    }

    // MARK: - Head

    private mutating func receive(_ received: RequestHead, id: RequestID) -> Step {
        guard case .head = state else { return .nothing }
        var head = received
        head.client = client(of: head)
        do throws(HTTPError) {
            let isInvited = try invites(head)
            let isTooLong = head.framing.isLonger(than: limits.body)
            switch router.admit(head, id: id, isDraining: isDraining) {
            case .success where isTooLong: throw .bodyTooLarge(limit: limits.body)
            case .success(let answerer):
                var reservation: MemoryBudget.Reservation?
                guard reserve(0, beside: head, in: &reservation) else { throw .overloaded(.requestMemory) }
                state = .body(head, id, answerer, ByteBuffer(), reservation)
                return isInvited ? .invite : .nothing
            case .failure(let refusal):
                return reject(
                    HTTPExchange(head, id: id, .respond(refusal.response)),
                    immediately: isInvited || isTooLong)
            }
        } catch {
            return reject(HTTPExchange(head, id: id, .respond(error.response(id: id))), immediately: true)
        }
    }

    /// The client against whose limits a request counts.
    private func client(of head: RequestHead) -> ClientAddress {
        let isFromProxy = head.fields.isFromProxy
        if isFromProxy {
            if trustedProxies > 0, let client = head.fields.forwardedClient(proxies: trustedProxies) {
                return client
            }
            reportProxy()
        }
        guard peer.isThisMachine else { return peer }
        return isFromProxy || router.crossSite.isCrossSite(head) ? .localIntermediary : peer
    }

    /// Whether the client waits for `100 Continue` (RFC 9110, section 10.1.1).
    private func invites(_ head: RequestHead) throws(HTTPError) -> Bool {
        guard let expectation = head.fields.expect, !head.isHTTP10 else { return false }
        guard expectation.matches("100-continue") else { throw .expectationFailed(expectation) }
        return head.framing != .length(0)
    }

    /// Rejects a request: at its end, or at once.
    ///
    /// If the body is not awaited, the connection ends, because the following bytes may be that body or a
    /// new request.
    private mutating func reject(_ exchange: HTTPExchange, immediately: Bool) -> Step {
        guard immediately else {
            state = .skipping(exchange, count: 0)
            return .nothing
        }
        state = .over
        return .exchange(exchange.endingConnection())
    }

    // MARK: - Body

    private mutating func receive(_ bytes: ByteBuffer) -> Step {
        switch state {
        case .head, .over: return .nothing
        case .body(let head, let id, let answerer, var body, var reservation):
            do throws(HTTPError) {
                guard bytes.readableBytes <= limits.body - body.readableBytes else {
                    throw .bodyTooLarge(limit: limits.body)
                }
                guard reserve(body.readableBytes + bytes.readableBytes, beside: head, in: &reservation) else {
                    throw .overloaded(.requestMemory)
                }
            } catch {
                return reject(HTTPExchange(head, id: id, .respond(error.response(id: id))), immediately: true)
            }
            // Releases the state's reference, so that appending does not copy.
            state = .over
            if body.readableBytes == 0 { body = bytes } else { body.writeImmutableBuffer(bytes) }
            state = .body(head, id, answerer, body, reservation)
            return .nothing
        case .skipping(let exchange, let count):
            guard bytes.readableBytes <= limits.body - count else {
                return reject(exchange, immediately: true)
            }
            state = .skipping(exchange, count: count + bytes.readableBytes)
            return .nothing
        }
    }

    /// Counts a body of some bytes, and the part of the head that exceeds usual heads.
    private func reserve(
        _ bytes: Int, beside head: RequestHead, in reservation: inout MemoryBudget.Reservation?
    ) -> Bool {
        memory.reserve(
            bytes + max(0, head.fields.size - RequestAssembler.uncounted), for: shares.address(head.client),
            uncounted: RequestAssembler.uncounted, in: &reservation)
    }

    /// The bytes of a head, and of a body, that are not counted, so that usual requests need no lock.
    private static let uncounted = 4 << 10

    /// Copies the received part of an incomplete request out of its read buffers, which have up to 64 KiB.
    mutating func releaseReadBuffers() {
        guard case .body(var head, let id, let answerer, var body, let reservation) = state else { return }
        state = .over
        head.releaseReadBuffer()
        body.releaseReadBuffer()
        state = .body(head, id, answerer, body, reservation)
    }

    private mutating func receiveEnd() -> Step {
        switch state {
        case .head, .over: return .nothing
        case .body(let head, let id, let answerer, let body, let reservation):
            state = .head
            var exchange = HTTPExchange(head, id: id, .handle(answerer, body: body))
            exchange.memory = reservation
            return .exchange(exchange)
        case .skipping(let exchange, _):
            state = .head
            return .exchange(exchange)
        }
    }
}

extension RequestHead.Framing {
    fileprivate func isLonger(than limit: Int) -> Bool {
        switch self {
        case .length(let length): length > limit
        case .chunked: false
        }
    }
}

extension HTTPExchange {
    fileprivate func endingConnection() -> HTTPExchange {
        guard case .respond(var response) = work else { return self }
        response.endsConnection = true
        var exchange = self
        exchange.work = .respond(response)
        return exchange
    }
}

/// A parsed event of a connection, or of a stream of HTTP/2.
package enum RequestEvent {
    /// A request begins.
    case head(RequestHead)
    /// Some of its body: at least one byte.
    case body(ByteBuffer)
    /// A request ends.
    case end
    /// The following bytes cannot be interpreted. The method is that of the request, if it is known: a
    /// response to HEAD has no body.
    case malformed(HTTPError, HTTPMethod)
}
