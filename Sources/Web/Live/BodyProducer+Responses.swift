import GraphQL
import NIOCore

extension BodyProducer {
    /// Sends responses as they come, and says in between that it is still there.
    ///
    /// The next response is asked for when the client has taken the one before: who is slow holds up nothing but their
    /// own stream. Where the server stops, the stream ends without the word that it is complete, so that clients come
    /// again. When its token ends, a subscription is told UNAUTHENTICATED and ends at once.
    ///
    /// - Parameters:
    ///   - form: how responses are written.
    ///   - interval: between two signs of life; shorter than the server and proxies wait for one.
    ///   - operation: is run when its answer is on its way.
    ///   - permit: is released when the answer is over, or nobody wants it.
    init(
        _ form: StreamForm, heartbeat interval: Duration, of operation: FollowedOperation,
        holding permit: ClientShares.Permit?
    ) {
        self.init(endsByItself: operation.request.operationType != .subscription) { writer in
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
                group.addTask {
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
                // Whichever is over first, the others are of no use any more.
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
