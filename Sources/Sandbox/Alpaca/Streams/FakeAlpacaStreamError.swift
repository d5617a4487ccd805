/// What the data stream refuses, by its code.
enum FakeAlpacaStreamError: Int {
    case invalidSyntax = 400
    case notAuthenticated = 401
    case authenticationFailed = 402
    case alreadyAuthenticated = 403
    case authenticationTimeout = 404
    case symbolLimit = 405
    case connectionLimit = 406

    var document: JSONDocument {
        let message =
            switch self {
            case .invalidSyntax: "invalid syntax"
            case .notAuthenticated: "not authenticated"
            case .authenticationFailed: "auth failed"
            case .alreadyAuthenticated: "already authenticated"
            case .authenticationTimeout: "auth timeout"
            case .symbolLimit: "symbol limit exceeded"
            case .connectionLimit: "connection limit exceeded"
            }
        return ["T": "error", "code": JSONDocument(integerLiteral: rawValue), "msg": .string(message)]
    }
}
