package import NIOCore

/// What a connection waits for, and so how long it may.
package enum ConnectionPhase: Sendable, Hashable {
    /// The first byte of a request.
    case idle
    /// The rest of a request's head.
    case head
    /// The rest of a request's body.
    case body
    /// A turn to ask the service.
    case queued
    /// The service.
    case answering
    /// The next part of a streamed answer.
    case streaming
    /// The client, to take what was written.
    case writing
    /// The client, to take the last answer.
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

/// The phase of a connection and when it must be over.
///
/// Phases change with every request, timers are dear: one timer is kept, and it is only moved when it would come too
/// late. One that comes too early is set again.
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

    /// Begins a phase; true where the timer must be moved to `end`.
    package mutating func enter(_ phase: ConnectionPhase, now: NIODeadline, _ limits: ServerLimits) -> Bool {
        self.phase = phase
        end = now + phase.timeout(limits)
        guard end < timerEnd else { return false }
        timerEnd = end
        return true
    }

    /// The timer has fired: true where the phase has taken too long, else the timer must be set to `end`.
    package mutating func timerFired(now: NIODeadline) -> Bool {
        guard now < end else {
            timerEnd = .distantFuture
            return true
        }
        timerEnd = end
        return false
    }
}
