/// How far something has come that is to change at a broker: an order placed, replaced or cancelled.
///
/// It is what the file says, and it is written before the world is changed: so that after a crash at any point nobody has
/// to guess whether a request may have gone out.
package enum WriteState: String, Sendable, CaseIterable {
    /// It is meant to be sent; the request has not gone out.
    case pending = "PENDING"
    /// The request goes out, or has.
    case sent = "SENT"
    /// It may have arrived, and its answer is lost: the broker is to be asked.
    case unconfirmed = "UNCONFIRMED"
    /// The broker took it.
    case done = "DONE"
    /// The broker refused it.
    case refused = "REFUSED"
    /// The broker never got it.
    case missing = "MISSING"

    /// Whether nothing more can come of it.
    package var isFinal: Bool {
        switch self {
        case .pending, .sent, .unconfirmed: false
        case .done, .refused, .missing: true
        }
    }
}

/// What may become known of a write.
package enum WriteEvent: Sendable, CaseIterable {
    /// The request goes out next.
    case sending
    /// The broker cannot have acted on it: it was not reached, or turned the request away unread.
    case notTaken
    /// The broker answered that it took it.
    case taken
    /// The broker answered that it refuses.
    case refused
    /// The request went out, and what became of it is not known.
    case answerLost
    /// Asked afterwards, the broker had it.
    case found
    /// Asked long enough afterwards, the broker did not have it.
    case notFound
    /// Whoever was to see it through is gone: the process was started again.
    case abandoned
}

/// What an event does to a write.
package enum WriteStep: Hashable, Sendable {
    case to(WriteState)
    /// As if it had never been meant: nothing has happened, and the same may be tried again.
    case forget
}

extension WriteState {
    /// What an event does in this state; nil for one that cannot happen in it, which changes nothing.
    package func step(after event: WriteEvent) -> WriteStep? {
        switch (self, event) {
        case (.pending, .sending): .to(.sent)
        // What was not marked as sent was not sent.
        case (.pending, .notTaken), (.pending, .abandoned): .forget
        // In the broker's name, by its rules, before anything went out.
        case (.pending, .refused): .to(.refused)
        case (.pending, .taken), (.pending, .answerLost), (.pending, .found), (.pending, .notFound): nil
        case (.sent, .notTaken): .forget
        case (.sent, .taken): .to(.done)
        case (.sent, .refused): .to(.refused)
        // The mark is set before the request goes out, so it may not have gone: only the broker knows.
        case (.sent, .answerLost), (.sent, .abandoned): .to(.unconfirmed)
        case (.sent, .sending), (.sent, .found), (.sent, .notFound): nil
        case (.unconfirmed, .found): .to(.done)
        case (.unconfirmed, .notFound): .to(.missing)
        case (.unconfirmed, .sending), (.unconfirmed, .notTaken), (.unconfirmed, .taken),
            (.unconfirmed, .refused), (.unconfirmed, .answerLost), (.unconfirmed, .abandoned):
            nil
        case (.done, _), (.refused, _), (.missing, _): nil
        }
    }
}
