import CPQ
import Foundation
import Glibc

/// One connection of libpq.
///
/// Nothing waits longer than until ``deadline``: libpq's own blocking functions are not used, because they wait as long as
/// a server hangs. Only the resolution of a host's name blocks; its limits are those of `resolv.conf`.
///
/// One thread uses it at a time: ``PostgresDatabase`` hands it over under a lock, hence `@unchecked Sendable`. The
/// pointer is this object's own, hence `@safe`.
@safe
final class PostgresConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The numbers of prepared statements by their SQL.
    private var prepared: [String: Int] = [:]
    private var preparedCount = 0
    /// When the current statement must have its result.
    var deadline: ContinuousClock.Instant
    /// False after a lost connection or a deadline: a late result would be taken for that of the next statement.
    private(set) var isUsable = true
    /// Whether it can be used, and is in no transaction.
    var isIdle: Bool { unsafe isUsable && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// As many statements are prepared at a time.
    private static let maximumPrepared = 256

    /// Connects, and sets the limits of the session.
    init(
        to url: PostgresURL, statementTimeout: Duration, deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        self.deadline = deadline
        var parameters = url.parameters
        let known = Set(parameters.map(\.keyword))
        for (keyword, value) in Self.defaults where !known.contains(keyword) {
            parameters.append((keyword, value))
        }
        let mustBeWritable = !known.contains("target_session_attrs")
        let hasSeveralHosts = parameters.contains { $0.keyword.hasPrefix("host") && $0.value.contains(",") }
        if mustBeWritable, hasSeveralHosts {
            parameters.append(("target_session_attrs", "read-write"))
        }
        guard let handle = unsafe Self.start(parameters) else {
            throw .cannotConnect(reason: "too little memory", origin: url.origin)
        }
        unsafe self.handle = handle
        unsafe cpq_ignore_notices(handle)
        do {
            try connect(url)
            _ = try executeScript(Self.sessionSettings(url, statementTimeout))
            if mustBeWritable { _ = try executeScript(Self.writableCheck) }
        } catch {
            if error == .readOnly {
                throw .cannotConnect(reason: "session is read-only", origin: url.origin)
            }
            // The reason for an operator who has set a wrong password or a wrong name.
            if case .refused(let state) = error {
                throw .cannotConnect(reason: "SQLSTATE \(state)", origin: url.origin)
            }
            if error == .timedOut {
                throw .cannotConnect(reason: "it did not respond in time", origin: url.origin)
            }
            throw error
        }
    }

    deinit { unsafe PQfinish(handle) }

    /// Refuses a server that cannot be written: it would serve reads of an old state, also behind a name that leads to another
    /// server later.
    ///
    /// The server is asked, because libpq decides by parameters that PgBouncer repeats from an earlier connection
    /// (pgbouncer/pgbouncer, issue 859).
    private static let writableCheck = """
        DO $$ BEGIN
            IF CAST(current_setting('transaction_read_only') AS BOOLEAN) THEN
                RAISE EXCEPTION USING ERRCODE = '25006', MESSAGE = 'session is read-only';
            END IF;
        END $$;
        """

    /// What the URL may set differently.
    private static let defaults = [
        ("fallback_application_name", "portico"), ("client_encoding", "UTF8"), ("tcp_user_timeout", "5000"),
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
    ]

    /// The server ends what this process no longer waits for, and a commit is on the disk before it is reported.
    private static func sessionSettings(_ url: PostgresURL, _ timeout: Duration) -> String {
        let milliseconds = Int64(timeout / .milliseconds(1))
        var settings = """
            SET client_min_messages = warning;
            SET statement_timeout = \(milliseconds);
            SET idle_in_transaction_session_timeout = \(max(milliseconds, 5_000));
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
            """
        // The name is one of this program, not of a user.
        if let schema = url.schema { settings += "SET search_path = \(schema);" }
        return settings
    }

    private static func start(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
        let keywords = parameters.map { Array($0.keyword.utf8CString) }
        let values = parameters.map { Array($0.value.utf8CString) }
        return unsafe withPointers(to: keywords) { keywords in
            unsafe withPointers(to: values) { values in unsafe PQconnectStartParams(keywords, values, 0) }
        }
    }

    /// Calls a closure with a list of C strings that ends with a null pointer.
    private static func withPointers<Result>(
        to texts: [[CChar]], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let all = texts.flatMap(\.self)
        return unsafe all.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            var offset = 0
            for text in texts {
                unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + offset })
                offset += text.count
            }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }

    private func connect(_ url: PostgresURL) throws(PostgresFailure) {
        guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw unreachable(url) }
        // "If you have yet to call PQconnectPoll, […] behave as if it last returned PGRES_POLLING_WRITING."
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            if state == PGRES_POLLING_FAILED { throw unreachable(url) }
            try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
            state = unsafe PQconnectPoll(handle)
        }
        guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw lose() }
    }

    private func unreachable(_ url: PostgresURL) -> PostgresFailure {
        isUsable = false
        let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return .cannotConnect(reason: url.redacting(lines.joined(separator: "; ")), origin: url.origin)
    }

    // MARK: Statements

    /// Executes a prepared statement.
    func execute(_ sql: String, _ values: [SQLValue]) throws(PostgresFailure) -> PostgresResult {
        let parameters = try PostgresParameters(values)
        let name = try prepare(sql)
        try checkDeadline()
        let isSent = unsafe parameters.bytes.withUnsafeBufferPointer { bytes in
            let pointers = unsafe parameters.offsets.map { offset in
                unsafe offset.flatMap { offset in unsafe bytes.baseAddress.map { unsafe $0 + offset } }
            }
            // libpq copies everything. The last argument asks for values in binary form.
            return unsafe PQsendQueryPrepared(
                handle, name, Int32(clamping: values.count), pointers, parameters.lengths, parameters.formats,
                1)
                == 1
        }
        guard isSent else { throw lose() }
        return try result()
    }

    /// Executes statements without placeholders, separated by semicolons.
    func executeScript(_ sql: String) throws(PostgresFailure) -> PostgresResult {
        try checkDeadline()
        guard unsafe PQsendQuery(handle, sql) == 1 else { throw lose() }
        return try result()
    }

    private func prepare(_ sql: String) throws(PostgresFailure) -> String {
        try checkDeadline()
        if let number = prepared[sql] { return "s\(number)" }
        if prepared.count >= Self.maximumPrepared { try forgetStatements() }
        preparedCount += 1
        let name = "s\(preparedCount)"
        guard unsafe PQsendPrepare(handle, name, PostgresStatement.translate(sql), 0, nil) == 1 else {
            throw lose()
        }
        _ = try result()
        prepared[sql] = preparedCount
        return name
    }

    /// Checks that a statement may be sent: one that is sent after the deadline would lose the connection.
    private func checkDeadline() throws(PostgresFailure) {
        guard isUsable else { throw .lost }
        guard .now < deadline else { throw .expired }
    }

    /// Lets all statements be prepared again; not in a transaction that has failed.
    func forgetStatements() throws(PostgresFailure) {
        _ = try executeScript("DEALLOCATE ALL")
        prepared = [:]
    }

    /// Sends what is to be sent, and returns the last result.
    private func result() throws(PostgresFailure) -> PostgresResult {
        while true {
            let rest = unsafe PQflush(handle)
            if rest == 0 { break }
            guard rest > 0 else { throw lose() }
            try wait(for: POLLIN | POLLOUT)
            guard unsafe PQconsumeInput(handle) == 1 else { throw lose() }
        }
        var last: PostgresResult?
        var failure: PostgresFailure?
        while true {
            while unsafe PQisBusy(handle) == 1 {
                try wait(for: POLLIN)
                guard unsafe PQconsumeInput(handle) == 1 else { throw lose() }
            }
            guard let next = unsafe PQgetResult(handle).map({ unsafe PostgresResult($0) }) else { break }
            failure = failure ?? next.failure
            last = next
        }
        // The server ends the connection after a fatal error, such as that of its shutdown.
        guard unsafe PQstatus(handle) == CONNECTION_OK else { throw lose() }
        if let failure { throw failure }
        guard let last else { throw lose() }
        return last
    }

    /// Lets the connection be closed when it is put back.
    func abandon() { isUsable = false }

    private func lose() -> PostgresFailure {
        isUsable = false
        return .lost
    }

    /// Waits until the socket can be read or written.
    ///
    /// After the deadline the socket is still examined once: the result of a process that was stopped meanwhile has arrived.
    private func wait(for events: Int32) throws(PostgresFailure) {
        while true {
            let rest = deadline - .now
            let descriptor = unsafe PQsocket(handle)
            guard descriptor >= 0 else { throw lose() }
            var polled = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
            // Rounded up, so that it does not return just before the deadline again and again.
            let milliseconds = rest > .zero ? Int32(clamping: Int64(rest / .milliseconds(1)) + 1) : 0
            let count = unsafe poll(&polled, 1, milliseconds)
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw lose() }
            guard rest > .zero else {
                isUsable = false
                throw .timedOut
            }
        }
    }
}
