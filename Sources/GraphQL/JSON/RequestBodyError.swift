/// Why a request's JSON says nothing that can be run (GraphQL over HTTP, "Request parameters").
public enum RequestBodyError: Error, Hashable, Sendable {
    /// The text is no JSON.
    case notJSON(JSONError)
    /// The text is JSON, but no object.
    case notAnObject(found: JSONKind)
    /// A key has a value of the wrong type.
    case wrongType(of: RequestKey, found: JSONKind, at: SourceLocation)
    /// There is no `query`, and nothing else that names a document.
    case noQuery
    /// An array has more requests than one may have.
    case tooManyRequests(limit: Int)
    /// The text is an array, and the service accepts no batches.
    case batchNotAllowed
    /// An array has no request.
    case emptyBatch

    /// What is wrong, where, and what would be right.
    public var message: String {
        switch self {
        case .notJSON(let error): "The request's JSON cannot be read. \(error.message)"
        case .batchNotAllowed:
            "The request is a JSON array, and this server accepts no batches. Send one object with the key \"query\"."
        case .notAnObject(let found):
            "The request must be a JSON object with the key \"query\", not \(found.rawValue)."
        case .wrongType(let key, let found, let place):
            "The key \"\(key.rawValue)\" must be \(key.expectation), not \(found.rawValue), "
                + "at line \(place.line), column \(place.column)."
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

    /// What its value must be.
    var expectation: String {
        switch self {
        case .query: "a string"
        case .documentID, .operationName: "a string or null"
        case .variables, .extensions: "an object or null"
        }
    }
}

/// The types of JSON values.
public enum JSONKind: String, Hashable, Sendable {
    case null
    case boolean = "a boolean"
    case number = "a number"
    case string = "a string"
    case array = "an array"
    case object = "an object"
}
