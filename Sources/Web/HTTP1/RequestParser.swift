package import NIOCore
import NIOHTTP1

/// A parser of HTTP/1.1 requests (RFC 9112).
///
/// It rejects malformed messages that the specification allows a server to tolerate, because an intermediary
/// may have interpreted them differently. It is a value without input or output, so that it can be tested as
/// one. The parts share the storage of the received bytes.
package struct RequestParser {
    private let limits: ServerLimits
    /// The bytes that are not parsed yet.
    private var bytes = ByteBuffer()
    private var state = State.head(HeaderEndScanner())
    /// The method of the current request; GET if it is unknown.
    private var method = HTTPMethod.GET

    private enum State {
        /// Looking for the end of a head.
        case head(HeaderEndScanner)
        /// In a body, with the number of remaining bytes, and whether another request may follow.
        case body(left: Int, isReusable: Bool)
        case chunks(ChunkedDecoder, isReusable: Bool)
        /// Behind the last request.
        case over
        /// After a malformed request.
        case rejected
    }

    package init(_ limits: ServerLimits) {
        self.limits = limits
    }

    /// Whether a request's head has begun to arrive, and not yet ended.
    package var isMidHead: Bool {
        guard case .head = state else { return false }
        return bytes.readableBytes > 0
    }

    /// Whether something has arrived behind the last request.
    package var hasLeftOverBytes: Bool {
        guard case .over = state else { return false }
        return bytes.readableBytes > 0
    }

    /// Adds received bytes; bytes after a malformed request are discarded.
    package mutating func receive(_ arrived: ByteBuffer) {
        if case .rejected = state { return }
        if bytes.readableBytes == 0 {
            bytes = arrived
        } else {
            bytes.discardReadBytes()
            bytes.writeImmutableBuffer(arrived)
        }
    }

    /// Copies incomplete parts from the read buffer, because the rest may take long to arrive.
    mutating func releaseReadBuffer() {
        bytes.releaseReadBuffer()
    }

    /// Removes the bytes after the last request.
    package mutating func removeLeftOverBytes() -> ByteBuffer {
        defer { bytes = ByteBuffer() }
        return bytes
    }

    /// The next part; nil where more must arrive, and behind the last request.
    package mutating func next() -> RequestEvent? {
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
    /// Parses a complete head after its method, with the empty line that ends it.
    ///
    /// - Throws: The defect of the message.
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
    /// Parses the fields of a head from an index, and stores the known ones.
    ///
    /// - Throws: `.malformed` for an invalid field line; `.tooManyFields`.
    fileprivate init(_ head: ByteBuffer, from start: Int, limits: ServerLimits) throws(HTTPError) {
        self.init(head, limits: limits)
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
