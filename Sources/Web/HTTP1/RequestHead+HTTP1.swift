import NIOCore
import NIOHTTP1

extension RequestHead {
    /// Reads a head that has arrived whole, with the empty line that ends it, behind its method.
    ///
    /// - Throws: what is wrong with the message, before anybody asks what it wants.
    init(_ method: HTTPMethod, _ head: ByteBuffer, limits: ServerLimits) throws(HTTPError) {
        let line = try RequestLine(head.readableBytesUInt8Span, behind: method)
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
