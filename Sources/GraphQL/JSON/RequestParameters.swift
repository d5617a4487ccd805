/// The members of a request's JSON object, read in one pass into the types that they must have.
struct RequestParameters {
    private(set) var query: String?
    private(set) var documentID: String?
    private(set) var operationName: String?
    private(set) var variables = InputObject()
    private(set) var extensions = InputObject()

    /// Why reading stopped; places are bytes.
    enum Failure: Error {
        case json(JSONFailure)
        case notAnObject(JSONKind)
        case wrongType(of: RequestKey, found: JSONKind, offset: Int)
        case tooMany(limit: Int)
        case emptyBatch
    }

    /// The parameters of one request.
    init(_ bytes: Span<UInt8>, limits: JSONLimits) throws(Failure) {
        let parameters: Result<RequestParameters, Failure>
        do {
            var reader = try JSONReader(bytes, limits: limits)
            parameters = try RequestParameters.next(from: &reader, bytes)
            // Text that is no JSON is told so first, whatever else is wrong with it.
            try reader.end(in: bytes)
        } catch {
            throw .json(error)
        }
        self = try parameters.get()
    }

    /// The parameters of each request in an array of at most so many.
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

    /// The parameters of the object that stands next, or what is wrong with it.
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

    /// The first member of a wrong type, if any.
    private mutating func readMembers(
        of reader: inout JSONReader, _ bytes: Span<UInt8>
    ) throws(JSONFailure) -> Failure? {
        var problem: Failure?
        var seen: [RequestKey] = []
        var isFirst = true
        try reader.enter()
        while let (name, place) = try reader.nextName(in: bytes, isFirst: isFirst) {
            isFirst = false
            guard let key = RequestKey(rawValue: name) else {
                _ = try reader.value(in: bytes)
                continue
            }
            if seen.contains(key) { throw JSONFailure(reason: .duplicateName(name), offset: place) }
            seen.append(key)
            _ = reader.peek(in: bytes)
            let start = reader.offset
            let value = try reader.value(in: bytes)
            if !take(value, as: key), problem == nil {
                problem = .wrongType(of: key, found: JSONKind(value), offset: start)
            }
        }
        return problem
    }

    /// False where the value has not the type that its key demands.
    private mutating func take(_ value: InputValue, as key: RequestKey) -> Bool {
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
