import CCurl
import Glibc

/// Waits for the sockets and the timer of libcurl, and for wake-ups, with epoll.
///
/// libcurl reports which sockets it waits for (`curl_multi_socket_action`), so an event costs the same however many calls are
/// in flight. With `curl_multi_perform`, each wake-up costs a system call for each call in flight.
///
/// A class, because libcurl stores a pointer to it. All its methods except ``wake()`` run on the client's thread.
@safe
final class CurlEventPoll: @unchecked Sendable {
    // Sendable, although the timer changes: only the client's thread uses it. The descriptors do not change.
    private let epoll: Int32
    private let wakeUp: Int32
    /// When libcurl wants to be called without an event; nil for never.
    private var timerEnd: ContinuousClock.Instant?
    /// The sockets for which libcurl waits.
    private var watched: Set<Int32> = []

    private static let capacity = 64

    /// Nil if the process has no descriptor left.
    init?() {
        epoll = ccurl_epoll_create()
        wakeUp = ccurl_eventfd()
        guard epoll >= 0, wakeUp >= 0, ccurl_epoll_set(epoll, EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue) == 0
        else {
            return nil
        }
    }

    deinit {
        close(epoll)
        close(wakeUp)
    }

    /// Has libcurl report its sockets and its timer to this object, which must outlive the handle.
    @unsafe
    func attach(to multi: UnsafeMutableRawPointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_multi_set_watch_callback(multi, didChangeSocket, context)
        unsafe ccurl_multi_set_timer_callback(multi, didSetTimer, context)
    }

    /// Ends a wait; on any thread.
    func wake() {
        var one: UInt64 = 1
        _ = unsafe write(wakeUp, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits until a time at most, and has libcurl handle what has happened.
    @unsafe
    func wait(until end: ContinuousClock.Instant?, driving multi: UnsafeMutableRawPointer) {
        var running: Int32 = 0
        unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.capacity) { sockets in
            unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.capacity) { events in
                guard let first = sockets.baseAddress, let flags = events.baseAddress else { return }
                let count = unsafe ccurl_epoll_wait(
                    epoll, first, flags, Int32(Self.capacity), milliseconds(until: end))
                for index in 0..<Int(max(count, 0)) {
                    let (socket, event) = unsafe (sockets[index], events[index])
                    if socket == wakeUp {
                        var counter: UInt64 = 0
                        _ = unsafe read(wakeUp, &counter, MemoryLayout<UInt64>.size)
                    } else if watched.contains(socket) {
                        unsafe curl_multi_socket_action(multi, socket, Self.selection(of: event), &running)
                    } else {
                        // The provider has closed an idle connection, or has sent on it, which would end each wait.
                        _ = ccurl_epoll_set(epoll, EPOLL_CTL_DEL, socket, 0)
                    }
                }
            }
        }
        guard let timerEnd, timerEnd <= .now else { return }
        self.timerEnd = nil
        unsafe curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    private static func selection(of event: UInt32) -> Int32 {
        var selection: Int32 = 0
        if event & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { selection |= CURL_CSELECT_IN }
        if event & EPOLLOUT.rawValue != 0 { selection |= CURL_CSELECT_OUT }
        if event & EPOLLERR.rawValue != 0 { selection |= CURL_CSELECT_ERR }
        return selection
    }

    /// The time to wait, up to a minute; rounded up, so that it does not end a moment too early and spin.
    private func milliseconds(until end: ContinuousClock.Instant?) -> Int32 {
        guard let next = timerEnd.map({ min($0, end ?? $0) }) ?? end else { return 60_000 }
        let remaining = ContinuousClock.now.duration(to: next)
        if remaining <= .zero { return 0 }
        if remaining >= .seconds(60) { return 60_000 }
        return Int32(remaining / .milliseconds(1)) + 1
    }

    // MARK: Callbacks

    /// Registers a socket for the events that libcurl waits for.
    ///
    /// libcurl leaves the socket of a connection after each call, and waits for it again in the next one. So the socket
    /// remains registered until an event shows that nobody waits for it. A socket that is closed leaves by itself.
    fileprivate func change(_ socket: curl_socket_t, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            watched.remove(socket)
            return
        }
        watched.insert(socket)
        let input = what == CURL_POLL_IN || what == CURL_POLL_INOUT ? EPOLLIN.rawValue : 0
        let output = what == CURL_POLL_OUT || what == CURL_POLL_INOUT ? EPOLLOUT.rawValue : 0
        if ccurl_epoll_set(epoll, EPOLL_CTL_MOD, socket, input | output) != 0 {
            _ = ccurl_epoll_set(epoll, EPOLL_CTL_ADD, socket, input | output)
        }
    }

    /// A negative time removes the timer.
    fileprivate func setTimer(_ milliseconds: Int) {
        timerEnd = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    @unsafe
    fileprivate static func from(_ context: UnsafeMutableRawPointer) -> CurlEventPoll {
        unsafe Unmanaged<CurlEventPoll>.fromOpaque(context).takeUnretainedValue()
    }
}

private func didChangeSocket(
    _ handle: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32,
    _ context: UnsafeMutableRawPointer?, _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    if let context = unsafe context { unsafe CurlEventPoll.from(context).change(socket, what) }
    return 0
}

private func didSetTimer(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if let context = unsafe context { unsafe CurlEventPoll.from(context).setTimer(milliseconds) }
    return 0
}
