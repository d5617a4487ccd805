import GraphQL
import NIOCore
import NIOHTTP1

extension HTTPError {
    /// For people: what is wrong, and a way out.
    var message: String {
        switch self {
        case .malformed(let malformation): malformation.message
        case .unsupportedVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        case .unsupportedMethod: "The method is none that is known here; use GET, HEAD or POST."
        case .uriTooLong(let limit):
            "The URL is longer than \(limit) bytes. Send the request with POST, its parameters in a JSON body."
        case .headersTooLarge(let limit):
            "The header fields are longer than \(limit) bytes."
        case .tooManyFields(let limit): "A request has at most \(limit) header fields."
        case .bodyTooLarge(let limit): "The body is longer than \(limit) bytes."
        case .unsupportedTransferEncoding: "The only transfer coding that is understood is \"chunked\"."
        case .expectationFailed(let text): "The expectation \"\(text)\" is not \"100-continue\"."
        case .slow(let part, let limit):
            "The request's \(part.rawValue) took longer than \(limit.seconds) seconds to arrive."
        case .unknownHost(let host):
            "This server does not accept the host \"\(host)\". Use an address that it listens on, or add the name "
                + "to its setting \"hosts\"."
        case .foreignOrigin(nil):
            "Pages of other sites may not send this request. Open the address directly, or add the site to the server's "
                + "setting \"cors-origins\"."
        case .foreignOrigin(let origin?):
            "Pages of \"\(origin)\" may not send this request. Add the site to the server's setting "
                + "\"cors-origins\", or its name to \"hosts\" if it is the server's own."
        case .unknownPath(let path): "Nothing is at \"\(path)\". The endpoint is \"/graphql\"."
        case .methodNotAllowed(let method, let allowed):
            "\(method.rawValue) is not allowed here; use \(allowed.list(conjunction: "or"))."
        case .unsupportedMediaType(nil):
            "The request has no Content-Type. Send \"Content-Type: application/json\"."
        case .unsupportedMediaType(let type?):
            "The Content-Type \"\(type)\" is not supported. Send \"application/json\" in UTF-8."
        case .unsupportedContentEncoding(let coding):
            "The Content-Encoding \"\(coding)\" is not supported. Send the body as it is."
        case .notAcceptable(let accept):
            "Nothing can be answered in \"\(accept)\". Accept \"application/graphql-response+json\" or "
                + "\"application/json\"."
        case .severalResponses:
            "A subscription has several responses. Accept \"text/event-stream\" or "
                + "\"multipart/mixed;subscriptionSpec=1.0\", or open a WebSocket."
        case .unauthorized(let refusal): refusal.message
        case .tokenInURL(let parameter):
            "The parameter \"\(parameter)\" looks like a token, and URLs are kept in histories and logs. "
                + "Send \"Authorization: Bearer <token>\" instead, and replace a token that was sent so."
        case .invalidParameter(let name, let reason): "The URL's parameter \"\(name)\" \(reason)."
        case .invalidRequest(.batchNotAllowed):
            RequestBodyError.batchNotAllowed.message
                + " With `portico serve`, the setting \"batch\" is the largest number of requests in an array."
        case .invalidRequest(let error): error.message
        case .document(let problem): problem.message
        case .webSocketVersion: "WebSockets are spoken in version 13 only."
        case .webSocketKey: "Sec-WebSocket-Key must be 16 bytes in base64."
        case .overloaded(let overload): overload.message
        case .tooManyRequests(let sender, let requests, let delay):
            "Too many \(requests) come \(sender.origin). Try again in \(delay.secondsRoundedUp) seconds."
        case .answerTooSlow(let limit): "The answer took longer than \(limit.seconds) seconds."
        case .shuttingDown:
            "The server is shutting down and did not start the request. Send it again in a moment."
        case .aborted(let limit):
            "The server is shutting down, and did not finish the request within \(limit.seconds) seconds. A query "
                + "can be sent again; after a mutation, check first whether it took effect."
        case .internalError: "Internal server error"
        }
    }
}

extension HTTPError.MalformedMessage {
    fileprivate var message: String {
        switch self {
        case .syntax(let reason): "The request is no HTTP: \(reason)."
        case .target: "The request's target is neither a path nor a URL."
        case .host: "A request has exactly one Host field."
        case .hostName: "The Host field names no host; it has the form \"example.com:8080\"."
        case .framing: "A request has Content-Length or Transfer-Encoding, never both, and each once."
        case .padding(let limit):
            "Extensions of chunks, or a trailer, are longer than \(limit) bytes."
        case .repeatedField(let name): "The field \"\(name)\" may stand only once in a request."
        }
    }
}

extension HTTPError.Overload {
    fileprivate var message: String {
        switch self {
        case .connections: "Too many connections are open. Try again in a moment."
        case .connectionsOfAddress:
            "Too many connections are open from your address. Send many requests on one of them."
        case .requestsInFlight: "Too many requests are being answered. Try again in a moment."
        case .requestMemory:
            "The requests that are being received take too much memory. Try again in a moment, or send a shorter request."
        case .responseMemory:
            "The responses that wait for their clients take too much memory. Read responses faster, or request less at a time."
        case .streams: "Too many answers are being streamed. Try again in a moment."
        case .streamMemory:
            "The running operations take too much memory. Try again in a moment, or send a shorter document."
        case .pipelinedRequests(let limit):
            "More than \(limit) requests were sent without waiting for an answer. Send fewer at a time."
        case .operationsOfSocket(let limit):
            "A socket may have \(limit) operations at a time. Complete one of them, or open another socket."
        case .streamsOfClient(let limit):
            "A client may have \(limit) streams at a time, operations of its WebSockets included. Complete one of them."
        case .socketsOfClient(let limit):
            "A client may have \(limit) WebSockets at a time. Close one of them, or use one for several operations."
        }
    }
}

extension HTTPError.Sender {
    fileprivate var origin: String {
        switch self {
        case .address: "from your address"
        case .token: "with your token"
        case .user: "from this user"
        case .everyone: "from all clients together"
        }
    }
}

extension TimeAmount {
    /// As messages say it: whole seconds where it is whole, else a fraction.
    fileprivate var seconds: String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest == 0 ? "\(whole)" : "\(Double(nanoseconds) / 1e9)"
    }
}

extension [HTTPMethod] {
    /// `GET, HEAD or POST`.
    fileprivate func list(conjunction: String) -> String {
        guard let last, count > 1 else { return first?.rawValue ?? "" }
        return dropLast().map(\.rawValue).joined(separator: ", ") + " \(conjunction) \(last.rawValue)"
    }
}
