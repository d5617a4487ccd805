import Brokerage
import Foundation
import Storage
import Synchronization
import Upstream

/// The statements of ``PostgresQuota``, which are functions of PostgreSQL (`UserDatabaseMigration.quotaFunctions`).
///
/// The calls that wait for a slot at the same time are one statement: a call alone is sent at once, and the next statement has
/// the calls that came during the last one. So the cost of a statement is divided among them. It waits for no lock: a call
/// whose windows another process is changing gets a statement of its own, which waits, and delays no other call.
final class QuotaStatements: Sendable {
    private let database: SQLDatabase
    // Held for a few changes of a list, never while a statement is executed.
    private let state = Mutex(State())

    private struct State {
        var waiting: [WaitingCall] = []
        /// The statements that are executed for groups of calls.
        var statements = 0
        /// When the last of them began.
        var lastStart: ContinuousClock.Instant?
    }

    private struct WaitingCall {
        let call: Call
        let begin: ContinuousClock.Instant
        /// Gets nil if the call needs a statement of its own.
        let continuation: CheckedContinuation<Result<Reply?, StorageError>, Never>
    }

    /// The calls of one statement: a window with many slots is written for each of its calls.
    private static let maximumGroup = 16
    /// The calls that wait for a statement; more are refused.
    private static let maximumWaiting = 1_024
    /// The statements for groups at the same time: another one is executed if the last one takes long.
    private static let maximumStatements = 4
    private static let slow = Duration.milliseconds(50)
    /// A call waits for its statement so long at most: longer than the deadlines of calls, which are checked elsewhere.
    private static let maximumWait = Duration.seconds(10)

    init(_ database: SQLDatabase) { self.database = database }

    // MARK: Calls

    /// A call that needs a slot in each of its windows.
    struct Call: Encodable, Sendable {
        let provider: String
        let credential: String
        let windows: [Window]
        /// The longest wait for the slots, in milliseconds.
        let wait: Int64
        let isShared: Bool

        init(_ windows: [Window], of account: QuotaAccount, wait: Duration, isShared: Bool) {
            (provider, credential) = (account.provider.storedText, account.storedCredential)
            self.windows = windows
            self.wait = Int64(max(wait, .zero) / .milliseconds(1))
            self.isShared = isShared
        }
    }

    /// A window, as the functions take it.
    ///
    /// Times are in milliseconds.
    struct Window: Encodable, Sendable {
        let name: String
        let size: Int
        /// Nil for a day in New York.
        let period: Int64?
        let step: Int64?
        /// Nil if no slot is taken.
        let validity: Int64?

        init(_ window: QuotaWindow, validity: Duration?) {
            (name, size) = (window.name, window.limit)
            (period, step) = (window.period.sharedLength, window.sharedStep)
            self.validity = validity.map { Int64($0 / .milliseconds(1)) }
        }
    }

    /// What a call gets, by the database's clock, in milliseconds since 1970.
    struct Reply: Sendable {
        /// Whether the windows could not be changed without a wait.
        fileprivate let isBusy: Bool
        let now: Int64
        /// When the slots begin; nil if the call gets none.
        let start: Int64?
        /// Without slots: when there will be some, if that is known.
        let retryAt: Int64?
        /// Without slots: whether a call that is not shared would get some.
        let isOfShare: Bool
        fileprivate(set) var slots: [Slot] = []
        fileprivate(set) var states: [WindowState] = []
    }

    /// The slot of a window.
    struct Slot: Encodable, Sendable {
        let name: String
        let end: Int64
    }

    /// The state of a window.
    struct WindowState: Sendable {
        let name: String
        let limit: Int
        let remaining: Int
        /// The milliseconds until all calls are available again; nil if no call is counted.
        let resetsIn: Int64?
        let isRefused: Bool

        fileprivate init(_ name: String, _ row: inout SQLRowReader) throws(CorruptedRow) {
            self.name = name
            (limit, remaining) = (try row.next(), try row.next())
            (resetsIn, isRefused) = (try row.next(), try row.next())
        }
    }

    /// Takes a slot in each window of a call, or in none.
    ///
    /// If the connection breaks, it is executed once more: the slots then may count twice.
    func reserve(_ call: Call) async throws(StorageError) -> Reply {
        if let reply = try await reserveInGroup(call) { return reply }
        return try await database.statement { db in
            guard let reply = try Self.replies(to: [call], waiting: true, db).first else {
                throw CorruptedRow()
            }
            return reply
        }
    }

    private func reserveInGroup(_ call: Call) async throws(StorageError) -> Reply? {
        let result = await withCheckedContinuation { continuation in
            let isAccepted = state.withLock { state in
                guard state.waiting.count < Self.maximumWaiting else { return false }
                state.waiting.append(WaitingCall(call: call, begin: .now, continuation: continuation))
                return true
            }
            guard isAccepted else {
                return continuation.resume(returning: .failure(unavailable("too many calls wait")))
            }
            if startsStatement() { Task { await reserveWaiting() } }
        }
        return try result.get()
    }

    private func unavailable(_ reason: String) -> StorageError {
        .unavailable(path: database.location, reason: reason, retryAt: .now + .seconds(1))
    }

    private func startsStatement() -> Bool {
        state.withLock { state in
            let isSlow = state.lastStart.map { $0 + Self.slow < .now } ?? false
            guard state.statements == 0 || isSlow && state.statements < Self.maximumStatements else {
                return false
            }
            state.statements += 1
            state.lastStart = .now
            return true
        }
    }

    /// Executes statements until no call waits.
    private func reserveWaiting() async {
        while let group = nextGroup() {
            let result: Result<[Reply?], StorageError>
            do throws(StorageError) {
                let calls = group.map(\.call)
                let replies = try await database.statement { db in
                    try Self.replies(to: calls, waiting: false, db)
                }
                result = .success(replies.map { $0.isBusy ? nil : $0 })
            } catch .refused {
                // One of the calls has caused it. Each is executed alone, so that only this one fails.
                result = .success(group.map { _ in nil })
            } catch {
                result = .failure(error)
            }
            for (index, waiting) in group.enumerated() {
                waiting.continuation.resume(returning: result.map { $0[index] })
            }
        }
    }

    private func nextGroup() -> [WaitingCall]? {
        let now = ContinuousClock.now
        let (expired, group) = state.withLock { state -> ([WaitingCall], [WaitingCall]?) in
            let expired = state.waiting.prefix { $0.begin + Self.maximumWait < now }
            state.waiting.removeFirst(expired.count)
            guard !state.waiting.isEmpty else {
                state.statements -= 1
                return (Array(expired), nil)
            }
            let group = state.waiting.prefix(Self.maximumGroup)
            state.waiting.removeFirst(group.count)
            state.lastStart = now
            return (Array(expired), Array(group))
        }
        for waiting in expired {
            waiting.continuation.resume(returning: .failure(unavailable("it did not respond in time")))
        }
        return group
    }

    /// - Returns: A reply for each call.
    private static func replies(
        to calls: [Call], waiting: Bool, _ db: SQLTransaction
    ) throws -> [Reply] {
        var replies: [Reply?] = Array(repeating: nil, count: calls.count)
        _ = try db.map("SELECT * FROM quota_reserve(CAST(? AS JSONB), ?)", [try json(calls), waiting]) {
            row in
            guard let call = Int(exactly: try row.next() as Int64), replies.indices.contains(call) else {
                throw CorruptedRow()
            }
            let reply = Reply(
                isBusy: try row.next(), now: try row.next(), start: try row.next(), retryAt: try row.next(),
                isOfShare: try row.next())
            let name: String? = try row.next()
            var known = replies[call] ?? reply
            if let name {
                known.slots.append(Slot(name: name, end: try row.next()))
                known.states.append(try WindowState(name, &row))
            }
            replies[call] = known
        }
        return try replies.map { reply in
            guard let reply else { throw CorruptedRow() }
            return reply
        }
    }

    /// Gives slots back.
    func release(_ slots: [Slot], of account: QuotaAccount) async throws(StorageError) {
        // Executed twice, it would release the slot of another call that ends at the same time.
        try await database.statement(isRepeatable: false) { db in
            try db.execute(
                "SELECT CAST(quota_release(?, ?, CAST(? AS JSONB)) AS TEXT)",
                account.arguments + [try Self.json(slots)])
        }
    }

    /// Whether the provider has closed one of these windows.
    func isClosed(_ windows: [QuotaWindow], of account: QuotaAccount) async throws(StorageError) -> Bool {
        let names = SQLList(windows.map(\.name))
        return try await database.statement { db in
            try db.value(
                """
                SELECT EXISTS (SELECT 1 FROM quota WHERE provider = ? AND credential = ?
                    AND name IN (\(names.placeholders)) AND closed_until > clock_milliseconds())
                """, account.arguments + names.arguments, as: Bool.self) == true
        }
    }

    // MARK: Responses

    /// What a response shows about a window.
    ///
    /// Times are in milliseconds from now.
    struct Note: Encodable, Sendable {
        let name: String
        let size: Int
        let period: Int64?
        let step: Int64?
        let longest: Int64
        /// Whether the figures are to be applied.
        var isReported = false
        var reported: Int?
        var remaining: Int?
        var resetsIn: Int64?
        /// Whether the provider has refused the call.
        var isClosed = false
        /// Whether the provider has accepted a call after refusals.
        var isAdmitted = false
        var retryIn: Int64?

        init(_ window: QuotaWindow) {
            (name, size) = (window.name, window.limit)
            (period, step) = (window.period.sharedLength, window.sharedStep)
            longest = Int64(window.period.maximumDuration / .milliseconds(1))
        }
    }

    /// Applies what a response shows.
    func record(_ notes: [Note], of account: QuotaAccount) async throws(StorageError) -> [WindowState] {
        try await database.statement { db in
            try db.map(
                "SELECT * FROM quota_record(?, ?, CAST(? AS JSONB))",
                account.arguments + [try Self.json(notes)]
            ) { try WindowState(try $0.next(), &$0) }
        }
    }

    /// The states of windows.
    func states(
        of windows: [QuotaWindow], of account: QuotaAccount
    ) async throws(StorageError) -> [WindowState] {
        try await database.statement { db in
            let list = windows.map { Window($0, validity: nil) }
            return try db.map(
                """
                SELECT name, figures.* FROM quota
                JOIN jsonb_to_recordset(CAST(?3 AS JSONB)) AS w (name TEXT, size BIGINT) USING (name),
                quota_figures(quota, w.size, clock_milliseconds()) AS figures
                WHERE provider = ?1 AND credential = ?2
                """, account.arguments + [try Self.json(list)]
            ) { try WindowState(try $0.next(), &$0) }
        }
    }

    /// Deletes counts that ended long ago.
    func deleteOld() async throws(StorageError) {
        try await database.statement { db in
            try db.execute(
                """
                DELETE FROM quota WHERE ctid = ANY (ARRAY (
                    SELECT ctid FROM quota WHERE changed_at < clock_milliseconds() - 3600000
                        AND closed_until < clock_milliseconds()
                        AND coalesce(ends[cardinality(ends)], 0) < clock_milliseconds()
                    FOR UPDATE SKIP LOCKED))
                """)
        }
    }

    private static func json(_ list: [some Encodable]) throws -> String {
        String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
    }
}

extension QuotaAccount {
    /// A credential is behind a mark, so that none is taken for the server's own key.
    fileprivate var storedCredential: String { credential.map { "=" + $0 } ?? "" }

    fileprivate var arguments: SQLArguments { [provider.storedText, storedCredential] }
}

extension QuotaWindow.Period {
    fileprivate var sharedLength: Int64? {
        switch self {
        case .rolling: Int64(maximumDuration / .milliseconds(1))
        case .newYorkDay: nil
        }
    }
}

extension QuotaWindow {
    /// ``step`` in milliseconds.
    fileprivate var sharedStep: Int64? { step.map { Int64($0 / .milliseconds(1)) } }
}
