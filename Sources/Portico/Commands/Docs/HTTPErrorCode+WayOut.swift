import Web

extension HTTPErrorCode {
    /// Why a request gets it, in Markdown.
    var meaning: String {
        switch self {
        case .persistedQueryNotFound:
            "The server does not have the text of the automatic persisted query with this hash, or no longer has it."
        case .persistedQueryNotSupported: "The server stores no automatic persisted queries."
        case .documentNotFound: "No registered document has the `documentId`."
        case .documentNotTrusted: "The server runs registered documents only."
        case .badRequest:
            """
            The request is malformed: its HTTP, a parameter of its URL, or the JSON of its body; or its URL has a token. \
            An unknown expectation (`Expect`) gets this code with status 417.
            """
        case .unauthenticated:
            "`Authorization` is not a bearer token, or a request for `/export` has no valid token."
        case .originNotAllowed: "A browser sends the request for a page of another site."
        case .notFound: "Nothing is at the path."
        case .methodNotAllowed: "The path does not accept the method, or a mutation is sent with GET."
        case .notAcceptable: "`Accept` has none of the media types in which the server can respond."
        case .requestTimeout: "The head or the body of the request took too long to arrive."
        case .payloadTooLarge: "The body is longer than the server's setting `maximum-body`."
        case .uriTooLong: "The URL is too long."
        case .unsupportedMediaType: "The body is not JSON in UTF-8, or it is compressed."
        case .hostNotAllowed: "The server does not accept the host that the request names."
        case .upgradeRequired: "The handshake of a WebSocket has another version than 13."
        case .rateLimited:
            """
            The address, the token or the user has sent more requests, or more requests for exports, than it may, or all \
            users together have requested more exports.
            """
        case .headersTooLarge: "The header fields are too long or too many."
        case .internalServerError: "A fault of the server, logged under `extensions.requestId`."
        case .notImplemented: "The server does not know the method, or the transfer coding."
        case .overloaded:
            """
            The server, or the client, has as many connections, requests, streams or WebSockets as it may, or uses as much \
            memory; the message says which.
            """
        case .shuttingDown: "The server is shutting down, and has not started the request."
        case .requestAborted:
            "The server is shutting down, and has not finished the request within `shutdown-grace-period`."
        case .timeout: "The response took too long."
        case .httpVersionNotSupported: "The version of HTTP is not 1.0, 1.1 or 2."
        }
    }

    /// What a client does about it, in Markdown.
    var remedy: String {
        switch self {
        case .persistedQueryNotFound: "Send the request again with the text and the hash."
        case .persistedQueryNotSupported: "Send the text without `extensions.persistedQuery`."
        case .documentNotFound: "Send the id of a registered document."
        case .documentNotTrusted: "Send the `documentId` of a registered document in place of `query`."
        case .badRequest: "Correct what the message names. The same request fails again."
        case .unauthenticated: "Sign in, and send `Authorization: Bearer <token>` with the new token."
        case .originNotAllowed:
            "Who runs the server adds the site to the setting `cors-origins`, or the server's own name to `hosts`."
        case .notFound: "Send operations to `/graphql`."
        case .methodNotAllowed: "Use a method that the header `Allow` names; mutations need POST."
        case .notAcceptable:
            """
            Accept `application/graphql-response+json` or `application/json`; for a subscription, `text/event-stream` or \
            `multipart/mixed;subscriptionSpec=1.0`.
            """
        case .requestTimeout: "Send the request again, all of it at once."
        case .payloadTooLarge:
            "Send a shorter body, such as a `documentId` in place of the text. The same request fails again."
        case .uriTooLong: "Send the request with POST, its parameters in a JSON body."
        case .unsupportedMediaType:
            "Send `Content-Type: application/json`, and no `Content-Encoding`."
        case .hostNotAllowed:
            """
            Use an address that the server listens on. Who runs the server adds the names by which clients reach it to \
            the setting `hosts`.
            """
        case .upgradeRequired: "Send `Sec-WebSocket-Version: 13`."
        case .rateLimited: "Ask again after `extensions.retryAt` (also in `Retry-After`), and less often."
        case .headersTooLarge: "Send fewer or shorter header fields, such as cookies."
        case .notImplemented: "Use GET, HEAD or POST, and `Content-Length` or `Transfer-Encoding: chunked`."
        case .overloaded:
            """
            Ask again after `Retry-After`. If the message names a limit of the client, end connections, WebSockets or \
            streams first.
            """
        case .shuttingDown: "Send the request again after `Retry-After`."
        case .internalServerError, .requestAborted, .timeout:
            "A query can be sent again; after a mutation, check first whether it took effect."
        case .httpVersionNotSupported: "Use HTTP/1.1 or HTTP/2."
        }
    }
}
