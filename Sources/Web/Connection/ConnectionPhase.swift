package import NIOCore

/// The phase of a connection, which determines its timeout.
package enum ConnectionPhase: Sendable, Hashable {
    /// The first byte of a request.
    case idle
    /// The rest of a request's head.
    case head
    /// The rest of a request's body.
    case body
    /// A slot of the admission queue.
    case queued
    /// The service.
    case answering
    /// The next part of a streamed response.
    case streaming
    /// The client, to read what was written.
    case writing
    /// The client, to read the last response.
    case ending
    /// The client, to close its side.
    case lingering

    package func timeout(_ limits: ServerLimits) -> TimeAmount {
        switch self {
        case .idle: limits.idleTimeout
        case .head: limits.headTimeout
        case .body: limits.bodyTimeout
        case .queued: limits.queueTimeout
        case .answering: limits.responseTimeout
        case .streaming: limits.streamTimeout
        case .writing, .ending: limits.writeTimeout
        case .lingering: limits.lingerTimeout
        }
    }
}

/// The phase of a connection and its end.
///
/// Phases change with each request, and timers are expensive. There is one timer, which is moved only if it
/// would fire too late. If it fires too early, it is set again.
package struct ConnectionTimer {
    private(set) var phase = ConnectionPhase.idle
    package private(set) var end: NIODeadline
    /// The time at which the timer fires; `.distantFuture` after it has fired, so that the next phase sets it
    /// again.
    private var timerEnd: NIODeadline

    package init(now: NIODeadline, _ limits: ServerLimits) {
        end = now + ConnectionPhase.idle.timeout(limits)
        timerEnd = end
    }

    /// Begins a phase; true if the timer must be moved to `end`.
    package mutating func enter(_ phase: ConnectionPhase, now: NIODeadline, _ limits: ServerLimits) -> Bool {
        self.phase = phase
        end = now + phase.timeout(limits)
        guard end < timerEnd else { return false }
        timerEnd = end
        return true
    }

    /// Handles the timer: true if the phase has timed out, else the timer must be set to `end`.
    package mutating func timerFired(now: NIODeadline) -> Bool {
        guard now < end else {
            timerEnd = .distantFuture
            return true
        }
        timerEnd = end
        return false
    }
}
