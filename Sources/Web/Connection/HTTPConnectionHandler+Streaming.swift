import GraphQL
import Logging
import NIOCore
import NIOHTTP1

/// Responses with a streamed body.
extension HTTPConnectionHandler {
    /// A body on its way.
    struct OpenBody {
        /// Whether the connection ends with it.
        let isLast: Bool
        /// Otherwise the end of the connection is the end of the body: HTTP/1.0 has no chunks.
        let isChunked: Bool
        /// Whether the stream ends by itself.
        ///
        /// If not, it is cancelled when the server drains.
        let endsByItself: Bool
        /// Parts that are written, and whose writer waits until the client takes more.
        var waiting: [EventLoopPromise<Void>] = []
    }

    /// Sends a response's head, and has its body made; the server has counted the stream.
    func stream(
        _ response: HTTPResponse, from producer: StreamingBody, for exchange: HTTPExchange,
        context: ChannelHandlerContext
    ) {
        let isLast = isLast(response, for: exchange) || exchange.isHTTP10
        let head = encode(response, for: exchange, isLast: isLast, context: context)
        guard exchange.method != .HEAD else { return conclude(with: head, isLast: isLast, context: context) }
        write(head, context: context)
        needsFlush = true
        let task = produce(producer, for: exchange.id, on: context.eventLoop)
        var streaming = exchange
        // A stream can last for days; `StreamMemory` counts what it retains.
        streaming.memory = nil
        current = CurrentExchange(
            exchange: streaming, work: .running(task),
            body: OpenBody(
                isLast: isLast, isChunked: !exchange.isHTTP10, endsByItself: producer.endsByItself))
        enter(.streaming, context: context)
    }

    private func produce(
        _ producer: StreamingBody, for id: RequestID, on eventLoop: any EventLoop
    ) -> Task<Void, Never> {
        let connection = NIOLoopBound(self, eventLoop: eventLoop)
        let writer = BodyWriter { part, isMutation in
            try await eventLoop.flatSubmit {
                connection.value.write(part, of: id, isMutation: isMutation)
                    ?? eventLoop.makeFailedFuture(CancellationError())
            }.get()
        }
        return Task { [server] in
            var failure: (any Error)?
            do {
                try await CurrentRequest.$id.withValue(id) { try await producer.produce(writer) }
            } catch {
                failure = error
            }
            server.load.streams.release()
            eventLoop.execute { [failure] in connection.value.end(id, failure) }
        }
    }

    /// Writes a part; the future succeeds when the client can take more, and is nil if the client has
    /// disconnected.
    ///
    /// It fails with an `HTTPError` if there is no memory for the part.
    private func write(_ part: ByteBuffer, of id: RequestID, isMutation: Bool) -> EventLoopFuture<Void>? {
        guard let context, let current, let body = current.body, current.exchange.id == id else { return nil }
        let channel = context.channel
        if part.readableBytes > 0 {
            var reservation: MemoryBudget.Reservation?
            guard
                reserve(
                    part.readableBytes, for: current.exchange, isMutation: isMutation, in: &reservation)
            else {
                return context.eventLoop.makeFailedFuture(
                    HTTPError.overloaded(isMutation ? .mutationMemory : .responseMemory))
            }
            write(
                encoding.encode(part: part, isChunked: body.isChunked, allocator: channel.allocator),
                context: context, promise: context.eventLoop.promise(holding: reservation))
            context.flush()
            enter(.streaming, context: context)
        }
        guard !channel.isWritable else { return context.eventLoop.makeSucceededVoidFuture() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        self.current?.body?.waiting.append(promise)
        settle(context: context)
        return promise.futureResult
    }

    /// The client takes more.
    func resumeWriters() {
        guard let waiting = current?.body?.waiting, !waiting.isEmpty else { return }
        current?.body?.waiting = []
        for promise in waiting { promise.succeed() }
    }

    /// The body has ended, completely or with an error.
    private func end(_ id: RequestID, _ failure: (any Error)?) {
        guard let context, let body = current?.body, current?.exchange.id == id else { return }
        // The operations of an event stream can wait to write although its producer has ended.
        for promise in body.waiting { promise.fail(CancellationError()) }
        current = nil
        if let failure {
            server.logger.debug(
                "Streamed response interrupted",
                metadata: ["requestID": "\(id)", "error": "\(type(of: failure))"])
            return close(context: context)
        }
        let end = encoding.encodeEnd(isChunked: body.isChunked)
        conclude(with: end, isLast: body.isLast || isLastWhileDraining, context: context)
        proceed(context: context)
    }
}
