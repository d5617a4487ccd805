import Brokerage
import GraphQL
import Upstream

/// Why something has not worked for a while.
struct OngoingFailure: GraphQLObject {
    typealias Context = GatewayContext

    let error: FieldError
    let since: Instant
    let retryAt: Instant?

    init(_ error: FieldError, since: Instant) {
        self.error = error
        self.since = since
        retryAt = error.retryAt
    }

    /// Why calls to a provider fail now.
    init(_ provider: ProviderID, _ failure: ProviderHealth.Failure) {
        error = FieldError(ProviderFailure(provider, failure.cause))
        since = failure.since
        retryAt = failure.retryAt
    }

    static let graphQL = ObjectType<OngoingFailure>("Failure") {
        Field("code") { $0.error.code }
        Field("message") { $0.error.message }
        Field("since", \.since)
        Field("retryAt", \.retryAt)
    }
}
