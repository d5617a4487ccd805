import CCurl
import PorticoCore
import Synchronization

/// An HTTP/1.1 and HTTP/2 client, with libcurl on one thread.
///
/// Connections are reused, and responses decompressed. Redirects are returned like any other response, and
/// not followed. A write is sent once at most, even if libcurl would send it again because a reused
/// connection broke. Nothing is sent after its deadline, or if ``HTTPClientRequest/maySend`` returns false.
/// Proxies are taken from the environment (`https_proxy`, `no_proxy`), never for addresses of the loopback
/// interface.
package final class HTTPClient: Sendable {
    private let mailbox: CurlCommandQueue
    private let thread: Mutex<CurlThread?>

    /// Starts the thread; `userAgent` is sent if a request has no such header.
    ///
    /// - Throws: ``HTTPClientError/other(code:)`` if the thread cannot be started. Without libcurl every
    ///   call fails.
    package init(limits: HTTPClientLimits = HTTPClientLimits(), userAgent: String) throws(HTTPClientError) {
        let mailbox = CurlCommandQueue(capacity: limits.calls)
        let started = try CurlThread(mailbox: mailbox, limits: limits, userAgent: userAgent)
        self.mailbox = mailbox
        self.thread = Mutex(started)
    }

    /// Runs `body` with a client, and shuts the client down afterwards.
    ///
    /// - Throws: The error of `body`, or `HTTPClientError.other` if the client's thread cannot be started.
    package static func with<Value>(
        limits: HTTPClientLimits = HTTPClientLimits(), userAgent: String,
        _ body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let client = try HTTPClient(limits: limits, userAgent: userAgent)
        let result = await Result.of { try await body(client) }
        await client.shutDown()
        return try result.get()
    }

    deinit {
        // No reference is left that could wait for the thread: it ends by itself.
        mailbox.close()
        thread.withLock { $0?.detach() }
    }

    /// Sends one request and waits for its response, with any status.
    ///
    /// When it returns or throws, libcurl no longer uses the request.
    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let call = HTTPClientCall(request)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                mailbox.submit(PendingTransfer(call: call, continuation: continuation))
            }
        } onCancel: {
            // The mark comes first: a call that is submitted after it is never started.
            call.isCancelled.store(true, ordering: .releasing)
            mailbox.cancel(call)
        }
        return try result.get()
    }

    /// Fails every call in flight with ``HTTPClientError/shutDown`` and waits until the thread has ended.
    ///
    /// Calls after it fail at once. It may be called more than once.
    package func shutDown() async {
        mailbox.close()
        await mailbox.closed()
        thread.withLock { thread in
            // The thread has signalled its end already, so this waits for its return only.
            thread?.join()
            thread = nil
        }
    }
}

/// The state of a call that the caller's task and the client's thread share.
final class HTTPClientCall: Sendable {
    let request: HTTPClientRequest
    let isCancelled = Atomic(false)

    init(_ request: HTTPClientRequest) {
        self.request = request
    }
}

/// A call, and the task that waits for its result.
struct PendingTransfer: Sendable {
    let call: HTTPClientCall
    let continuation: CheckedContinuation<Result<HTTPClientResponse, HTTPClientError>, Never>

    func finish(_ result: Result<HTTPClientResponse, HTTPClientError>) {
        continuation.resume(returning: result)
    }
}

/// The bounds of a ``HTTPClient``.
package struct HTTPClientLimits: Sendable {
    /// Connections to one host and port, open at the same time.
    package var connectionsPerHost = 128
    /// Connections in all, idle ones included: the oldest idle one is closed for another host.
    package var connections = 512
    /// A connection that was idle for longer is closed when the next call begins, to whichever host; in whole seconds.
    package var idleTime = Duration.seconds(60)
    /// Calls that run or wait; more fail with ``HTTPClientError/overloaded``.
    package var calls = 4_096
    /// Bytes of a response's head.
    package var headBytes = 64 << 10
    /// The maximum time for opening a connection, within the deadline.
    package var connectTimeout = Duration.seconds(5)
    /// Whether the certificate of a server at a loopback address is verified; other certificates always are.
    package var verifiesLoopbackCertificates = true

    /// The calls to one provider that are in flight at a time: brokers have one host for trading and one for market data.
    package var callsPerProvider: Int { 2 * connectionsPerHost }

    package init() {}
}

/// The reason why a call has no response.
///
/// It contains no part of the request. Except for ``notSent``, it does not show whether the request was sent: see
/// ``HTTPClientRequest/maySend``.
package enum HTTPClientError: Error, Hashable, Sendable {
    case couldNotResolve
    /// No connection could be opened. The request may have been sent on a reused connection before that
    /// connection broke.
    case couldNotConnect
    case timedOut
    /// No verified TLS connection could be established.
    case tls
    /// The body or the head is larger than the bound.
    case responseTooLarge
    /// The connection broke after it was made.
    case interrupted
    /// The response is not valid HTTP.
    case malformedResponse
    /// The Swift task was cancelled.
    case cancelled
    case badURL
    /// More calls wait than the transport takes.
    case overloaded
    /// The transport has been shut down.
    case shutDown
    /// The deadline had passed, or ``HTTPClientRequest/maySend`` returned false, before the first byte: nothing was
    /// sent.
    case notSent
    /// Another failure of libcurl, by its number (`CURLcode`).
    case other(code: Int32)
}

extension HTTPClientError: CustomStringConvertible {
    /// The reason, without a full stop.
    package var description: String {
        switch self {
        case .couldNotResolve: "the name of the host cannot be resolved"
        case .couldNotConnect: "no connection could be opened"
        case .timedOut: "no response in time"
        case .tls: "the certificate is not valid for the name, or TLS failed"
        case .responseTooLarge: "the response is too large"
        case .interrupted: "the connection broke"
        case .malformedResponse: "the response is not valid HTTP"
        case .cancelled: "the call was cancelled"
        case .badURL: "the address cannot be used"
        case .overloaded: "too many calls wait"
        case .shutDown: "the client has ended"
        case .notSent: "the request was not sent"
        case .other(let code): "libcurl failed with code \(code)"
        }
    }
}

extension HTTPClientError {
    /// Converts the error code of a failed transfer.
    init(_ code: CURLcode) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .couldNotResolve
        case CURLE_COULDNT_CONNECT: self = .couldNotConnect
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .tls
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self = .interrupted
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            self = .malformedResponse
        case CURLE_URL_MALFORMAT: self = .badURL
        default: self = .other(code: Int32(bitPattern: code.rawValue))
        }
    }
}
