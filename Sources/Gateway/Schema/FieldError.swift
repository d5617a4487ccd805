package import Brokerage
package import GraphQL
package import OpenIDConnect
import Storage
package import Upstream

/// A failure of one field, as clients see it.
package struct FieldError: ClientVisibleError, Hashable {
    package let code: ErrorCode
    package let message: String
    /// The provider that failed; nil for other errors.
    package var provider: ProviderID?
    /// The time of the next attempt, if it is known.
    package var retryAt: Instant?
    /// The invalid argument, for example `input.allocations[0].symbol`.
    package var argument: String?
    /// The reason why a broker refused to change an order.
    package var rejection: RejectionReason?
    /// Whether a limit of calls of this process is reached, so that the error says nothing about the provider.
    private(set) var isOverload = false
    /// The reason why a token of the identity provider, or a sign-in with it, was refused.
    package var reason: SignInRejection?

    package init(_ code: ErrorCode, _ message: String, provider: ProviderID? = nil, retryAt: Instant? = nil) {
        self.code = code
        self.message = message
        self.provider = provider
        self.retryAt = retryAt
    }

    package var extensions: InputObject {
        var extensions: InputObject = ["code": .string(code.rawValue)]
        if let provider {
            extensions["provider"] = .string(provider.name.text)
        }
        if let retryAt { extensions["retryAt"] = .string(retryAt.dateTime) }
        if let argument { extensions["argument"] = .string(argument) }
        if let rejection { extensions["rejection"] = .string(rejection.rawValue) }
        if let reason { extensions["reason"] = .string(reason.rawValue) }
        // The log has the details under this id.
        if code == .internalServerError, let id = CurrentRequest.id {
            extensions["requestId"] = .string(id.description)
        }
        return extensions
    }
}

extension FieldError {
    /// An argument with a valid form that cannot be used.
    package static func argument(
        _ path: String, code: ErrorCode = .badUserInput, _ reason: String, provider: ProviderID? = nil
    ) -> FieldError {
        FieldError(code, reason, provider: provider).of(argument: path)
    }

    /// The same error, of an argument.
    func of(argument path: String) -> FieldError {
        var error = FieldError(code, "Argument \"\(path)\": \(message)", provider: provider, retryAt: retryAt)
        (error.argument, error.isOverload) = (path, isOverload)
        return error
    }

    /// The error that clients get for an error of any type; for another type than this one, `internalError`.
    init(reporting error: any Error) {
        self =
            error as? FieldError ?? (error as? StorageError).flatMap { FieldError(expected: $0) }
            ?? .internalError
    }

    /// Whether it equals another error, except for the time after which to try again.
    func isEquivalent(to other: FieldError) -> Bool {
        var other = other
        other.retryAt = retryAt
        return self == other
    }

    /// Checks a number against the range of its argument.
    static func check(
        _ number: Int, of argument: String, in range: ClosedRange<Int>
    ) throws(FieldError) {
        guard range.contains(number) else {
            throw .argument(
                argument, "It is \(number); it takes \(range.lowerBound) to \(range.upperBound).")
        }
    }

    /// Checks the length of a list against the limit of its argument.
    static func checkCount(
        of entries: some Collection, of argument: String = "symbols", maximum most: Int
    ) throws(FieldError) {
        guard entries.count <= most else {
            throw .argument(argument, "It has \(entries.count) entries; at most \(most) are allowed.")
        }
    }

    /// No account of the user has this id.
    static func noAccount(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no account \"\(id.beginning(80))\".")
    }

    /// A row of a list of a provider that could not be read; the others are in the list.
    ///
    /// - Parameters:
    ///   - item: What the row is: `an article`.
    ///   - reason: Its place in the response and the error, without a value of it.
    ///   - provider: The provider.
    /// - Returns: The error of the row.
    static func unreadable(_ item: String, _ reason: String, of provider: ProviderID) -> FieldError {
        FieldError(
            .providerResponseInvalid,
            "\(provider.name.text) sent \(item) that cannot be read: \(reason).", provider: provider)
    }

    /// A source returned neither a value nor an error, which is a defect.
    static let internalError = FieldError(.internalServerError, "Internal server error.")
}

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
    case providerResponseInvalid = "PROVIDER_RESPONSE_INVALID"
    case tooManyUpstreamCalls = "TOO_MANY_UPSTREAM_CALLS"
    case noExchangeRate = "NO_EXCHANGE_RATE"
    case storageUnavailable = "STORAGE_UNAVAILABLE"
}

extension FieldError {
    /// The error for clients of a provider's failure.
    ///
    /// The message names the failure and the remedy, and the place in a response that could not be read; it contains no value of
    /// the provider.
    init(_ failure: ProviderFailure) {
        let name = failure.provider.name.text
        let (code, message): (ErrorCode, String) =
            switch failure.cause {
            case .unavailable, .circuitOpen:
                (.providerUnavailable, "\(name) could not be reached or is out of order.")
            case .timedOut: (.providerTimeout, "\(name) did not respond in time.")
            case .invalidResponse(let error):
                (
                    .providerResponseInvalid,
                    "\(name) sent a response that cannot be used\(error.map { Self.place($0.pathDescription, "\($0.reason)") } ?? "")."
                )
            case .unauthorized: (.reconnectRequired, "\(name) refused the credential: connect with it again.")
            case .notEntitled:
                (.notEntitled, "\(name) does not allow this to the user or plan of this connection.")
            case .notFound: (.notFound, "\(name) knows no such thing.")
            case .rateLimited, .quotaExhausted: (.quotaExhausted, "\(name) allows no further call for now.")
            case .unsupported: (.unsupported, "\(name) has no such thing.")
            case .overloaded: (.providerUnavailable, "Too many calls to \(name) are waiting; try again soon.")
            case .tooMany(let items, let limit):
                (
                    .providerResponseInvalid,
                    "\(name) has more than \(limit) \(items.rawValue), the most that Portico reads. \(items.remedy)"
                )
            case .feedFull(nil):
                (
                    .rateLimited,
                    "The price feed of \(name) is full; Portico tries again."
                )
            case .feedFull(let limit?):
                (
                    .rateLimited,
                    """
                    One client may follow \(limit) symbols of \(name) at a time. End another subscription; Portico \
                    tries again.
                    """
                )
            case .cancelled: (.providerUnavailable, "The call to \(name) was cancelled.")
            case .notAllowed(.operation(let limit)):
                (
                    .tooManyUpstreamCalls,
                    "The operation needs more than \(limit) calls to providers. Request less in one operation."
                )
            case .notAllowed(.client(let limit, _)):
                (
                    .rateLimited,
                    """
                    A client without a session, or with a guest session, has \(limit) calls to providers a \
                    minute: wait, or sign in.
                    """
                )
            case .notAllowed(.sharedQuota):
                (
                    .quotaExhausted,
                    """
                    All clients without a session, or with a guest session, have used up their part of the quota of \
                    \(name): wait, or sign in.
                    """
                )
            case .notAllowed(.uncounted):
                (
                    .storageUnavailable,
                    """
                    The database that counts calls to providers is not available, so \(name) was not called. Try again \
                    later.
                    """
                )
            }
        let provider: ProviderID? =
            switch failure.cause {
            // The limit is Portico's own, so no provider is named.
            case .notAllowed(.operation), .notAllowed(.client), .notAllowed(.uncounted): nil
            default: failure.provider
            }
        self.init(code, message, provider: provider, retryAt: failure.retryAt)
        isOverload = failure.cause == .overloaded
    }
}

extension FieldError {
    /// `: COST.latestTrade.p: expected a decimal, found an object`: without the number of the byte, so that the same error has
    /// the same message in each response.
    private static func place(_ path: String, _ reason: String) -> String {
        ": " + (path.isEmpty ? "" : "\(path): ") + reason
    }
}

extension ProviderFailure.Excess {
    /// What a client can do to get fewer of them.
    fileprivate var remedy: String {
        switch self {
        case .watchlists: "Delete watchlists at the broker."
        case .pagesOfCharts: "Request fewer symbols, or a shorter period."
        case .pagesOfCorporateActions: "Request fewer symbols."
        }
    }
}

extension ProviderFailure {
    /// The time after which a retry can succeed, if it is known.
    fileprivate var retryAt: Instant? {
        // Portico's own longest pause before it tries the feed again.
        if case .feedFull = cause { return .now + .seconds(30) }
        return cause.retryAt
    }
}

extension FieldError {
    /// No connection of the user has this id.
    static func noConnection(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no connection \"\(id.beginning(80))\".")
    }

    /// The error for a user or a connection that cannot be deleted, because the broker has not responded to
    /// requests about orders.
    ///
    /// - Parameters:
    ///   - count: The number of writes that are not sent or have no response.
    ///   - whose: `this user's`.
    ///   - remedy: The action that is possible afterwards: `Delete the user`.
    /// - Returns: CONFLICT.
    static func ordersInProgress(_ count: Int, _ whose: String, _ remedy: String) -> FieldError {
        let requests = count == 1 ? "1 request" : "\(count) requests"
        return FieldError(
            .conflict,
            """
            \(requests) about \(whose) orders \(count == 1 ? "is" : "are") in progress at a broker. \(remedy) when \
            \(count == 1 ? "it has" : "they have") ended, in a minute at most.
            """)
    }

    /// The error of a credential that could not be tested, or was rejected.
    ///
    /// It is not the credential of a stored connection, so to reconnect is no remedy.
    package init(connecting failure: ProviderFailure) {
        guard failure.cause == .unauthorized else {
            self.init(failure)
            return
        }
        self = .argument(
            "input.credential",
            """
            \(failure.provider.name.text) did not accept the credential: check that it is complete, not expired, and of \
            this environment.
            """, provider: failure.provider)
    }
}

extension FieldError {
    /// The error of a failed attempt to connect with a provider.
    init(_ error: ConnectError, of provider: ProviderID) {
        switch error {
        case .argument(let path, let message): self = .argument(path, message, provider: provider)
        case .failed(let failure): self.init(connecting: failure)
        case .noApplication(let variable):
            self.init(
                .unsupported,
                """
                This server is not registered as an application with \(provider.name.text): its operator sets \
                \(variable), or users bring another credential that `connectProvider` takes.
                """, provider: provider)
        }
    }
}

/// Calls a store, and converts its error to one for clients.
///
/// - Parameters:
///   - report: Receives the error, whose details clients do not receive.
///   - body: Calls the store.
/// - Returns: The result of `body`.
/// - Throws: The converted error.
func mapStorageErrors<Value>(
    reporting report: (StorageError) -> Void, _ body: () async throws(StorageError) -> Value
) async throws(FieldError) -> Value {
    do throws(StorageError) {
        return try await body()
    } catch {
        report(error)
        throw FieldError(error)
    }
}
