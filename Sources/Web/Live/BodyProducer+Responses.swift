import GraphQL
import NIOCore

extension BodyProducer {
    /// Sends responses as they come, and says in between that it is still there.
    ///
    /// The next response is asked for when the client has taken the one before: who is slow holds up nothing but their
    /// own stream. Where the server stops, the stream ends without the word that it is complete, so that clients come
    /// again. With its session it ends at the next response or sign of life.
    ///
    /// - Parameters:
    ///   - form: how responses are written.
    ///   - interval: between two signs of life; shorter than the server and proxies wait for one.
    ///   - operation: is run when its answer is on its way.
    init(_ form: StreamForm, heartbeat interval: Duration, of operation: FollowedOperation) {
        self.init { writer in
            // So that a client knows at once that it is heard.
            try await writer.write(form.start + form.heartbeat)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await Task.sleep(for: interval)
                    while operation.responder.isValid() {
                        try await writer.write(form.heartbeat)
                        try await Task.sleep(for: interval)
                    }
                }
                group.addTask {
                    try await operation.run { part in
                        switch part {
                        case .response(let response), .refusal(let response):
                            try await writer.write(form.part(response))
                        }
                    }
                }
                // Whichever is over first, the other is of no use any more.
                try await group.next()
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            if !Task.isCancelled { try await writer.write(form.end) }
        }
    }
}

extension BodyWriter {
    fileprivate func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }
}
