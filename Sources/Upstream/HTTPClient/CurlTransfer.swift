import CCurl
import Glibc

/// An easy handle of libcurl, used for one call after the other, and the received data of the current call.
///
/// A class, because libcurl stores a pointer to it during a call. All its methods run on the client's
/// thread.
@safe
final class CurlTransfer {
    let handle: UnsafeMutableRawPointer
    private let limits: HTTPClientLimits
    private var submission: PendingTransfer?
    private var headers = CurlHeaderList()
    private var connection = CurlHeaderList()
    private var head: [UInt8] = []
    private var body: [UInt8] = []
    private var filter: JSONMemberFilter?
    private var sendCount = 0
    /// Whether the options are those for a loopback address; nil before the first call.
    private var isLoopback: Bool?
    /// Why a callback stopped the transfer.
    private var abortReason: HTTPClientError?

    /// The lines of a head are received one by one.
    private static let usualHeadBytes = 512

    var deadline: ContinuousClock.Instant? { submission?.call.request.deadline }

    /// Nil when libcurl has no memory.
    init?(userAgent: String, limits: HTTPClientLimits) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = handle
        self.limits = limits
        configure(userAgent: userAgent)
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
    }

    /// The transfer that a handle belongs to.
    @unsafe
    static func owning(_ handle: UnsafeMutableRawPointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        guard unsafe ccurl_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK,
            let context = unsafe context
        else { return nil }
        return unsafe from(context)
    }

    /// Borrowed: the loop owns every transfer as long as its handle is in use.
    @unsafe
    fileprivate static func from(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
        unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: A call

    /// Sets the handle up for a call; the failure if that cannot be.
    func begin(_ submission: PendingTransfer, connectTimeout: Duration) -> HTTPClientError? {
        self.submission = submission
        let request = submission.call.request
        filter = request.filter
        guard setMethodAndBody(request), setHeaders(request), setAddress(request) else {
            return .other(code: outOfMemory)
        }
        let milliseconds = max(1, Int(connectTimeout / .milliseconds(1)))
        unsafe ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        if isLoopback != request.url.isLoopback { setLoopback(request.url.isLoopback) }
        // Over TLS, wait and see whether one connection can carry all (HTTP/2) before opening more.
        unsafe ccurl_set_long(handle, CURLOPT_PIPEWAIT, request.url.isSecure ? 1 : 0)
        return unsafe ccurl_set_string(handle, CURLOPT_URL, request.url.text) == CURLE_OK ? nil : .badURL
    }

    private func setLoopback(_ isLoopback: Bool) {
        self.isLoopback = isLoopback
        // An empty proxy is none; a null one is the environment's.
        unsafe ccurl_set_string(handle, CURLOPT_PROXY, isLoopback ? "" : nil)
        let isVerified = limits.verifiesLoopbackCertificates || !isLoopback
        unsafe ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
        unsafe ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
    }

    /// Lets go of the call and returns it; the handle must not be in use by libcurl any more.
    @discardableResult
    func end() -> PendingTransfer? {
        defer { submission = nil }
        headers = CurlHeaderList()
        connection = CurlHeaderList()
        head = []
        body = []
        filter = nil
        sendCount = 0
        abortReason = nil
        return submission
    }

    func result(_ code: CURLcode) -> Result<HTTPClientResponse, HTTPClientError> {
        if let abortReason { return .failure(abortReason) }
        guard code == CURLE_OK else { return .failure(HTTPClientError(code)) }
        var status = 0
        unsafe ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return .success(HTTPClientResponse(status: status, head: head, body: body))
    }

    // MARK: Options

    /// Sets the options of all calls.
    private func configure(userAgent: String) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(handle, CURLOPT_PRIVATE, context)
        unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        unsafe ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        unsafe ccurl_set_pointer(handle, CURLOPT_PREREQDATA, context)
        unsafe ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION, didReceiveBody)
        unsafe ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION, didReceiveHead)
        unsafe ccurl_set_prerequest_callback(handle, willSend)
        unsafe ccurl_set_socket_callback(handle, didOpenSocket)
        unsafe ccurl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        unsafe ccurl_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        unsafe ccurl_set_long(handle, CURLOPT_TCP_KEEPALIVE, 1)
        unsafe ccurl_set_long(handle, CURLOPT_MAXAGE_CONN, max(1, Int(limits.idleTime / .seconds(1))))
        unsafe ccurl_set_string(handle, CURLOPT_USERAGENT, userAgent)
        // The empty string enables every encoding that libcurl was built with.
        unsafe ccurl_set_string(handle, CURLOPT_ACCEPT_ENCODING, "")
        // No signals: they would hit any thread.
        unsafe ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        // The end of a call whose host name is being resolved must not wait for the resolver, because all calls would
        // wait.
        unsafe ccurl_set_long(handle, CURLOPT_QUICK_EXIT, 1)
        if hasFileOfAuthorities { unsafe ccurl_set_string(handle, CURLOPT_CAPATH, nil) }
    }

    /// Whether the certificates of authorities are in a file, as Debian's are.
    ///
    /// libcurl keeps what it has read from a file for a day, and for a folder beside it nothing: each connection then
    /// takes 26 ms of the thread that all calls share.
    private var hasFileOfAuthorities: Bool {
        var path: UnsafePointer<CChar>?
        let status = unsafe ccurl_get_string(handle, CURLINFO_CAINFO, &path)
        guard status == CURLE_OK, let path = unsafe path else { return false }
        return unsafe access(path, R_OK) == 0
    }

    private func setMethodAndBody(_ request: HTTPClientRequest) -> Bool {
        guard request.method != .get || request.body != nil else {
            // Back from what another call has left, too.
            unsafe ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, nil)
            return unsafe ccurl_set_long(handle, CURLOPT_HTTPGET, 1) == CURLE_OK
        }
        let body = request.body ?? []
        // The size goes first, because the copy is made by it.
        unsafe ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        let status =
            unsafe body.isEmpty
            ? ccurl_set_string(handle, CURLOPT_COPYPOSTFIELDS, "")
            : body.withUnsafeBytes { unsafe ccurl_set_bytes(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
        guard status == CURLE_OK else { return false }
        return unsafe ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue) == CURLE_OK
    }

    private func setHeaders(_ request: HTTPClientRequest) -> Bool {
        var list = CurlHeaderList()
        for field in request.headers.fields {
            // A field without a value is written with a semicolon; with a colon libcurl would leave it out.
            guard list.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)") else {
                return false
            }
        }
        // libcurl's own ideas about bodies: a form, and a pause before sending.
        if request.headers["Content-Type"] == nil, !list.append("Content-Type:") { return false }
        guard list.append("Expect:") else { return false }
        headers = list
        return unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers.pointer) == CURLE_OK
    }

    /// Sets the address to connect to; without one, takes back that of another call.
    private func setAddress(_ request: HTTPClientRequest) -> Bool {
        var list = CurlHeaderList()
        if let address = request.address, !list.append("::\(address.urlHost):\(request.url.port)") {
            return false
        }
        connection = list
        return unsafe ccurl_set_list(handle, CURLOPT_CONNECT_TO, connection.pointer) == CURLE_OK
    }

    private var outOfMemory: Int32 { Int32(CURLE_OUT_OF_MEMORY.rawValue) }

    // MARK: Callbacks

    /// Whether the bytes were taken.
    fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let limit = submission?.call.request.maximumResponseBytes ?? 0
        var isWithinLimits = bytes.count <= limit - body.count
        if filter != nil {
            isWithinLimits = unsafe filter?.append(bytes, count: bytes.count, to: &body) ?? false
            isWithinLimits = isWithinLimits && body.count <= limit
        } else if isWithinLimits {
            unsafe body.append(contentsOf: bytes)
        }
        if !isWithinLimits { abortReason = .responseTooLarge }
        return isWithinLimits
    }

    fileprivate func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        // Each response begins a new head: what went before was interim (100, 103).
        if unsafe line.starts(with: "HTTP/".utf8) {
            head.removeAll(keepingCapacity: true)
            head.reserveCapacity(Self.usualHeadBytes)
        }
        guard line.count <= limits.headBytes - head.count else {
            abortReason = .responseTooLarge
            return false
        }
        unsafe head.append(contentsOf: line)
        return true
    }

    /// Whether libcurl may write the first byte of the request now.
    ///
    /// libcurl calls it again when the reused connection on which it has sent the request breaks. The
    /// provider may have received the request: a write is not sent again, and neither is a call that was
    /// counted once against a limit.
    ///
    /// The clock runs while the machine sleeps (CLOCK_BOOTTIME): a process that was stopped between the
    /// decision to send a request and this call sends nothing.
    fileprivate func maySendNow() -> Bool {
        guard let request = submission?.call.request else { return false }
        sendCount += 1
        guard sendCount == 1 || (request.method.isRead && request.maySend == nil) else {
            abortReason = .interrupted
            return false
        }
        guard ContinuousClock.now < request.deadline, request.maySend?() ?? true else {
            // libcurl would send a read again that it has sent.
            abortReason = sendCount == 1 ? .notSent : .timedOut
            return false
        }
        return true
    }
}

// libcurl calls these on the transport's thread, from inside of its multi interface, with a transfer that the loop
// owns. The bytes are valid during the call only.

private func didReceiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe CurlTransfer.from(context).receiveBody(buffer) ? count : Int(CURL_WRITEFUNC_ERROR)
}

private func didReceiveHead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe CurlTransfer.from(context).receiveHead(buffer) ? count : Int(CURL_WRITEFUNC_ERROR)
}

private func willSend(
    _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context = unsafe context, unsafe CurlTransfer.from(context).maySendNow() else {
        return CURL_PREREQFUNC_ABORT
    }
    return CURL_PREREQFUNC_OK
}

/// Limits how long the kernel retransmits data of a socket, and how long it waits while the provider accepts
/// no data: by default it would deliver a request minutes later.
///
/// Any connection may send a write later, so the limit applies to all. A kernel without the option keeps its
/// own limit.
private func didOpenSocket(
    _ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype
) -> Int32 {
    var milliseconds = UInt32(30_000)
    _ = unsafe setsockopt(
        socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, socklen_t(MemoryLayout<UInt32>.size))
    return CURL_SOCKOPT_OK
}

/// libcurl's list of header lines or other texts, freed with this value.
@safe
struct CurlHeaderList: ~Copyable {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init() {
        unsafe pointer = nil
    }

    deinit {
        unsafe curl_slist_free_all(pointer)
    }

    /// Appends a copy of `line`; false without memory, and nothing is lost then.
    mutating func append(_ line: String) -> Bool {
        guard let longer = unsafe curl_slist_append(pointer, line) else { return false }
        unsafe pointer = longer
        return true
    }
}
