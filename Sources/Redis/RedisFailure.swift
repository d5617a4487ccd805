/// The reason why Redis could not be used.
///
/// It contains no argument of a command and no text of the server.
package enum RedisFailure: Error, Hashable, Sendable {
    case couldNotResolve
    case couldNotConnect
    /// No verified TLS connection could be established.
    case tls
    /// The server refused the credential or a command, with this code.
    case refused(code: String)
    /// The server has no database with this number; in cluster mode it has database 0 only.
    case noDatabase(Int)
    /// The server is a replica of another one, and stores nothing.
    case replica
    /// There was no reply within the timeout.
    case timedOut
    /// The connection ended.
    case interrupted
    /// The server sent bytes that are no reply.
    case protocolViolation(RESPDecoder.Fault)
    /// There is no connection, and none is tried for now.
    case notConnected
    /// Too many commands wait for a reply.
    case overloaded
    /// This side closed the connection.
    case closed
}

extension RedisFailure: CustomStringConvertible {
    /// The end of a sentence about the server.
    package var description: String {
        switch self {
        case .couldNotResolve: "its host name cannot be resolved"
        case .couldNotConnect: "it cannot be connected to"
        case .tls: "no verified TLS connection can be established"
        case .refused("WRONGPASS"): "it refuses the user or the password (WRONGPASS)"
        case .refused("NOAUTH"): "it requires a password (NOAUTH)"
        case .replica, .refused("READONLY"): "it is a replica (use the address of the primary in the URL)"
        case .refused("MASTERDOWN"): "it is a replica without its primary (MASTERDOWN)"
        case .refused("LOADING"): "it loads its data after a start (LOADING)"
        case .refused(let code): "it refuses the connection (\(code))"
        case .noDatabase(let number):
            """
            it has no database \(number) (use a lower number in the URL, or raise the setting databases of the \
            server)
            """
        case .timedOut: "it does not reply in time"
        case .interrupted: "the connection was interrupted"
        case .protocolViolation: "it does not reply as Redis does"
        case .notConnected: "there is no connection"
        case .overloaded: "too many commands wait for a reply"
        case .closed: "the connection was closed"
        }
    }
}
