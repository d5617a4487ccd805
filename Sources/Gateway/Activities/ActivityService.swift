import Brokerage
import GraphQL
import Performance
import PorticoCore
import Storage
import Upstream

/// The next activities of one account, newest first.
struct AccountActivityPage: Sendable {
    let account: ActivityCursor.Account
    let activities: [ConnectedActivity]
    /// The errors of activities that could not be read; on the first page only, because their places in the list are unknown.
    let failures: [FieldError]
    let hasMore: Bool
    /// From this day on the stored activities are complete; nil if all of the account are stored.
    let since: CalendarDate?
    /// Whether the broker failed, and only activities of earlier reads are listed.
    let isStale: Bool
}

/// Activities of accounts, which are read from brokers and stored.
package struct ActivityService: Sendable {
    let scope: RequestScope
    let store: ActivityStore
    let reads: ConnectionReads
    let caches: ReadCaches
}

extension ActivityService {
    package init(_ scope: RequestScope) {
        self.init(
            scope: scope, store: scope.services.userData.activities, reads: ConnectionReads(scope),
            caches: scope.services.reads)
    }

    /// A page of the activities of an account after a position.
    func activities(
        of account: ConnectedAccount, _ arguments: ActivitiesArguments, after position: ActivityPosition?
    ) async throws -> AccountActivityPage {
        let connection = account.connection
        let stored = activityAccount(of: account)
        let (coverage, isStale) = try await coverage(
            of: stored, by: connection, for: arguments.filter, after: position)
        let rows = try await store.activities(
            arguments.filter, of: stored, coverage, after: position, limit: arguments.page.first + 1,
            now: scope.clock.wallTime())
        let origin = ConnectedActivity.Origin(connection, accountID: account.stored.id)
        return AccountActivityPage(
            account: ActivityCursor.Account(account),
            activities: rows.prefix(arguments.page.first).map {
                ConnectedActivity(stored: $0, origin: origin)
            },
            failures: position == nil ? coverage.failures(at: connection.provider) : [],
            hasMore: rows.count > arguments.page.first, since: coverage.since, isStale: isStale)
    }

    /// All activities of an account, after it was brought up to date.
    func bookings(of account: ConnectedAccount) async throws -> AccountBookings {
        guard account.connection.activities != nil else { throw FieldError.noActivities(account) }
        let stored = activityAccount(of: account)
        let (coverage, isStale) = try await coverage(
            of: stored, by: account.connection, for: ActivityFilter(), after: nil)
        // Without an activity, every figure that is calculated from all could be wrong.
        if let failure = coverage.failures(at: account.connection.provider).first { throw failure }
        let rows = try await store.allActivities(of: stored, coverage, now: scope.clock.wallTime())
        return AccountBookings(
            account: account, activities: rows.reversed().map(\.activity), knownFrom: coverage.since,
            isStale: isStale)
    }

    private func activityAccount(of account: ConnectedAccount) -> ActivityAccount {
        let connection = account.connection
        return ActivityAccount(
            owner: connection.owner, connection: connection.id, account: account.stored.id,
            isConnectionStored: ConnectionDirectory(scope).link(of: connection)?.stored != nil)
    }

    /// What is stored of an account, after it was brought up to date as far as a page needs it.
    ///
    /// If the broker fails, activities of earlier complete reads are returned as stale; the error is thrown if there are
    /// none, or if the credential may no longer read them. They are stale, too, while the broker's report lacks the trade of
    /// an order that the journal has as filled.
    private func coverage(
        of account: ActivityAccount, by connection: BrokerConnection, for filter: ActivityFilter,
        after position: ActivityPosition?
    ) async throws -> (ActivityCoverage, isStale: Bool) {
        let known = try await storedCoverage(of: account)
        // Trades that are still missing are not in such a page.
        if let known, scope.call.notBefore == nil, known.suffices(for: filter, after: position) {
            return (known, isStale: false)
        }
        do {
            let read = try await reads.readFromAccountSource(
                ExactText(account.account), connection, in: caches.activities
            ) { [services = scope.services] source, call throws(ProviderFailure) in
                guard let source = source as? any ActivitySource else {
                    throw ProviderFailure(connection.provider, .unsupported)
                }
                return try await services.readActivities(
                    of: account, at: connection.provider, from: source, in: call)
            }.value()
            switch read {
            case .success(let coverage?) where coverage == known:
                return (coverage, isStale: coverage.awaitsTrades)
            case .success:
                // The result may be some seconds old, and another process may have stored more since.
                guard let coverage = try await storedCoverage(of: account) else {
                    throw FieldError.noConnection(ProviderConnection.globalID(connection.id))
                }
                return (coverage, isStale: coverage.awaitsTrades)
            case .failure(let error): throw FieldError(error)
            }
        } catch let error as FieldError {
            guard error.allowsStoredActivities else { throw error }
            // A page may have been stored before the failure.
            guard let stored = try await storedCoverage(of: account), stored.readAt != nil else {
                throw error
            }
            return (stored, isStale: true)
        }
    }

    /// What the database has of an account now: activities in memory are used only for this.
    private func storedCoverage(of account: ActivityAccount) async throws -> ActivityCoverage? {
        try await store.coverage(of: account, now: scope.clock.wallTime())
    }

    /// The activity with an id; nil if the user has none with it.
    ///
    /// It is not read from the broker.
    func activityIfAny(_ id: String) -> MaybeAsync<ConnectedActivity?> {
        let connection = ConnectionDirectory(scope).own.compactMap(\.broker).first {
            id.utf8.starts(with: ConnectedActivity.idPrefix(of: $0).utf8)
        }
        guard let connection else { return .ready(nil) }
        let prefix = ConnectedActivity.idPrefix(of: connection)
        let reference = String(decoding: id.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return .async { [store] in
            try await store.activity(reference, of: connection.owner, connection.id).map {
                ConnectedActivity(
                    stored: $0.activity, origin: ConnectedActivity.Origin(connection, accountID: $0.account))
            }
        }
    }

    /// The orders that caused activities; nil for an activity without an order, and for an order that the broker no
    /// longer has.
    func orders(causing activities: [ConnectedActivity]) -> MaybeAsync<BatchResults<ConnectedOrder?>> {
        .each(activities) { connected in
            guard let id = connected.stored.activity.orderID else { return .ready(nil) }
            return .async {
                try await OrderService(scope).order(providerID: id, of: connected.origin.connection)
            }
        }
    }
}

extension GatewayServices {
    /// The most pages of one read: as many as a user's stored activities fill, and more.
    private static let maximumPages = 2_000
    /// The least time between two reads while the trade of a filled order is missing, which a report of the day may have at
    /// any time.
    private static let awaitingInterval = Duration.seconds(300)

    /// Reads what a broker has recorded since the latest complete read of an account, and stores it page after page.
    ///
    /// A read that was interrupted is continued at its next page, and then followed by one for what was recorded
    /// meanwhile. Nothing is read if the broker's reports cannot have changed.
    ///
    /// - Returns: What is stored afterwards; nil if the connection has been deleted.
    fileprivate func readActivities(
        of account: ActivityAccount, at provider: ProviderID, from source: any ActivitySource,
        in call: CallContext
    ) async throws(ProviderFailure) -> Result<ActivityCoverage?, StorageError> {
        let store = userData.activities
        var coverage: ActivityCoverage?
        do throws(StorageError) {
            coverage = try await store.coverage(of: account, now: reads.clock.wallTime())
        } catch {
            return .failure(error)
        }
        if let coverage, coverage.pending == nil, let readAt = coverage.readAt {
            let interval = source.activityReportInterval
            let least =
                if !coverage.unreadable.isEmpty {
                    // Such a read begins at the same day again, and may need many calls.
                    max(interval, Self.awaitingInterval)
                } else {
                    coverage.awaitsTrades ? min(interval, Self.awaitingInterval) : interval
                }
            if reads.clock.wallTime() < readAt + least { return .success(coverage) }
        }
        var continuesRead = coverage?.pending != nil
        var query = coverage?.pending ?? ActivityQuery(since: coverage?.completeOn)
        for _ in 0..<Self.maximumPages {
            let page: ActivityPage
            do throws(ProviderFailure) {
                page = try await source.activities(of: account.account, query, in: call)
            } catch {
                // The broker no longer has the page at which the read was interrupted.
                guard continuesRead, error.cause == .unsupported || error.cause == .notFound else {
                    throw error
                }
                continuesRead = false
                query = ActivityQuery(since: coverage?.completeOn)
                continue
            }
            // A page that follows itself has no end.
            guard page.next == nil || page.next != query.page else { break }
            do throws(StorageError) {
                coverage = try await store.save(page, for: query, of: account, now: reads.clock.wallTime())
            } catch {
                return .failure(error)
            }
            guard let stored = coverage else { return .success(nil) }
            if let pending = stored.pending {
                query = pending
            } else if continuesRead {
                continuesRead = false
                query = ActivityQuery(since: stored.completeOn)
            } else {
                return .success(stored)
            }
        }
        throw ProviderFailure(provider, .invalidResponse(nil))
    }
}

extension ActivityCoverage {
    /// Days after which brokers hardly change an activity.
    private static let daysOfChanges = 7

    /// Whether the stored activities suffice for a page, so that the broker need not be requested.
    ///
    /// Activities that are new are before every page with a cursor, and after every range that ended a week before the
    /// latest complete read.
    fileprivate func suffices(for filter: ActivityFilter, after position: ActivityPosition?) -> Bool {
        if position != nil { return readAt != nil }
        guard let completeOn, let end = filter.to?.adding(days: Self.daysOfChanges) else { return false }
        return end < completeOn
    }

    /// The errors of the activities that could not be read.
    fileprivate func failures(at provider: ProviderID) -> [FieldError] {
        allUnreadable.map { .unreadable("an activity", $0, of: provider) }
    }
}

extension FieldError {
    /// Whether stored activities may be returned after this error of their broker.
    fileprivate var allowsStoredActivities: Bool {
        switch code {
        case .providerUnavailable, .providerTimeout, .providerResponseInvalid, .quotaExhausted, .rateLimited,
            .tooManyUpstreamCalls:
            true
        case .unauthenticated, .forbidden, .badUserInput, .notFound, .conflict, .assetNotFound,
            .internalServerError, .unsupported, .notEntitled, .reconnectRequired, .noExchangeRate,
            .storageUnavailable:
            false
        }
    }
}
