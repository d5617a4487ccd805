package import Brokerage
package import GraphQL

/// A failure of one field, as clients see it.
package struct FieldError: ClientVisibleError, Hashable {
    package let code: ErrorCode
    package let message: String
    /// Who failed, where it was a provider.
    package var provider: ProviderID?
    /// When to try again, where somebody knows.
    package var retryAt: Instant?
    /// The argument that is wrong, where one is: `input.allocations[0].symbol`.
    package var argument: String?
    /// Why a broker refused to change an order.
    package var rejection: RejectionReason?

    package init(_ code: ErrorCode, _ message: String, provider: ProviderID? = nil, retryAt: Instant? = nil) {
        self.code = code
        self.message = message
        self.provider = provider
        self.retryAt = retryAt
    }

    package var extensions: InputObject {
        var extensions: InputObject = ["code": .string(code.rawValue)]
        if let provider { extensions["provider"] = .string(provider.rawValue) }
        if let retryAt { extensions["retryAt"] = .string(retryAt.description) }
        if let argument { extensions["argument"] = .string(argument) }
        if let rejection { extensions["rejection"] = .string(rejection.rawValue) }
        // What is kept from the client is in the log, under this name.
        if code == .internalServerError, let id = CurrentRequest.id {
            extensions["requestId"] = .string(id.description)
        }
        return extensions
    }
}

extension FieldError {
    /// An argument that cannot be used, for what Portico knows and not for its form.
    package static func argument(
        _ path: String, code: ErrorCode = .badUserInput, _ reason: String, provider: ProviderID? = nil
    ) -> FieldError {
        FieldError(code, reason, provider: provider).of(argument: path)
    }

    /// The same error, of an argument.
    func of(argument path: String) -> FieldError {
        var error = FieldError(code, "Argument \"\(path)\": \(message)", provider: provider, retryAt: retryAt)
        error.argument = path
        return error
    }

    /// The error that clients get for an error of any type; for another type than this one, `noAnswer`.
    init(reporting error: any Error) {
        self = error as? FieldError ?? .internalError
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

    /// No account of the user has this id.
    static func noAccount(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no account \"\(id.beginning(80))\".")
    }

    /// A source was asked and nothing came of it, which no source does.
    static let internalError = FieldError(.internalServerError, "Internal server error.")
}
