import Gateway

extension ErrorCode {
    /// What a client does about it, in Markdown.
    var remedy: String {
        switch self {
        case .unauthenticated:
            "Sign in (`signIn`, `startGuestSession`), and ask again with the new session's token."
        case .forbidden:
            "Let the user sign in with the scope that the message names: TRADE must be asked for."
        case .badUserInput:
            "Show the message beside the input that `extensions.argument` names. The same request fails again."
        case .notFound: "Forget the id, and read the list anew that it came from."
        case .conflict:
            """
            Read the object anew and let the user decide. Of orders: see `extensions.rejection`; a new `idempotencyKey` is \
            a new order.
            """
        case .assetNotFound: "Let the user choose among `positions` and `accounts`, or connect the account."
        case .internalServerError:
            """
            A read may be asked for once more; after a mutation, look first whether it has happened. The response's header \
            `X-Request-ID` names the request in the server's log.
            """
        case .unsupported: "Do not offer it: `providers { capabilities { features } }` tells beforehand."
        case .notEntitled: "Tell the user that their plan lacks it. The same request fails again."
        case .reconnectRequired: "Lead the user to `connectProvider` with `renew`, the id of the connection."
        case .rateLimited: "Ask again after `extensions.retryAt`, and less often."
        case .tooManyUpstreamCalls:
            "Request fewer symbols or fields in one operation. The same request may fail again."
        case .quotaExhausted:
            """
            Ask again after `extensions.retryAt`; until then what the rest of the answer has is what there is. Without a \
            session, or with a guest session, offer to sign in.
            """
        case .providerUnavailable, .providerTimeout:
            """
            Show the rest of the answer. Reads were tried again already: ask later, with growing pauses. After a mutation \
            of an order, read the order; the same `idempotencyKey` never places it twice.
            """
        case .providerAnswerInvalid:
            "Show the rest of the answer, and tell who runs the server: asking again rarely helps."
        case .noExchangeRate: "Show the amount in its own currency."
        }
    }
}
