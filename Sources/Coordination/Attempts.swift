package import Brokerage
package import Storage

/// The records of failed sign-ins, known clients and new users over all processes; ``SignInThrottle`` has their rules.
///
/// Without the database, no sign-in begins: an attempt that is not counted could be one of many guesses.
package protocol Attempts: CoordinationPart {
    /// Whether other processes change the records, too.
    var isShared: Bool { get }

    /// Changes the records of some subjects while nobody else does.
    ///
    /// - Parameters:
    ///   - subjects: The subjects; the closure gets the records of those that have one.
    ///   - lifetime: The time after which the changed records may be deleted.
    ///   - now: The current time of this process.
    ///   - body: Changes the records; it may be called more than once. It gets the time by which the attempts of all processes
    ///     count, because the clock of one process may be wrong.
    /// - Returns: The result of `body`.
    /// - Throws: The error that prevented the change.
    func update<Value: Sendable>(
        _ subjects: [AttemptSubject], keptFor lifetime: Duration, now: Instant,
        _ body: @escaping @Sendable (inout [AttemptSubject: AttemptRecord], _ now: Instant) -> Value
    ) async throws(StorageError) -> Value
}

/// The attempts that count for a subject.
package struct AttemptRecord: Hashable, Sendable {
    package var failures: Int
    package var last: Instant
    /// The time before which no other attempt is allowed; for calls, the time at which their token bucket is full.
    package var blockedUntil: Instant?

    package init(failures: Int = 0, last: Instant, blockedUntil: Instant? = nil) {
        (self.failures, self.last, self.blockedUntil) = (failures, last, blockedUntil)
    }
}

/// The subject for which attempts count.
package enum AttemptSubject: Hashable, Sendable {
    case userAtAddress(String, ClientOrigin)
    /// A session of the user, by its id.
    case userInSession(String, String)
    case address(ClientOrigin)
    case user(String)
    /// An address from which a user has signed in with a password.
    ///
    /// The texts are the user's id and `PasswordHash.passwordID`. For a name that no user has, they are the name and an empty
    /// text, and there is no record.
    case knownAddress(ClientOrigin, of: String, with: String)
    /// Calls with a name, of one client or of all.
    case calls(String, of: ClientOrigin?)

    /// A text that no other subject has: a name is at its end.
    ///
    /// The database has its hash, so it must not change.
    var text: String {
        switch self {
        case .userAtAddress(let user, let address): "user at address \(address.number) \(user)"
        case .userInSession(let user, let id): "user at session \(id) \(user)"
        case .address(let address): "address \(address.number)"
        case .user(let user): "user \(user)"
        case .knownAddress(let address, let user, let password): "known \(address.number) \(password) \(user)"
        case .calls(let name, let client): client.map { "\(name) \($0.number)" } ?? name
        }
    }
}
