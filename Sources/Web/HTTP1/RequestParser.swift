import NIOCore
import NIOHTTP1

/// Takes the bytes of a connection of HTTP/1.1 apart into the parts of its requests (RFC 9112).
///
/// What the specification lets a server tolerate for the sake of old senders is refused, since another reader in front
/// may have understood it differently. A value without input or output, so that it can be tested as one. Parts share
/// the storage of what was received.
struct RequestParser {
    private let limits: ServerLimits
    /// What has arrived and is not yet part of anything.
    private var bytes = ByteBuffer()
    private var state = State.head(HeaderEndScanner())
    /// The method of the request that is read; GET where it is not known.
    private var method = HTTPMethod.GET

    private enum State {
        /// Looking for the end of a head.
        case head(HeaderEndScanner)
        /// In a body of which so much is left; whether another request may follow it.
        case body(left: Int, isReusable: Bool)
        case chunks(ChunkedDecoder, isReusable: Bool)
        /// Behind the last request.
        case over
        /// Behind what is no request.
        case rejected
    }

    init(_ limits: ServerLimits) {
        self.limits = limits
    }

    /// Whether a request's head has begun to arrive, and not yet ended.
    var isMidHead: Bool {
        guard case .head = state else { return false }
        return bytes.readableBytes > 0
    }

    /// Whether something has arrived behind the last request.
    var hasLeftOverBytes: Bool {
        guard case .over = state else { return false }
        return bytes.readableBytes > 0
    }

    /// Takes what has arrived; what arrives behind a malformed request is thrown away.
    mutating func receive(_ arrived: ByteBuffer) {
        if case .rejected = state { return }
        if bytes.readableBytes == 0 {
            bytes = arrived
        } else {
            bytes.discardReadBytes()
            bytes.writeImmutableBuffer(arrived)
        }
    }

    /// Copies what is incomplete out of the buffer that it was read into, because the rest may take long to arrive.
    mutating func releaseReadBuffer() {
        bytes.releaseReadBuffer()
    }

    /// What is left behind the last request.
    mutating func removeLeftOverBytes() -> ByteBuffer {
        defer { bytes = ByteBuffer() }
        return bytes
    }

    /// The next part; nil where more must arrive, and behind the last request.
    mutating func next() -> RequestEvent? {
        switch state {
        case .head(var end):
            guard bytes.readableBytes > 0 else { return wait() }
            return nextHead(&end)
        case .body(let left, let isReusable): return nextOfBody(left, isReusable)
        case .chunks(var body, let isReusable): return nextOfChunks(&body, isReusable)
        case .over, .rejected: return nil
        }
    }

    /// Lets go of the storage that a read has filled, so that the next one can use it again.
    private mutating func wait() -> RequestEvent? {
        if bytes.readableBytes == 0 { bytes = ByteBuffer() }
        return nil
    }

    private mutating func reject(_ problem: HTTPError) -> RequestEvent {
        state = .rejected
        bytes = ByteBuffer()
        return .malformed(problem, method)
    }

    // MARK: - Head

    private mutating func nextHead(_ end: inout HeaderEndScanner) -> RequestEvent? {
        do throws(HTTPError) {
            guard let length = try end.find(in: &bytes, limits), let head = bytes.readSlice(length: length)
            else {
                state = .head(end)
                return nil
            }
            method = try RequestLine.method(of: head.readableBytesUInt8Span)
            let read = try RequestHead(method, head, limits: limits)
            state =
                switch read.framing {
                case .length(let length): .body(left: length, isReusable: read.isKeepAlive)
                case .chunked: .chunks(ChunkedDecoder(), isReusable: read.isKeepAlive)
                }
            return .head(read)
        } catch {
            return reject(error)
        }
    }

    // MARK: - Body

    private mutating func nextOfBody(_ left: Int, _ isReusable: Bool) -> RequestEvent? {
        guard left > 0 else { return endRequest(isReusable) }
        let length = min(left, bytes.readableBytes)
        guard length > 0, let part = bytes.readSlice(length: length) else { return wait() }
        state = .body(left: left - length, isReusable: isReusable)
        return .body(part)
    }

    private mutating func nextOfChunks(_ body: inout ChunkedDecoder, _ isReusable: Bool) -> RequestEvent? {
        do throws(HTTPError) {
            let step = try body.next(in: &bytes, limits)
            switch step {
            case .more:
                state = .chunks(body, isReusable: isReusable)
                return wait()
            case .data(let part):
                state = .chunks(body, isReusable: isReusable)
                return .body(part)
            case .end: return endRequest(isReusable)
            }
        } catch {
            return reject(error)
        }
    }

    private mutating func endRequest(_ isReusable: Bool) -> RequestEvent {
        state = isReusable ? .head(HeaderEndScanner()) : .over
        method = .GET
        return .end
    }
}

extension RequestHead {
    /// Reads a head that has arrived whole, with the empty line that ends it, behind its method.
    ///
    /// - Throws: what is wrong with the message, before anybody asks what it wants.
    init(_ method: HTTPMethod, _ head: ByteBuffer, limits: ServerLimits) throws(HTTPError) {
        let line = try RequestLine(head.readableBytesUInt8Span, after: method)
        guard line.target.count <= limits.uri else { throw .uriTooLong(limit: limits.uri) }
        let text = head.getString(at: head.readerIndex + line.target.lowerBound, length: line.target.count)
        guard let text, let target = RequestTarget(text) else { throw .malformed(.target) }
        try self.init(
            method: method, target: target, fields: RequestHeaders(head, from: line.end, limits: limits),
            isHTTP10: line.isHTTP10)
    }
}

extension RequestHeaders {
    /// Picks the known ones of a head, whose field lines begin at an index.
    ///
    /// - Throws: `.malformed` for what is no field line; `.tooManyFields`.
    fileprivate init(_ head: ByteBuffer, from start: Int, limits: ServerLimits) throws(HTTPError) {
        self.init(head)
        let bytes = head.readableBytesUInt8Span
        var position = start
        var count = 0
        // An empty line ends the head.
        while position < bytes.count - 2 {
            count += 1
            guard count <= limits.headerFields else { throw .tooManyFields(limit: limits.headerFields) }
            let line = try HeaderLine(in: bytes, at: position)
            if let name = Name(bytes.extracting(line.name)) { try add(name, at: line.value) }
            position = line.end
        }
    }
}
