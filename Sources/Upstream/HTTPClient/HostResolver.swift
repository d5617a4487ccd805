package import Brokerage
import Glibc
import NIOPosix
import Synchronization

/// Finds the addresses of host names by the system's resolver, which blocks a thread until it returns.
///
/// - A client holds at most one thread; its other look-ups wait, and those of other clients go first.
/// - Look-ups of equal names share one thread and its result.
/// - A caller stops waiting at the time limit. The thread is held until the system's resolver returns.
/// - Clients with a look-up that took more than 2 s hold at most two of the four threads together, for ten minutes after it.
///
/// It remains possible that four clients without such a look-up begin slow ones at the same time. Then all threads are held
/// until the system's resolver gives up (`timeout` and `attempts` in resolv.conf), and other callers get `overloaded`.
package final class HostResolver: Sendable {
    /// The one of the process, whose threads end with it.
    package static let shared = HostResolver()

    private static let threadCount = 4
    /// The threads that slow clients hold at most.
    private static let threadsOfSlowClients = 2
    /// Longer than a look-up without a lost packet.
    private static let slowTime = Duration.seconds(2)
    private static let slowClientPeriod = Duration.seconds(600)
    /// Look-ups of one client that wait.
    private static let maximumWaiting = 32

    private typealias Outcome = Result<[IPAddress], HostResolverError>

    private struct Request {
        let id: Int
        let host: String
        let client: String?
        let continuation: CheckedContinuation<Outcome, Never>
        /// Ends the wait at the time limit.
        let alarm: Task<Void, Never>

        func complete(_ outcome: Outcome) {
            alarm.cancel()
            continuation.resume(returning: outcome)
        }
    }

    private struct LookUp {
        let client: String?
        let start: ContinuousClock.Instant
        let isOfSlowClient: Bool
    }

    private struct State {
        var lastID = 0
        /// Those without a result, in the order in which they get a thread.
        var requests: [Request] = []
        /// The names that hold a thread.
        var running: [String: LookUp] = [:]
        /// The slow clients, with the end of the period; at most 1,200, because each of them has held a thread for 2 s.
        var slowClients: [String: ContinuousClock.Instant] = [:]

        /// Begins the next look-up; nil if none can begin.
        mutating func begin(at now: ContinuousClock.Instant) -> String? {
            guard running.count < HostResolver.threadCount else { return nil }
            let acceptsSlowClients =
                running.values.count(where: \.isOfSlowClient) < HostResolver.threadsOfSlowClients
            let next = requests.first { request in
                guard running[request.host] == nil else { return false }
                guard let client = request.client else { return true }
                return !running.values.contains { $0.client == client }
                    && (acceptsSlowClients || !isSlow(client, at: now))
            }
            guard let next else { return nil }
            running[next.host] = LookUp(
                client: next.client, start: now,
                isOfSlowClient: next.client.map { isSlow($0, at: now) } ?? false)
            // Other clients go first the next time.
            requests =
                requests.filter { $0.client != next.client } + requests.filter { $0.client == next.client }
            return next.host
        }

        /// Ends a look-up.
        ///
        /// - Returns: The requests for its result.
        mutating func end(_ host: String, at now: ContinuousClock.Instant) -> [Request] {
            if let lookUp = running.removeValue(forKey: host), let client = lookUp.client,
                lookUp.start + HostResolver.slowTime < now
            {
                slowClients = slowClients.filter { $0.value > now }
                slowClients[client] = now + HostResolver.slowClientPeriod
            }
            defer { requests.removeAll { $0.host == host } }
            return requests.filter { $0.host == host }
        }

        private func isSlow(_ client: String, at now: ContinuousClock.Instant) -> Bool {
            slowClients[client].map { $0 > now } ?? false
        }
    }

    // Held for a search of the waiting look-ups, never during a look-up.
    private let state = Mutex(State())
    private let threads: NIOThreadPool
    private let lookUp: @Sendable (String) -> [IPAddress]
    private let clock: TimeSource
    private let timeLimit: Duration

    /// - Parameters:
    ///   - clock: The clock of the time limits.
    ///   - timeLimit: The longest wait of a caller; by default, the system's resolver can repeat a lost query.
    ///   - lookUp: Returns the addresses of a host, and blocks its thread.
    package init(
        clock: TimeSource = .system, timeLimit: Duration = .seconds(10),
        _ lookUp: @escaping @Sendable (String) -> [IPAddress] = HostResolver.look(up:)
    ) {
        (self.clock, self.timeLimit, self.lookUp) = (clock, timeLimit, lookUp)
        threads = NIOThreadPool(numberOfThreads: Self.threadCount)
        threads.start()
    }

    /// All addresses of a host, in the order of the resolver; an address in text form has itself.
    ///
    /// - Parameters:
    ///   - host: A name, or an address without brackets.
    ///   - client: The client whose look-ups are made one after the other; nil for look-ups that may hold several threads.
    /// - Returns: The addresses; empty if the name does not exist, or if the system's resolver has given up.
    /// - Throws: `HostResolverError`. A look-up that has not begun by then is not made.
    package func addresses(
        of host: String, for client: String? = nil
    ) async throws(HostResolverError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in add(id, host, client, continuation) }
        } onCancel: {
            giveUp(id, isCancelled: true)
        }
        return try outcome.get()
    }

    private func add(
        _ id: Int, _ host: String, _ client: String?, _ continuation: CheckedContinuation<Outcome, Never>
    ) {
        let deadline = clock.now() + timeLimit
        let isAdded = state.withLock { state in
            guard state.requests.count(where: { $0.client == client }) < Self.maximumWaiting else {
                return false
            }
            let alarm = Task { [self] in
                guard (try? await clock.sleep(deadline)) != nil else { return }
                giveUp(id, isCancelled: false)
            }
            state.requests.append(
                Request(id: id, host: host, client: client, continuation: continuation, alarm: alarm))
            return true
        }
        guard isAdded else { return continuation.resume(returning: .failure(.overloaded)) }
        // A cancellation before the request was added has not found it.
        if Task.isCancelled { giveUp(id, isCancelled: true) }
        beginNext()
    }

    /// Ends the wait for a result.
    private func giveUp(_ id: Int, isCancelled: Bool) {
        let (request, isRunning) = state.withLock { state -> (Request?, Bool) in
            guard let index = state.requests.firstIndex(where: { $0.id == id }) else { return (nil, false) }
            let request = state.requests.remove(at: index)
            return (request, state.running[request.host] != nil)
        }
        request?.complete(.failure(isCancelled ? .cancelled : isRunning ? .timedOut : .overloaded))
    }

    /// Begins the look-ups for which there are threads.
    private func beginNext() {
        let now = clock.now()
        while let host = state.withLock({ $0.begin(at: now) }) {
            threads.submit { [self] threadState in
                // The threads are never shut down; a cancelled item would block the caller.
                let addresses = threadState == .active ? lookUp(host) : []
                let end = clock.now()
                for request in state.withLock({ $0.end(host, at: end) }) {
                    request.complete(.success(addresses))
                }
                beginNext()
            }
        }
    }

    package static func look(up host: String) -> [IPAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var entry = unsafe first
        while let current = unsafe entry {
            if let address = unsafe current.pointee.ai_addr, let found = unsafe IPAddress(address),
                !addresses.contains(found)
            {
                addresses.append(found)
            }
            unsafe entry = current.pointee.ai_next
        }
        return addresses
    }
}

/// The reason why a caller has no result; a later attempt can succeed.
package enum HostResolverError: Error, Hashable, Sendable {
    /// The system's resolver did not return in time.
    case timedOut
    /// No thread was free in time for the look-up, or too many look-ups of the client wait.
    case overloaded
    case cancelled
}
