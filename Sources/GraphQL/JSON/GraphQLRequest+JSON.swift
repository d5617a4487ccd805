extension GraphQLRequest {
    /// Reads a request as clients send it (GraphQL over HTTP, "JSON encoding").
    ///
    /// An object with `query`, and with `operationName`, `variables` and `extensions` where they are needed. A document
    /// that the server has may be named by `documentId` or `extensions.persistedQuery` instead; `document` is empty
    /// then. Other keys are ignored, as the specification leaves them to later versions; they must be JSON nonetheless.
    ///
    /// - Throws: `RequestBodyError`, which says which key is wrong, and where.
    public init(json bytes: Span<UInt8>, limits: JSONLimits = .default) throws(RequestBodyError) {
        switch try RequestBody(json: bytes, limits: limits) {
        case .single(let request): self = request
        case .batch: throw .notAnObject(found: .array)
        }
    }

    /// Reads a request from an array of bytes.
    ///
    /// - Throws: `RequestBodyError`, which says which key is wrong, and where.
    public init(json bytes: [UInt8], limits: JSONLimits = .default) throws(RequestBodyError) {
        try self.init(json: bytes.span, limits: limits)
    }

    fileprivate init(_ parameters: RequestParameters) throws(RequestBodyError) {
        let namesDocument = parameters.documentID != nil || parameters.extensions["persistedQuery"] != nil
        guard parameters.query != nil || namesDocument else { throw .noQuery }
        self.init(
            parameters.query ?? "", operationName: parameters.operationName, variables: parameters.variables,
            extensions: parameters.extensions)
        documentID = parameters.documentID
    }
}

/// What the body of a request asks for.
public enum RequestBody: Sendable {
    /// One answer.
    case single(GraphQLRequest)
    /// Several answers, in an array of the same order.
    case batch([GraphQLRequest])

    /// Reads one request as `GraphQLRequest` does, or an array of at most `batchLimit`; 0 refuses arrays.
    ///
    /// - Throws: `RequestBodyError`, which says which key is wrong, and where.
    public init(
        json bytes: Span<UInt8>, limits: JSONLimits = .default, batchLimit: Int = 0
    ) throws(RequestBodyError) {
        if batchLimit > 0, RequestBody.isArray(bytes) {
            let batch: [RequestParameters]
            do {
                batch = try RequestParameters.batch(bytes, limits: limits, limit: batchLimit)
            } catch {
                throw RequestBodyError(error, in: bytes)
            }
            self = .batch(
                try batch.map { parameters throws(RequestBodyError) in try GraphQLRequest(parameters) })
        } else {
            let parameters: RequestParameters
            do {
                parameters = try RequestParameters(bytes, limits: limits)
            } catch {
                let error = RequestBodyError(error, in: bytes)
                throw error == .notAnObject(found: .array) ? .batchNotAllowed : error
            }
            self = .single(try GraphQLRequest(parameters))
        }
    }

    private static func isArray(_ bytes: Span<UInt8>) -> Bool {
        for position in 0..<bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: continue
            case UInt8(ascii: "["): return true
            default: return false
            }
        }
        return false
    }
}

extension RequestBodyError {
    init(_ failure: RequestParameters.Failure, in bytes: Span<UInt8>) {
        switch failure {
        case .json(let failure): self = .notJSON(JSONError(failure, in: bytes))
        case .notAnObject(let found): self = .notAnObject(found: found)
        case .wrongType(let key, let found, let offset):
            self = .wrongType(of: key, found: found, at: SourceLocation(ofByte: offset, in: bytes))
        case .tooMany(let limit): self = .tooManyRequests(limit: limit)
        case .emptyBatch: self = .emptyBatch
        }
    }
}
