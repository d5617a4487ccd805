import GraphQL
import NIOCore

extension StreamingBody {
    /// Sends responses as they arrive, and keep-alive messages between them.
    ///
    /// The next response is requested when the client has received the one before: a slow client delays only
    /// its own stream. If the server stops, the stream ends without the message that it is complete, so that
    /// clients reconnect. If its token ends, a subscription gets UNAUTHENTICATED and ends at once.
    ///
    /// - Parameters:
    ///   - form: The format of the responses.
    ///   - interval: The time between two keep-alive messages; shorter than the timeouts of the server and of
    ///     proxies.
    ///   - operation: Started when the head of its response is sent.
    ///   - permit: Released when the response ends, or is not needed.
    init(
        _ form: StreamFormat, heartbeat interval: Duration, of operation: StreamedOperation,
        holding permit: ClientShares.Permit?
    ) {
        let type = operation.request.operationType
        self.init(endsByItself: type != .subscription, isMutation: type == .mutation) { writer in
            defer { withExtendedLifetime(permit) {} }
            // So that a client knows at once that it is heard.
            try await writer.write(form.start + form.heartbeat)
            let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let stopObserving = operation.endsWithToken ? operation.responder.onEnd { end.yield() } : nil
            defer { stopObserving?() }
            let hasTokenEnded = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    while true {
                        try await Task.sleep(for: interval)
                        try await writer.write(form.heartbeat)
                    }
                }
                group.addTask(executorPreference: operation.executor) {
                    var hasTokenEnded = false
                    try await operation.run { part in
                        switch part {
                        case .response(let response), .refusal(let response):
                            try await writer.write(form.part(response))
                        case .endedToken: hasTokenEnded = true
                        }
                    }
                    return hasTokenEnded
                }
                if stopObserving != nil {
                    group.addTask {
                        for await _ in ends { return true }
                        return false
                    }
                }
                // When the first task ends, the others are not needed any more.
                let hasTokenEnded = try await group.next() ?? false
                group.cancelAll()
                while await group.nextResult() != nil {}
                return hasTokenEnded
            }
            if Task.isCancelled { return }
            try await writer.write(hasTokenEnded ? form.interruption(operation.endedToken) : form.end)
        }
    }
}

extension BodyWriter {
    fileprivate func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }
}
