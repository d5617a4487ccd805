import Logging
import ServiceLifecycle
import UnixSignals
import Web

/// Ends with SIGTERM or SIGINT, after the shutdown delay; the group of services then stops the others.
///
/// In the delay nothing else stops, because requests are served: the replica needs its leases, its journal of orders and
/// its streams. A second signal ends the delay.
struct ShutdownSignalService: Service {
    /// They are trapped before the services start, so that no signal is lost.
    let signals: UnixSignalsSequence
    let delay: Duration
    let server: HTTPServer
    let logger: Logger

    func run() async throws {
        // The signals, and the end of the delay.
        let (events, event) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { event.yield() } }
            var iterator = events.makeAsyncIterator()
            if await iterator.next() != nil, delay > .zero {
                server.announceShutdown()
                logger.notice(
                    """
                    The shutdown begins in \(delay.components.seconds) seconds, or with a second signal. Until then \
                    requests are served, and each response ends its connection.
                    """)
                group.addTask {
                    try? await Task.sleep(for: delay)
                    event.yield()
                }
                _ = await iterator.next()
            }
            logger.notice("The shutdown begins. Requests in flight are finished.")
            group.cancelAll()
        }
    }
}
