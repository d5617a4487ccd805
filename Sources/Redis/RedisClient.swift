package import NIOCore
import NIOPosix
package import PorticoCore
import Synchronization

/// A client of one Redis server, with one connection on which commands are pipelined.
///
/// Redis only adds speed: a command that cannot be sent, or has no reply within a short time, fails, and nothing waits for a
/// connection. ``run()`` keeps the connection. After a loss it connects again, after pauses that grow from 0.25 to 10 s
/// until a command has a reply. While there is no connection, commands fail at once. The connection is also closed if the server
/// has become a replica: otherwise it would be kept after a failover, and store nothing.
package final class RedisClient: Sendable {
    /// The limits of a client.
    package struct Limits: Sendable {
        /// The longest time to the reply to a command; then the connection is closed.
        package var reply = Duration.milliseconds(50)
        /// The longest time until a connection is open.
        package var connect = Duration.seconds(1)
        /// Commands that wait for a reply.
        package var commands = 4_096
        /// Their bytes.
        package var bytes = 16 << 20
        package var replies = RESPDecoder.Limits()
        /// The pauses between attempts to connect.
        package var breaker = RedisClient.breaker

        package init() {}
    }

    /// A loss of the connection fails all commands that wait, so that one loss is enough for a pause.
    private static var breaker: BreakerPolicy {
        var policy = BreakerPolicy()
        policy.failures = 1
        policy.pause = .milliseconds(250)
        policy.maximumPause = .seconds(10)
        return policy
    }

    /// A change of the connection.
    package enum Change: Hashable, Sendable {
        case up
        /// It is reported once, for the first failure after the connection was up.
        case down(RedisFailure)
    }

    /// The numbers of metrics.
    package struct Counts: Hashable, Sendable {
        /// Connections that were opened.
        package var connections = 0
        /// Commands with a reply.
        package var commands = 0
        /// Commands without a reply in time.
        package var failures = 0
        /// Commands that were not sent, because there was no connection or too many commands waited.
        package var refusals = 0
    }

    private struct State {
        var connection: RedisConnection?
        var failure: RedisFailure?
        var breaker: CircuitBreaker
        var counts = Counts()
        var waitingCommands = 0
        var waitingBytes = 0
        /// The tasks that wait for messages, by channel and number.
        var subscribers: [String: [Int: AsyncStream<[UInt8]>.Continuation]] = [:]
        var subscriberCount = 0
    }

    /// The URL without user and password, for messages.
    package let location: String
    private let url: RedisURL
    private let limits: Limits
    private let group: any EventLoopGroup
    private let report: @Sendable (Change) -> Void
    // Held for a few stores, never while anything is called.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - url: The server.
    ///   - limits: The limits.
    ///   - group: The event loops.
    ///   - report: Called with each change of the connection.
    package init(
        _ url: RedisURL, _ limits: Limits = Limits(),
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        report: @escaping @Sendable (Change) -> Void = { _ in }
    ) {
        self.url = url
        self.limits = limits
        self.group = group
        self.report = report
        location = url.location
        state = Mutex(State(breaker: CircuitBreaker(limits.breaker)))
    }

    /// Whether there is a connection.
    package var isUp: Bool { state.withLock { $0.connection != nil } }

    /// The reason of the last loss or failed attempt; nil while there is a connection, and before the first attempt.
    package var failure: RedisFailure? { state.withLock { $0.failure } }

    package var counts: Counts { state.withLock { $0.counts } }

    /// Keeps a connection until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            if case .rejected(let until) = state.withLock({ $0.breaker.admit(at: .now) }) {
                try? await Task.sleep(until: until, clock: .continuous)
                continue
            }
            let failure: RedisFailure
            do throws(RedisFailure) {
                let connection = try await RedisConnection.open(
                    url, within: limits.connect, limits.replies, on: group
                ) { [weak self] message in self?.receive(message) }
                didConnect(connection)
                failure = await connection.waitForEnd()
            } catch {
                failure = error
            }
            didDisconnect(failure)
        }
    }

    /// Sends commands together, and returns a reply to each, in order; a reply can be an error of the server.
    ///
    /// - Throws: The failure of all of them; they may have been executed, unless it is `notConnected` or `overloaded`.
    package func send(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RESPValue] {
        guard !commands.isEmpty else { return [] }
        let weight = commands.reduce(0) { $0 + $1.weight }
        let connection = try admit(commands.count, weight)
        let result = await connection.send(
            commands, before: .now() + .milliseconds(limits.reply.wholeMilliseconds))
        state.withLock { state in
            state.waitingCommands -= commands.count
            state.waitingBytes -= weight
            switch result {
            case .success:
                state.counts.commands += commands.count
                state.breaker.didEnd(.up, ofProbe: true, at: .now)
            case .failure: state.counts.failures += commands.count
            }
        }
        return try result.get()
    }

    /// Closes the connection if its server has become a replica or does not reply.
    ///
    /// For a connection that only receives messages. One with writes is closed at the first refused write.
    package func verifyServer() async {
        guard let connection = state.withLock(\.connection) else { return }
        // HELLO without an argument changes nothing. Servers before 6.2 refuse it, and this reply also shows that they
        // respond.
        guard let reply = try? await send([RedisCommand(["HELLO"])]).first, RedisConnection.isReplica(reply)
        else { return }
        connection.close(.replica)
    }

    private func admit(_ count: Int, _ weight: Int) throws(RedisFailure) -> RedisConnection {
        try state.withLock { state throws(RedisFailure) in
            guard let connection = state.connection else {
                state.counts.refusals += count
                throw .notConnected
            }
            guard state.waitingCommands + count <= limits.commands,
                state.waitingBytes + weight <= limits.bytes
            else {
                state.counts.refusals += count
                throw .overloaded
            }
            state.waitingCommands += count
            state.waitingBytes += weight
            return connection
        }
    }

    private func didConnect(_ connection: RedisConnection) {
        state.withLock { state in
            state.connection = connection
            state.failure = nil
            state.counts.connections += 1
        }
        report(.up)
    }

    private func didDisconnect(_ failure: RedisFailure) {
        let (isNew, subscribers) = state.withLock { state in
            let isNew = state.failure == nil
            defer { state.subscribers = [:] }
            state.connection = nil
            state.failure = failure
            state.breaker.didEnd(.down, ofProbe: true, at: .now)
            return (isNew, state.subscribers.values.flatMap(\.values))
        }
        for subscriber in subscribers { subscriber.finish() }
        if isNew, !Task.isCancelled { report(.down(failure)) }
    }
}

extension RedisClient {
    /// The most messages that wait for one subscriber; older ones are dropped, which it sees by a gap in their numbers.
    private static let waitingMessages = 1_024

    /// Subscribes to a channel.
    ///
    /// The client should be used for subscriptions only: many messages delay the replies to commands behind them.
    ///
    /// - Returns: The messages from now on; the sequence ends with the connection.
    /// - Throws: The failure; `refused(code: "NOPROTO")` if the server has no push messages. If the server refuses the
    ///   subscription, the connection is closed.
    package func messages(of channel: String) async throws(RedisFailure) -> AsyncStream<[UInt8]> {
        let (messages, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.waitingMessages))
        let number = try state.withLock { state throws(RedisFailure) in
            guard let connection = state.connection else { throw .notConnected }
            guard connection.hasPush else { throw .refused(code: "NOPROTO") }
            state.subscriberCount += 1
            state.subscribers[channel, default: [:]][state.subscriberCount] = continuation
            return state.subscriberCount
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(number, from: channel) }
        do throws(RedisFailure) {
            // The reply to PING shows that the server has executed the subscription.
            _ = try await send([RedisCommand(["SUBSCRIBE", channel]), RedisCommand(["PING"])])
        } catch {
            continuation.finish()
            throw error
        }
        return messages
    }

    /// Removes a subscriber; the server continues to send the messages of the channel, of which there are few.
    private func unsubscribe(_ number: Int, from channel: String) {
        state.withLock { $0.subscribers[channel]?[number] = nil }
    }

    /// Passes a push message to the subscribers of its channel.
    private func receive(_ message: [RESPValue]) {
        guard message.count == 3, message[0].bytes == Array("message".utf8),
            let channel = message[1].bytes, let payload = message[2].bytes
        else { return }
        let name = String(decoding: channel, as: UTF8.self)
        let subscribers = state.withLock { $0.subscribers[name].map { Array($0.values) } ?? [] }
        for subscriber in subscribers { subscriber.yield(payload) }
    }
}
