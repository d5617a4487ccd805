extension Request {
    /// Reads a request as clients send it (GraphQL over HTTP, "JSON encoding").
    ///
    /// An object with `query`, and with `operationName`, `variables` and `extensions` where they are needed. Other keys
    /// are ignored, as the specification leaves them to later versions; they must be JSON nonetheless.
    ///
    /// - Throws: `RequestBodyError`, which says which key is wrong, and where.
    public init(json bytes: Span<UInt8>, limits: JSONLimits = .default) throws(RequestBodyError) {
        let parameters: RequestParameters
        do {
            parameters = try RequestParameters(bytes, limits: limits)
        } catch {
            throw RequestBodyError(error, in: bytes)
        }
        guard let query = parameters.query else { throw .noQuery }
        self.init(
            query, operationName: parameters.operationName, variables: parameters.variables,
            extensions: parameters.extensions)
    }

    /// Reads a request from an array of bytes.
    ///
    /// - Throws: `RequestBodyError`, which says which key is wrong, and where.
    public init(json bytes: [UInt8], limits: JSONLimits = .default) throws(RequestBodyError) {
        try self.init(json: bytes.span, limits: limits)
    }
}

extension RequestBodyError {
    init(_ failure: RequestParameters.Failure, in bytes: Span<UInt8>) {
        switch failure {
        case .json(let failure): self = .notJSON(JSONError(failure, in: bytes))
        case .notAnObject(let found): self = .notAnObject(found: found)
        case .wrongType(let key, let found, let offset):
            self = .wrongType(of: key, found: found, at: SourceLocation(ofByte: offset, in: bytes))
        }
    }
}
