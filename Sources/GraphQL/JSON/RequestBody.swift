extension GraphQLRequest {
    /// Parses a request body (GraphQL over HTTP, "JSON encoding").
    ///
    /// The body is an object with `query`, and optionally `operationName`, `variables` and `extensions`. A
    /// stored document may be identified by `documentId` or `extensions.persistedQuery` instead; then
    /// `document` is empty. Other keys are ignored, because the specification reserves them for later
    /// versions, but they must be valid JSON.
    ///
    /// - Throws: `RequestBodyError`, with the invalid key and its position.
    public init(json bytes: Span<UInt8>, limits: JSONLimits = .default) throws(RequestBodyError) {
        switch try RequestBody(json: bytes, limits: limits) {
        case .single(let request): self = request
        case .batch: throw .notAnObject(found: .array)
        }
    }

    /// Parses a request body from an array of bytes.
    ///
    /// - Throws: `RequestBodyError`, with the invalid key and its position.
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

/// The parsed body of a request.
public enum RequestBody: Sendable {
    /// A single request.
    case single(GraphQLRequest)
    /// A batch; the responses are in an array of the same order.
    case batch([GraphQLRequest])

    /// Parses one request like `GraphQLRequest`, or an array of at most `batchLimit` requests; 0 rejects
    /// arrays.
    ///
    /// - Throws: `RequestBodyError`, with the invalid key and its position.
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

/// The members of a request's JSON object, converted to their types in one pass.
struct RequestParameters {
    private(set) var query: String?
    private(set) var documentID: String?
    private(set) var operationName: String?
    private(set) var variables = InputObject()
    private(set) var extensions = InputObject()

    /// The reason why reading stopped; positions are byte offsets.
    enum Failure: Error {
        case json(JSONFailure)
        case notAnObject(JSONKind)
        case wrongType(of: RequestKey, found: JSONKind, offset: Int)
        case tooMany(limit: Int)
        case emptyBatch
    }

    /// Parses the parameters of one request.
    init(_ bytes: Span<UInt8>, limits: JSONLimits) throws(Failure) {
        let parameters: Result<RequestParameters, Failure>
        do {
            var reader = try JSONReader(bytes, limits: limits)
            parameters = try RequestParameters.next(from: &reader, bytes)
            // Invalid JSON is reported before any other error.
            try reader.end(in: bytes)
        } catch {
            throw .json(error)
        }
        self = try parameters.get()
    }

    /// Parses the parameters of each request in an array of limited length.
    static func batch(
        _ bytes: Span<UInt8>, limits: JSONLimits, limit: Int
    ) throws(Failure) -> [RequestParameters] {
        var batch: [Result<RequestParameters, Failure>] = []
        var count = 0
        do {
            var reader = try JSONReader(bytes, limits: limits)
            _ = reader.peek(in: bytes)
            try reader.enter()
            while try reader.nextElement(in: bytes, isFirst: count == 0) {
                let parameters = try next(from: &reader, bytes)
                if count < limit { batch.append(parameters) }
                count += 1
            }
            try reader.end(in: bytes)
        } catch {
            throw .json(error)
        }
        guard count > 0 else { throw .emptyBatch }
        guard count <= limit else { throw .tooMany(limit: limit) }
        return try batch.map { parameters throws(Failure) in try parameters.get() }
    }

    private init() {}

    /// Reads the next object and returns its parameters or its error.
    private static func next(
        from reader: inout JSONReader, _ bytes: Span<UInt8>
    ) throws(JSONFailure) -> Result<RequestParameters, Failure> {
        guard reader.peek(in: bytes) == UInt8(ascii: "{") else {
            return .failure(.notAnObject(JSONKind(try reader.value(in: bytes))))
        }
        var parameters = RequestParameters()
        if let problem = try parameters.readMembers(of: &reader, bytes) { return .failure(problem) }
        return .success(parameters)
    }

    /// Reads the members and returns the first one of a wrong type, if any.
    private mutating func readMembers(
        of reader: inout JSONReader, _ bytes: Span<UInt8>
    ) throws(JSONFailure) -> Failure? {
        var problem: Failure?
        var seen: [RequestKey] = []
        var isFirst = true
        try reader.enter()
        while let (name, nameOffset) = try reader.nextName(in: bytes, isFirst: isFirst) {
            isFirst = false
            guard let key = RequestKey.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
                _ = try reader.value(in: bytes)
                continue
            }
            if seen.contains(key) { throw JSONFailure(reason: .duplicateName(name), offset: nameOffset) }
            seen.append(key)
            _ = reader.peek(in: bytes)
            let start = reader.offset
            let value = try reader.value(in: bytes)
            if !assign(value, to: key), problem == nil {
                problem = .wrongType(of: key, found: JSONKind(value), offset: start)
            }
        }
        return problem
    }

    /// Returns false if the value does not have the type of its key.
    private mutating func assign(_ value: InputValue, to key: RequestKey) -> Bool {
        switch (key, value) {
        case (.query, .string(let text)): query = text
        case (.documentID, .string(let text)): documentID = text
        case (.operationName, .string(let text)): operationName = text
        case (.variables, .object(let object)): variables = object
        case (.extensions, .object(let object)): extensions = object
        case (.documentID, .null), (.operationName, .null), (.variables, .null), (.extensions, .null): break
        case (.query, _), (.documentID, _), (.operationName, _), (.variables, _), (.extensions, _):
            return false
        }
        return true
    }
}

extension JSONKind {
    init(_ value: InputValue) {
        switch value {
        case .null: self = .null
        case .boolean: self = .boolean
        case .int, .number: self = .number
        case .string, .enum: self = .string
        case .list: self = .array
        case .object: self = .object
        }
    }
}

/// The reason why a request's JSON is no valid GraphQL request (GraphQL over HTTP, "Request parameters").
public enum RequestBodyError: Error, Hashable, Sendable {
    /// The text is not valid JSON.
    case notJSON(JSONError)
    /// The text is valid JSON, but no object.
    case notAnObject(found: JSONKind)
    /// A key has a value of the wrong type.
    case wrongType(of: RequestKey, found: JSONKind, at: SourceLocation)
    /// Neither `query` nor another identifier of a document is present.
    case noQuery
    /// An array contains more requests than the limit.
    case tooManyRequests(limit: Int)
    /// The text is an array, and the service accepts no batches.
    case batchNotAllowed
    /// An array contains no request.
    case emptyBatch

    /// The error, its position and the expected value.
    public var message: String {
        switch self {
        case .notJSON(let error): "The request's JSON cannot be read. \(error.message)"
        case .batchNotAllowed:
            "The request is a JSON array, and this server accepts no batches. Send one object with the key \"query\"."
        case .notAnObject(let found):
            "The request must be a JSON object with the key \"query\", not \(found.rawValue)."
        case .wrongType(let key, let found, let location):
            "The key \"\(key.rawValue)\" must be \(key.expectation), not \(found.rawValue), "
                + "at line \(location.line), column \(location.column)."
        case .tooManyRequests(let limit):
            "The request is an array of more than \(limit) requests. Send fewer at a time."
        case .emptyBatch: "The request is an array without a request. Send one object with the key \"query\"."
        case .noQuery:
            "The request has no \"query\". Send the operation as a string: {\"query\": \"{ __typename }\"}."
        }
    }
}

/// The keys of a request.
public enum RequestKey: String, Hashable, Sendable, CaseIterable {
    case query
    case documentID = "documentId"
    case operationName
    case variables
    case extensions

    /// The wording of the value's expected type.
    var expectation: String {
        switch self {
        case .query: "a string"
        case .documentID, .operationName: "a string or null"
        case .variables, .extensions: "an object or null"
        }
    }
}

/// The types of JSON values.
///
/// Same name as the type of Upstream, which reads responses of providers straight into typed values: this one reads the values of
/// a request, whose types are those of the schema, and reports lines and columns.
public enum JSONKind: String, Hashable, Sendable {
    case null
    case boolean = "a boolean"
    case number = "a number"
    case string = "a string"
    case array = "an array"
    case object = "an object"
}
