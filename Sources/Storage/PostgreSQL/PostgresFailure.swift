/// The reason why a statement has no result.
enum PostgresFailure: Error, Hashable {
    /// There is no connection; the reason is libpq's, without the password. The origin is the name of the URL's setting.
    case cannotConnect(reason: String, origin: String)
    /// The connection broke; it cannot be used any more.
    case lost
    /// The deadline has passed; the connection cannot be used any more.
    case timedOut
    /// The deadline had passed before the statement was sent, as after the process was stopped; the connection can be used.
    case expired
    /// The server refused the statement; its SQLSTATE (PostgreSQL 15, appendix A).
    case refused(state: String)

    /// The server cannot be written: it is a standby, or an administrator or a full disk has made it read-only.
    static let readOnly = refused(state: "25006")

    /// Whether the same transaction can succeed if it is executed again from its beginning.
    ///
    /// - 40001 and 40P01: the server has aborted it because of another one.
    /// - 23505 and 23503: another transaction has added or deleted a row since this one has looked for it. Executed again, it
    ///   sees that. Without another transaction it would fail again, so it is repeated once only.
    var repetitions: Int {
        switch self {
        case .refused("40001"), .refused("40P01"): 5
        case .refused("23505"), .refused("23503"): 1
        case .refused, .cannotConnect, .lost, .timedOut, .expired: 0
        }
    }

    /// Whether the server, and not the statement, is the reason.
    ///
    /// Class 08 is the connection, 53 too few resources, 57 an intervention: a shutdown, a start, or `statement_timeout`.
    /// 25006 is ``readOnly``, 55P03 a lock that was not free in time.
    var isOutage: Bool {
        switch self {
        case .cannotConnect, .lost, .timedOut, .readOnly, .refused("55P03"): true
        case .expired, .refused("53100"): false
        case .refused(let state): ["08", "53", "57"].contains { state.hasPrefix($0) }
        }
    }
}

extension PostgresFailure: CustomStringConvertible {
    /// For operators; without a statement and its values.
    var description: String {
        switch self {
        case .cannotConnect(let reason, let origin):
            "it cannot be connected to (\(reason)) with the URL of \(origin)"
        case .lost: "the connection broke"
        case .timedOut: "it did not respond in time"
        case .expired: "the time had passed before all statements were sent"
        case .refused(let state): "it refused a statement (SQLSTATE \(state))"
        }
    }
}
