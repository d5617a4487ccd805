import NIOCore
import NIOSSL

/// The last handler of a connection's pipeline: sends commands, and gives each its reply, in order.
///
/// Commands of one iteration of the event loop are flushed together. The reply to the oldest command is due by its
/// deadline; if it does not come, the connection is closed, because the later ones cannot come either. What has arrived by
/// the deadline is read first, also if the process was stopped or its event loop was busy.
final class RedisCommandHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    typealias Completion = @Sendable (Result<[RESPValue], RedisFailure>) -> Void

    /// Commands that were sent together.
    private struct Batch {
        let count: Int
        /// Whether commands without a reply are among them: a reply that is an error can be that of such a command.
        let hasSilent: Bool
        let deadline: NIODeadline
        let completion: Completion
        var replies: [RESPValue] = []
        /// Whether the deadline has passed.
        var isOverdue = false
    }

    /// The codes of errors that all commands or all writes get.
    ///
    /// The server has become a replica, has lost its primary, or loads its data (redis.io, "Replication" and "Persistence"). The
    /// URL can lead to another server by now.
    private static let unusable: Set<String> = ["READONLY", "MASTERDOWN", "LOADING"]

    /// The time after a deadline in which the event loop reads what has arrived before.
    private static let lastRead = TimeAmount.milliseconds(5)

    private var decoder: RESPDecoder
    private let receive: @Sendable ([RESPValue]) -> Void
    /// Succeeds with the reason when the connection has ended.
    private let end: EventLoopPromise<RedisFailure>
    private var context: ChannelHandlerContext?
    private var batches = CircularBuffer<Batch>()
    private var reason: RedisFailure?
    private var isFlushScheduled = false
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - limits: The limits of a reply.
    ///   - end: Succeeds when the connection has ended.
    ///   - receive: Called with each push message, on the event loop.
    init(
        _ limits: RESPDecoder.Limits, end: EventLoopPromise<RedisFailure>,
        receive: @escaping @Sendable ([RESPValue]) -> Void
    ) {
        decoder = RESPDecoder(limits)
        self.end = end
        self.receive = receive
    }

    /// Sends commands; the completion is called with a reply to each, or with the failure.
    ///
    /// - Parameters:
    ///   - commands: The commands as bytes.
    ///   - count: The number of replies.
    ///   - hasSilent: Whether some commands have no reply. If one of these gets an error, the connection is closed: no
    ///     later reply could be assigned to its command.
    ///   - deadline: The time before which the replies are due.
    ///   - completion: Called once.
    func send(
        _ commands: [UInt8], count: Int, hasSilent: Bool, before deadline: NIODeadline,
        completion: @escaping Completion
    ) {
        guard let context, reason == nil else { return completion(.failure(reason ?? .interrupted)) }
        batches.append(Batch(count: count, hasSilent: hasSilent, deadline: deadline, completion: completion))
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: commands)), promise: nil)
        if timer == nil { startTimer(for: deadline, context) }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            bound.value.handler.isFlushScheduled = false
            bound.value.context.flush()
        }
    }

    /// Closes the connection; the first reason stays.
    func close(_ reason: RedisFailure) {
        if self.reason == nil { self.reason = reason }
        failBatches()
        context?.close(promise: nil)
    }

    // MARK: Events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        timer?.cancel()
        failBatches()
        end.succeed(reason ?? .interrupted)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard reason == nil else { return }
        decoder.append(unwrapInboundIn(data).readableBytesView)
        do throws(RESPDecoder.Fault) {
            while reason == nil, let value = try decoder.next() { accept(value) }
        } catch {
            close(.protocolViolation(error))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if reason == nil { reason = .interrupted }
        failBatches()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTLS = error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError
        close(isTLS ? .tls : .interrupted)
    }

    // MARK: Steps

    private func accept(_ value: RESPValue) {
        if case .push(let message) = value { return receive(message) }
        if case .error(let code) = value, batches.first?.hasSilent == true || Self.unusable.contains(code) {
            return close(.refused(code: code))
        }
        guard var batch = batches.popFirst() else { return close(.protocolViolation(.badEnd)) }
        batch.replies.append(value)
        if batch.replies.count < batch.count {
            batches.prepend(batch)
        } else {
            batch.completion(.success(batch.replies))
        }
    }

    private func failBatches() {
        let (failed, failure) = (batches, reason ?? .interrupted)
        batches = CircularBuffer()
        for batch in failed { batch.completion(.failure(failure)) }
    }

    /// One timer for all commands: when it ends, it starts again for the command that is the oldest then.
    private func startTimer(for deadline: NIODeadline, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: deadline) {
            let (handler, context) = bound.value
            handler.timer = nil
            guard let oldest = handler.batches.first else { return }
            if oldest.deadline > .now() {
                handler.startTimer(for: oldest.deadline, context)
            } else if oldest.isOverdue {
                handler.close(.timedOut)
            } else {
                // The event loop executes this before it reads.
                handler.batches[handler.batches.startIndex].isOverdue = true
                handler.startTimer(for: .now() + Self.lastRead, context)
            }
        }
    }
}
