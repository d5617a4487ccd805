import GraphQL
import Logging
import NIOCore
import NIOHTTP1
import PorticoCore

/// Asynchronous responses, and the writing of responses.
extension HTTPConnectionHandler {
    // MARK: - Waiting

    /// Makes a response now, or when the admission queue permits it.
    func wait(
        for fetch: @escaping CurrentExchange.Fetch, _ exchange: HTTPExchange, context: ChannelHandlerContext
    ) {
        let eventLoop = context.eventLoop
        let connection = NIOLoopBound(self, eventLoop: eventLoop)
        let entry = server.load.admissionQueue.acquire { [id = exchange.id] in
            eventLoop.execute { connection.value.startQueued(id) }
        }
        switch entry {
        case .admitted: make(fetch, exchange, context: context)
        case .queued(let ticket):
            current = CurrentExchange(exchange: exchange, work: .queued(ticket, fetch))
            enter(.queued, context: context)
        case .full:
            let refusal = HTTPError.overloaded(.requestsInFlight).response(id: exchange.id)
            send(refusal, for: exchange, context: context)
        }
    }

    private func startQueued(_ id: RequestID) {
        guard let context, let current, current.exchange.id == id, case .queued(_, let fetch) = current.work
        else {
            // The client has disconnected, or its request has timed out.
            return server.load.admissionQueue.release()
        }
        make(fetch, current.exchange, context: context)
    }

    private func make(
        _ fetch: @escaping CurrentExchange.Fetch, _ exchange: HTTPExchange, context: ChannelHandlerContext
    ) {
        let eventLoop = context.eventLoop
        let connection = NIOLoopBound(self, eventLoop: eventLoop)
        // It begins in this thread, so that its first calls are sent without a switch to another one.
        let task = Task.immediate { [server, id = exchange.id] in
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(
                    try await AdmissionSlot.held(of: server.load.admissionQueue) {
                        try await CurrentRequest.$id.withValue(id) { try await fetch() }
                    })
            } catch {
                result = .failure(error)
            }
            server.load.admissionQueue.release()
            eventLoop.execute { connection.value.finish(id, with: result) }
        }
        current = CurrentExchange(exchange: exchange, work: .running(task))
        enter(.answering, context: context)
    }

    private func finish(_ id: RequestID, with result: Result<HTTPResponse, any Error>) {
        // Otherwise the client has disconnected, or its request has timed out.
        guard let context, let exchange = current?.exchange, exchange.id == id else { return }
        current = nil
        switch result {
        case .success(let response): send(response, for: exchange, context: context)
        case .failure(let error):
            server.logger.error(
                "Request failed", metadata: ["requestID": "\(id)", "error": "\(type(of: error))"])
            send(HTTPError.internalError.response(id: id), for: exchange, context: context)
        }
        proceed(context: context)
    }

    /// Ends a response that timed out.
    func failCurrent(with problem: HTTPError, context: ChannelHandlerContext) {
        guard let current else { return }
        let exchange = current.exchange
        current.cancel(in: server.load.admissionQueue)
        self.current = nil
        send(problem.response(id: exchange.id), for: exchange, context: context)
        proceed(context: context)
    }

    // MARK: - Writing

    /// Writes a response, or its head if the body follows.
    func send(_ response: HTTPResponse, for exchange: HTTPExchange, context: ChannelHandlerContext) {
        var response = response
        // Before the validation, which removes a body: 304 has the Vary of 200 (RFC 9110, section 15.4.5).
        let mayCompress = response.mayCompress(server.configuration.compression)
        response.validate(exchange.method, ifNoneMatch: exchange.ifNoneMatch)
        if mayCompress {
            response.compress(
                level: server.configuration.compression.level, acceptsGzip: exchange.acceptsGzip)
        }
        response.headers += server.configuration.cors.headers(for: exchange.origin)
        switch response.body {
        case .complete(let bytes):
            var reservation: MemoryBudget.Reservation?
            let isMutation = response.operation?.isMutation ?? false
            guard reserve(bytes.count, for: exchange, isMutation: isMutation, in: &reservation) else {
                let refusal = HTTPError.overloaded(isMutation ? .mutationMemory : .responseMemory).response(
                    id: exchange.id)
                return send(refusal, for: exchange, context: context)
            }
            let isLast = isLast(response, for: exchange)
            let output = encode(response, for: exchange, isLast: isLast, context: context)
            conclude(with: output, isLast: isLast, holding: reservation, context: context)
        case .streamed(let producer) where isDraining && !producer.endsByItself:
            return send(HTTPError.shuttingDown.response(id: exchange.id), for: exchange, context: context)
        case .streamed(let producer):
            guard exchange.method == .HEAD || server.load.streams.acquire() else {
                let refusal = HTTPError.overloaded(.streams).response(id: exchange.id)
                return send(refusal, for: exchange, context: context)
            }
            stream(response, from: producer, for: exchange, context: context)
        case .upgrade(let handover):
            // HTTP/2 has no upgrade, so no upgrade request reaches this point.
            guard encoding == .http1 else {
                return send(
                    HTTPError.internalError.response(id: exchange.id), for: exchange, context: context)
            }
            upgrade(response, to: handover, for: exchange, context: context)
        }
        report(response, to: exchange)
    }

    /// Counts the memory of bytes that are about to be written.
    ///
    /// A connection of HTTP/2 has many responses at a time, so more of each is counted.
    ///
    /// - Returns: false if too much waits for the client.
    func reserve(
        _ bytes: Int, for exchange: HTTPExchange, isMutation: Bool,
        in reservation: inout MemoryBudget.Reservation?
    ) -> Bool {
        server.load.responseMemory.reserve(
            bytes, for: server.load.shares.address(exchange.client),
            uncounted: encoding == .http1 ? 64 << 10 : 4 << 10, isMutation: isMutation, in: &reservation)
    }

    func isLast(_ response: HTTPResponse, for exchange: HTTPExchange) -> Bool {
        response.endsConnection || isLastWhileDraining || !exchange.isKeepAlive
            || server.load.connections.isStopping && isLastRequest && !isMidHead
    }

    /// Whether the server is shutting down, and no other request has arrived on the connection.
    ///
    /// An announced shutdown is not enough: the head of a streamed response has not told the client of the end.
    var isLastWhileDraining: Bool { isDraining && isLastRequest }

    /// Whether no other request has arrived on the connection.
    private var isLastRequest: Bool { waiting.isEmpty && !isMidRequest }

    func encode(
        _ response: HTTPResponse, for exchange: HTTPExchange, isLast: Bool, context: ChannelHandlerContext
    ) -> ResponseEncoding.Output {
        let circumstances = HTTPResponse.Circumstances(
            id: exchange.id, date: server.date,
            persistence: isLast ? .closed : exchange.isHTTP10 ? .keepAlive : .assumed,
            isChunked: !exchange.isHTTP10)
        return encoding.encode(
            response, circumstances, isBodyOmitted: exchange.method == .HEAD,
            allocator: context.channel.allocator)
    }

    /// Writes without flushing; the promise succeeds when all bytes are written.
    func write(
        _ output: ResponseEncoding.Output, context: ChannelHandlerContext,
        promise: EventLoopPromise<Void>? = nil
    ) {
        switch output {
        case .bytes(let bytes): context.write(NIOAny(bytes), promise: promise)
        case .parts(let parts):
            for part in parts.dropLast() { write(part, context: context, promise: nil) }
            if let last = parts.last { write(last, context: context, promise: promise) }
        }
    }

    /// Writes a part of HTTP/2, a long body in pieces: the completion of each shows that the client reads.
    private func write(
        _ part: HTTPServerResponsePart, context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        guard case .body(.byteBuffer(var rest)) = part else {
            return context.write(NIOAny(part), promise: promise)
        }
        let size = encoding.leastProgress
        while rest.readableBytes > size, let piece = rest.readSlice(length: size) {
            unwritten += size
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in self.unwritten -= size }
            context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(piece))), promise: written)
        }
        context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(rest))), promise: promise)
    }

    /// Writes the last bytes of a response, and ends the connection if it is the last response.
    ///
    /// - Parameters:
    ///   - output: The bytes.
    ///   - isLast: Whether the connection ends after the response.
    ///   - reservation: The memory of the response until it is written; nil for a short response.
    ///   - context: The context of this handler.
    func conclude(
        with output: ResponseEncoding.Output, isLast: Bool,
        holding reservation: MemoryBudget.Reservation? = nil,
        context: ChannelHandlerContext
    ) {
        needsFlush = true
        guard isLast else {
            write(output, context: context, promise: context.eventLoop.promise(holding: reservation))
            return enter(.idle, context: context)
        }
        isOver = true
        waiting.removeAll()
        enter(.ending, context: context)
        let promise = context.eventLoop.makePromise(of: Void.self)
        write(output, context: context, promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            withExtendedLifetime(reservation) {}
            self.linger(context: context)
        }
    }

    /// Ends the connection without losing the last response: closing while the client still sends would
    /// reset the connection, and the reset may arrive before the response (RFC 9112, section 9.6).
    private func linger(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        // A stream of HTTP/2 has no other behind it, and its end overtakes nothing. It is closed if its request has ended.
        guard encoding == .http1 else {
            HTTP2Pipeline.endRequest(of: context.channel)
            return close(context: context)
        }
        enter(.lingering, context: context)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    func flushIfNeeded(context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        // A response that fills the channel is flushed at once: more requests may follow it.
        if let flushRound, context.channel.isWritable { flushRound.add(self) } else { flush() }
    }

    /// Flushes what is written.
    func flush() {
        context?.flush()
        if let context { observeReading(context: context) }
    }

    /// Closes the connection after what is written and waits for the flush.
    func close(context: ChannelHandlerContext) {
        context.flush()
        context.close(promise: nil)
    }
}

/// The end of HTTP on a connection that continues with another protocol.
extension HTTPConnectionHandler {
    /// Writes `101`, adds the handlers of the new protocol, and removes this handler and the codec, which
    /// passes on the bytes that follow the request.
    func upgrade(
        _ response: HTTPResponse, to handover: ProtocolUpgrade, for exchange: HTTPExchange,
        context: ChannelHandlerContext
    ) {
        isOver = true
        waiting.removeAll()
        timer?.cancel()
        timer = nil
        write(encode(response, for: exchange, isLast: false, context: context), context: context)
        context.flush()
        do {
            try handover.addHandlers(context.channel)
            try removeHTTPHandlers(context: context)
        } catch {
            server.logger.error(
                "Handover failed", metadata: ["requestID": "\(exchange.id)", "error": "\(type(of: error))"])
            close(context: context)
        }
    }

    private func removeHTTPHandlers(context: ChannelHandlerContext) throws {
        let channel = context.channel
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.handler(type: HTTP1Codec.self)
        // First, so that these bytes do not pass through this handler.
        pipeline.removeHandler(self, promise: nil)
        pipeline.removeHandler(codec, promise: nil)
        if isDraining { channel.pipeline.fireUserInboundEventTriggered(DrainEvent()) }
        if holdsRead { channel.read() }
    }
}

/// Logs and metrics of responses.
extension HTTPConnectionHandler {
    /// Counts and logs a response, without the content of the request or the response.
    func report(_ response: HTTPResponse, to exchange: HTTPExchange) {
        let duration = NIODeadline.now() - exchange.arrival
        server.load.metrics.record(
            path: server.router.label(for: exchange.path), method: exchange.method.rawValue,
            status: response.status.code, response.operation, took: duration)
        server.logger.log(
            level: server.configuration.responseLogLevel, "Answered",
            metadata: Self.metadata(response, exchange, duration))
    }

    private static func metadata(
        _ response: HTTPResponse, _ exchange: HTTPExchange, _ duration: TimeAmount
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "requestID": "\(exchange.id)", "method": "\(exchange.method.rawValue)",
            "path": "\(exchange.path)", "status": .stringConvertible(response.status.code),
            "bytes": response.body.count.map { .stringConvertible($0) } ?? "streamed",
            "microseconds": .stringConvertible(duration.nanoseconds / 1_000),
        ]
        if let operation = response.operation { metadata.merge(operation.metadata) { own, _ in own } }
        return metadata
    }
}
