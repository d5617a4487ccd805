import Brokerage
import Gateway
import GraphQL
import NIOHTTP1
import OpenIDConnect
import Web

/// The page of all error codes, with their remedies for clients.
///
/// The file is longer than 350 lines, because the remedies of all codes are in one place.
struct ErrorsPage {
    let page: GeneratedPage

    /// - Parameter schema: The contract, whose descriptions are the meanings of the codes.
    init(_ schema: Schema) {
        page = GeneratedPage(name: "errors.md", text: ErrorsPage.text(schema))
    }

    private static func text(_ schema: Schema) -> String {
        """
        # Errors

        The error codes of a response, and how a client handles them.

        ## Overview

        A field that could not be read is `null`, with an entry in `errors` that has its path and an `extensions.code`; the
        rest of the response is valid. If they are known, `extensions` also has `provider` (the provider that failed),
        `retryAt` (the time from which to try again), `argument` (the invalid argument, as in
        `input.allocations[0].symbol`), `rejection`, and `reason` (of a refused sign-in). The `message` is for people, and its
        wording may change.

        `make docs` generates this page from the code.

        ## Field errors

        `ErrorCode` in the schema, a closed set.

        \(codes(schema).text)
        ## Order rejections

        `RejectionReason`: why a broker refuses an order or a change. `Order.rejection.reason` of a REJECTED order has it, and
        `extensions.rejection` of the error CONFLICT if the broker refused a change.

        \(reasons(schema).text)
        ## Refused sign-ins

        `extensions.reason`: why a sign-in with the [identity provider](sign-in.md), or one of its tokens, is refused. The
        response 401 of a request to another path than `/graphql` has it in its message. Each field that needs a session gets
        UNAUTHENTICATED if the token of its request is refused.

        \(refusals.text)
        ## Operations that are too large

        An operation above a limit is refused before a provider is called. Only the cost depends on the variables.
        The bytes of a response are counted after the operation has run: the changes of a mutation stay in
        effect, and a client can read the changed objects with fewer fields.

        A field whose list has no known length gets SLICING_ARGUMENT_REQUIRED: give exactly one of the arguments that the
        message names.

        \(limits.text)
        ## Documents, variables and operation names that are not valid

        The response has no `data`, and an error for each defect, at most 50. As with operations that are too large, the status
        is 400 if the client accepts `application/graphql-response+json`, and 200 with `application/json`. A WebSocket gets an
        `error` message, a stream an event, and a tool of [`/mcp`](mcp.md) a result with `isError`. Messages quote at most 256
        bytes of a value.

        \(invalidRequests.text)
        ## Request errors

        A request that is refused before its operation runs has one error, without a path. Its `extensions` have the
        `code`, the `requestId` (under which the server logs it if the setting `log-responses` is on), and `retryAt` with
        RATE_LIMITED. Operations of a WebSocket get the same codes in an `error` message, streams in an event, both
        without a status and `Retry-After`; requests of a batch get them in their response.

        \(requests.text)
        """
    }

    private static func codes(_ schema: Schema) -> MarkdownTable {
        MarkdownTable(
            columns: ["Code", "Meaning", "Remedy"],
            rows: ErrorCode.allCases.map { code in
                ["`\(code.rawValue)`", meaning(of: code.rawValue, in: "ErrorCode", schema), code.remedy]
            })
    }

    private static func reasons(_ schema: Schema) -> MarkdownTable {
        MarkdownTable(
            columns: ["Reason", "Meaning", "Remedy"],
            rows: RejectionReason.allCases.map { reason in
                [
                    "`\(reason.rawValue)`", meaning(of: reason.rawValue, in: "RejectionReason", schema),
                    reason.remedy,
                ]
            })
    }

    private static var refusals: MarkdownTable {
        MarkdownTable(
            columns: ["Reason", "Code", "Meaning"],
            rows: SignInRejection.allCases.map { reason in
                ["`\(reason.rawValue)`", "`\(FieldError(reason).code.rawValue)`", reason.message]
            })
    }

    private static var limits: MarkdownTable {
        MarkdownTable(
            columns: ["Code", "Counted", "Maximum"],
            rows: OperationLimit.allCases.map { limit in
                ["`\(limit.code)`", limit.subject, "\(limit.maximum(in: .default))"]
            })
    }

    private static var invalidRequests: MarkdownTable {
        MarkdownTable(
            columns: ["Code", "Meaning", "Remedy"],
            rows: RequestErrorCode.allCases.filter { HTTPErrorCode(rawValue: $0.rawValue) == nil }.map {
                code in
                ["`\(code.rawValue)`", code.meaning, code.remedy]
            })
    }

    private static var requests: MarkdownTable {
        MarkdownTable(
            columns: ["Code", "Status", "Meaning", "Remedy"],
            rows: HTTPErrorCode.allCases.map { code in
                ["`\(code.rawValue)`", "\(code.status.code)", code.meaning, code.remedy]
            })
    }

    /// The description of an enum's value in the schema.
    private static func meaning(of value: String, in type: String, _ schema: Schema) -> String {
        guard case .enum(let definition) = schema.type(named: type)?.kind else { return "" }
        return definition.value(named: value)?.description ?? ""
    }
}

extension ErrorCode {
    /// The remedy for a client, in Markdown.
    var remedy: String {
        switch self {
        case .unauthenticated:
            """
            Sign in (`signIn`, `startGuestSession`), and send the request again with the new session's token. At `signIn` and \
            `completeSignIn`, the session of the page goes on: show the message, and let the user try again.
            """
        case .forbidden:
            """
            Do what the message says. If it asks for a scope, let the user sign in with it: TRADE must be requested; if it says \
            that the user cannot have the scope, begin without it. If it tells a guest to sign up, offer `signUp`.
            """
        case .badUserInput:
            "Show the message beside the input that `extensions.argument` names. The same request fails again."
        case .notFound:
            """
            For a symbol, show the message, which can name the right one, and let the user choose another by `search`. For \
            an id, discard it, and read the list again that contained it.
            """
        case .conflict:
            """
            Read the object again and let the user decide. For orders, see `extensions.rejection`; a new \
            `idempotencyKey` is a new order.
            """
        case .assetNotFound: "Let the user choose among `positions` and `accounts`, or connect the account."
        case .internalServerError:
            """
            Send a query once more; after a mutation, check first whether it took effect. The response's header \
            `X-Request-ID` identifies the request in the server's log.
            """
        case .unsupported:
            "Do not offer it: `providers { capabilities { features } }` lists the supported features."
        case .notEntitled: "Tell the user that their plan does not include it. The same request fails again."
        case .reconnectRequired:
            "Let the user connect again: `connectProvider` with the id of the connection as `renew`."
        case .rateLimited: "Send the request again after `extensions.retryAt`, and send fewer requests."
        case .tooManyUpstreamCalls:
            "Request fewer symbols or fields in one operation. The same request may fail again."
        case .quotaExhausted:
            """
            Send the request again after `extensions.retryAt`; until then, show the rest of the response. Without a \
            session, or with a guest session, offer to sign in.
            """
        case .providerUnavailable, .providerTimeout:
            """
            Show the rest of the response. Portico has already retried reads: send the request again later, with \
            increasing delays. After a mutation of an order, read the order; the same `idempotencyKey` never places it \
            twice.
            """
        case .providerResponseInvalid:
            "Show the rest of the response, and tell the operator of the server: a retry rarely helps."
        case .noExchangeRate: "Show the amount in its own currency."
        case .storageUnavailable:
            """
            Send the request again after `extensions.retryAt`, with increasing delays. Keep the token. After a mutation, \
            read the object first; an order keeps its `idempotencyKey`.
            """
        }
    }
}

extension RequestErrorCode {
    /// Why a request gets it, in Markdown.
    var meaning: String {
        switch self {
        case .parseFailed: "The document has a syntax error, or exceeds a limit of the parser."
        case .validationFailed: "The document does not fit the schema, or violates another rule of GraphQL."
        case .badUserInput:
            "A variable, or an argument that contains one, does not have a value of its type. It has no `extensions.argument`."
        case .operationNotResolved:
            "The document has no operation with the name, or several operations and the request has no `operationName`."
        case .operationNotAllowed: HTTPErrorCode.methodNotAllowed.meaning
        }
    }

    /// The remedy for a client, in Markdown.
    var remedy: String {
        switch self {
        case .parseFailed, .validationFailed:
            "Correct the document at the `locations`; `portico operations check` finds the errors before a release."
        case .badUserInput: "Correct the value that the message names. The same request fails again."
        case .operationNotResolved: "Send the name of one of the document's operations as `operationName`."
        case .operationNotAllowed: HTTPErrorCode.methodNotAllowed.remedy
        }
    }
}

extension HTTPErrorCode {
    /// Why a request gets it, in Markdown.
    var meaning: String {
        switch self {
        case .persistedQueryNotFound:
            "The server does not have the text of the automatic persisted query with this hash, or no longer has it."
        case .persistedQueryNotSupported: "The server stores no automatic persisted queries."
        case .documentNotFound: "No trusted document has the `documentId`."
        case .documentNotTrusted: "The server runs trusted documents only."
        case .badRequest:
            """
            The request is malformed: its HTTP, a parameter of its URL, or the JSON of its body; or its URL contains a token. \
            An unknown expectation (`Expect`) gets this code with status 417.
            """
        case .unauthenticated:
            "`Authorization` is not a bearer token, or a request for `/export` has no valid token."
        case .originNotAllowed:
            """
            A page of another site makes a browser send a CORS preflight, a GET, a HEAD, the handshake of a WebSocket, or a \
            POST to `/mcp`. Other POSTs are not refused: browsers send them only after a preflight, and show the page no \
            response.
            """
        case .notFound: "The server has no resource at the path."
        case .conflict:
            "The event stream is open on another connection, or an operation with this id is running on it."
        case .methodNotAllowed: "The path does not accept the method, or a mutation is sent with GET."
        case .notAcceptable: "`Accept` has none of the media types in which the server can respond."
        case .requestTimeout: "The head or the body of the request took too long to arrive."
        case .payloadTooLarge: "The body is longer than the server's setting `maximum-body`."
        case .uriTooLong: "The URL is too long."
        case .unsupportedMediaType: "The body is not JSON in UTF-8, or it is compressed."
        case .hostNotAllowed: "The server does not accept the host that the request names."
        case .upgradeRequired: "The version of a WebSocket handshake is not 13."
        case .rateLimited:
            """
            The address, the token or the user has exceeded its limit of requests or of exports, or all users together \
            have exceeded their limit of exports.
            """
        case .headersTooLarge: "The header fields are too long or too many."
        case .internalServerError: "An error in the server, logged under `extensions.requestId`."
        case .notImplemented: "The server does not support the method, or the transfer coding."
        case .overloaded:
            """
            The server, or the client, has reached its limit of connections, requests, streams, WebSockets or memory; the \
            message names it.
            """
        case .shuttingDown: "The server is shutting down, and has not started the request."
        case .requestAborted:
            "The server is shutting down, and has not finished the request within `shutdown-grace-period`."
        case .timeout: "The response took too long."
        case .httpVersionNotSupported: "The version of HTTP is not 1.0, 1.1 or 2."
        }
    }

    /// The remedy for a client, in Markdown.
    var remedy: String {
        switch self {
        case .persistedQueryNotFound: "Send the request again with the text and the hash."
        case .persistedQueryNotSupported: "Send the text without `extensions.persistedQuery`."
        case .documentNotFound: "Send the id of a trusted document."
        case .documentNotTrusted: "Send the `documentId` of a trusted document in place of `query`."
        case .badRequest: "Correct the error that the message describes. The same request fails again."
        case .unauthenticated: "Sign in, and send `Authorization: Bearer <token>` with the new token."
        case .originNotAllowed:
            "The operator of the server adds the site to `PORTICO_CORS_ORIGINS`, or the server's own name to `PORTICO_HOSTS`."
        case .notFound: "Send operations to `/graphql`."
        case .conflict: "Reserve another event stream, or use another `operationId`."
        case .methodNotAllowed: "Use a method that the header `Allow` names; mutations need POST."
        case .notAcceptable:
            """
            Accept `application/graphql-response+json` or `application/json`; for a subscription, `text/event-stream` or \
            `multipart/mixed;subscriptionSpec=1.0`.
            """
        case .requestTimeout: "Send the request again, without pauses between its parts."
        case .payloadTooLarge:
            "Send a shorter body, such as a `documentId` in place of the text. The same request fails again."
        case .uriTooLong: "Send the request with POST, its parameters in a JSON body."
        case .unsupportedMediaType:
            "Send `Content-Type: application/json`, and no `Content-Encoding`."
        case .hostNotAllowed:
            """
            Use an address that the server listens on. The operator of the server adds the names by which clients reach \
            it to the setting `hosts`.
            """
        case .upgradeRequired: "Send `Sec-WebSocket-Version: 13`."
        case .rateLimited:
            "Send the request again after `extensions.retryAt` (also in `Retry-After`), and send fewer requests."
        case .headersTooLarge: "Send fewer or shorter header fields, such as cookies."
        case .notImplemented: "Use GET, HEAD or POST, and `Content-Length` or `Transfer-Encoding: chunked`."
        case .overloaded:
            """
            Send the request again after `Retry-After`. If the message names a limit of the client, end connections, WebSockets or \
            streams first. Without `Retry-After`, it is a mutation that was run: check first whether it took effect.
            """
        case .shuttingDown: "Send the request again after `Retry-After`."
        case .internalServerError, .requestAborted, .timeout:
            "A query can be sent again; after a mutation, check first whether it took effect."
        case .httpVersionNotSupported: "Use HTTP/1.1 or HTTP/2."
        }
    }
}

extension RejectionReason {
    /// The remedy for a client, in Markdown.
    var remedy: String {
        switch self {
        case .insufficientFunds: "Show `Account.buyingPower`, and offer a smaller order."
        case .insufficientQuantity: "Show `Position.availableQuantity`, which open orders do not reserve."
        case .price: "Show the current `Quote` and `Listing.tickSize`, and let the user correct the price."
        case .quantity: "Show `Listing.minimumQuantity` and `Listing.quantityIncrement`."
        case .marketClosed: "Show `marketClock { nextOpen }`, or offer another `timeInForce`."
        case .notTradable:
            "Do not offer the order: `Instrument.listings` has the order types that each broker accepts."
        case .tradingBlocked: "Tell the user to contact the broker, which can lift the block."
        case .disclaimers:
            "Show `disclaimers`, call `acceptDisclaimers`, and place the order again with the same `idempotencyKey`."
        case .tooLate: "Read the order again: it is filled, canceled or expired."
        case .other: "Show `message`, the text of the broker."
        }
    }
}

extension OperationLimit {
    /// The part of an operation that the limit bounds.
    var subject: String {
        switch self {
        case .tokens: "Tokens of the document."
        case .depth: "Levels of fields."
        case .introspectionDepth: "Levels of fields below `__schema` and `__type`."
        case .aliases: "Fields with an alias."
        case .rootFields: "Fields of the root."
        case .selections: "Fields of any one selection set."
        case .fields: "All fields, with fragments expanded."
        case .directives: "Directives at one location."
        case .fieldCost:
            "The cost of fields (`@cost`); fields of list items are multiplied by the maximum length of the list."
        case .typeCost: "The cost of the returned objects, multiplied in the same way."
        case .responseBytes: "Bytes of the response, `errors` and deferred parts included."
        }
    }

    /// The maximum of the limit.
    func maximum(in limits: OperationLimits) -> Int {
        switch self {
        case .tokens: limits.tokens
        case .depth: limits.depth
        case .introspectionDepth: limits.introspectionDepth
        case .aliases: limits.aliases
        case .rootFields: limits.rootFields
        case .selections: limits.selections
        case .fields: limits.fields
        case .directives: limits.directives
        case .fieldCost, .typeCost: limits.cost
        case .responseBytes: limits.responseBytes
        }
    }
}
