/// `ErrorCode` of the schema: every `extensions.code` that a field error may have.
package enum ErrorCode: String, Sendable, CaseIterable {
    case unauthenticated = "UNAUTHENTICATED"
    case forbidden = "FORBIDDEN"
    case badUserInput = "BAD_USER_INPUT"
    case notFound = "NOT_FOUND"
    case conflict = "CONFLICT"
    case assetNotFound = "ASSET_NOT_FOUND"
    case internalServerError = "INTERNAL_SERVER_ERROR"
    case unsupported = "UNSUPPORTED"
    case notEntitled = "NOT_ENTITLED"
    case reconnectRequired = "RECONNECT_REQUIRED"
    case rateLimited = "RATE_LIMITED"
    case quotaExhausted = "QUOTA_EXHAUSTED"
    case providerUnavailable = "PROVIDER_UNAVAILABLE"
    case providerTimeout = "PROVIDER_TIMEOUT"
    case providerAnswerInvalid = "PROVIDER_ANSWER_INVALID"
    case noExchangeRate = "NO_EXCHANGE_RATE"
}
