import NIOCore
import NIOPosix
import NIOSSL
import PorticoCore

/// A connection to Redis on which the credential, the protocol and the database have been agreed on.
struct RedisConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<RedisCommandHandler>
    private let end: EventLoopFuture<RedisFailure>
    /// Whether the server sends push messages: version 3 of the protocol.
    private(set) var hasPush = false

    /// Opens a connection: `HELLO 3` with the credential, then the database (redis.io, "HELLO").
    ///
    /// A server or proxy without `HELLO` is used with version 2 of the protocol. A replica is not used: after a failover, the
    /// address can lead to it for some time.
    ///
    /// - Parameters:
    ///   - url: The server.
    ///   - timeout: The connection must be open within it.
    ///   - limits: The limits of a reply.
    ///   - group: The event loops.
    ///   - receive: Called with each push message, on the event loop.
    /// - Returns: The open connection.
    /// - Throws: The reason why it could not be opened.
    static func open(
        _ url: RedisURL, within timeout: Duration, _ limits: RESPDecoder.Limits, on group: any EventLoopGroup,
        receive: @escaping @Sendable ([RESPValue]) -> Void
    ) async throws(RedisFailure) -> RedisConnection {
        let deadline = NIODeadline.now() + .milliseconds(timeout.wholeMilliseconds)
        let tls = try tls(url)
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(.milliseconds(timeout.wholeMilliseconds))
        let initialize: @Sendable (any Channel) -> EventLoopFuture<RedisConnection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                if let tls {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: tls.context, serverHostname: tls.serverName))
                }
                let end = channel.eventLoop.makePromise(of: RedisFailure.self)
                let handler = RedisCommandHandler(limits, end: end, receive: receive)
                try channel.pipeline.syncOperations.addHandler(handler)
                return RedisConnection(
                    channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop),
                    end: end.futureResult)
            }
        }
        var connection: RedisConnection
        do {
            switch url.endpoint {
            case .host(let host, let port):
                connection = try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port, channelInitializer: initialize)
            case .socket(let path):
                connection = try await bootstrap.connect(
                    unixDomainSocketPath: path, channelInitializer: initialize)
            }
        } catch {
            throw failure(of: error)
        }
        do throws(RedisFailure) {
            connection.hasPush = try await connection.introduce(url, before: deadline)
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    /// Sends commands together, and returns a reply to each that has one.
    func send(_ commands: [RedisCommand], before deadline: NIODeadline) async -> Result<
        [RESPValue], RedisFailure
    > {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(commands.reduce(0) { $0 + $1.weight })
        for command in commands { command.write(to: &bytes) }
        let count = commands.count(where: \.hasReply)
        return await withCheckedContinuation { continuation in
            channel.eventLoop.execute { [bytes] in
                handler.value.send(
                    bytes, count: count, hasSilent: count < commands.count, before: deadline
                ) { continuation.resume(returning: $0) }
            }
        }
    }

    func close(_ reason: RedisFailure = .closed) {
        channel.eventLoop.execute { handler.value.close(reason) }
    }

    /// Waits for the end of the connection, and returns the reason.
    func waitForEnd() async -> RedisFailure {
        await withTaskCancellationHandler {
            (try? await end.get()) ?? .interrupted
        } onCancel: {
            close()
        }
    }

    // MARK: Steps

    /// Returns whether the server uses version 3 of the protocol.
    private func introduce(_ url: RedisURL, before deadline: NIODeadline) async throws(RedisFailure) -> Bool {
        var hasPush = true
        var hello = ["HELLO", "3"]
        if let password = url.password { hello += ["AUTH", url.user ?? "default", password.text] }
        let reply = try await self.reply(to: hello + ["SETNAME", "portico"], before: deadline)
        if Self.isReplica(reply) { throw .replica }
        switch reply {
        case .map, .array: break
        case .error("ERR"), .error("NOPROTO"):
            hasPush = false
            if let password = url.password {
                try await expectOK(["AUTH"] + (url.user.map { [$0] } ?? []) + [password.text], deadline)
            }
        case .error(let code): throw .refused(code: code)
        case .bytes, .integer, .double, .boolean, .null, .push: throw .protocolViolation(.badEnd)
        }
        if url.database != 0 {
            do throws(RedisFailure) {
                try await expectOK(["SELECT", "\(url.database)"], deadline)
            } catch {
                throw error == .refused(code: "ERR") ? .noDatabase(url.database) : error
            }
        }
        // A server without HELLO reports a missing password only at the first command.
        if case .error(let code) = try await self.reply(to: ["PING"], before: deadline) {
            throw .refused(code: code)
        }
        return hasPush
    }

    /// Whether a reply to `HELLO` is that of a replica; a proxy may state no role.
    static func isReplica(_ reply: RESPValue) -> Bool {
        switch reply {
        case .map(let entries), .array(let entries):
            guard let place = entries.firstIndex(of: .bytes(Array("role".utf8))), place + 1 < entries.count
            else { return false }
            return ["replica", "slave"].contains { entries[place + 1] == .bytes(Array($0.utf8)) }
        case .bytes, .integer, .double, .boolean, .null, .error, .push: return false
        }
    }

    private func reply(to words: [String], before deadline: NIODeadline) async throws(RedisFailure)
        -> RESPValue
    {
        let replies = try await send([RedisCommand(words)], before: deadline).get()
        return replies.first ?? .null
    }

    private func expectOK(_ words: [String], _ deadline: NIODeadline) async throws(RedisFailure) {
        let reply = try await reply(to: words, before: deadline)
        if case .error(let code) = reply { throw .refused(code: code) }
        guard reply.isOK else { throw .protocolViolation(.badEnd) }
    }

    private static func tls(_ url: RedisURL) throws(RedisFailure) -> (
        context: NIOSSLContext, serverName: String?
    )? {
        guard let tls = url.tls else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let authorities = tls.authorities { configuration.trustRoots = .file(authorities) }
        guard let context = try? NIOSSLContext(configuration: configuration) else { throw .tls }
        // Addresses are compared with those of the certificate without a server name (RFC 6066, section 3).
        guard case .host(let host, _) = url.endpoint,
            (try? SocketAddress(ipAddress: host, port: 0)) == nil
        else { return (context, nil) }
        return (context, host)
    }

    private static func failure(of error: any Error) -> RedisFailure {
        switch error {
        case let error as NIOConnectionError:
            error.dnsAError != nil && error.dnsAAAAError != nil ? .couldNotResolve : .couldNotConnect
        case ChannelError.connectTimeout: .timedOut
        default: .couldNotConnect
        }
    }
}
