import Brokerage
import GraphQL
import PorticoCore
import Storage
import Upstream

/// Some activities out of those of several accounts, newest first.
struct ActivityConnectionPage: Sendable {
    /// Behind the activities a failure for each activity, account or connection that could not be read.
    let nodes: BatchResults<ConnectedActivity>
    let hasNext: Bool
    let hasPrevious: Bool
    /// Behind the last activity; what could not be read is still to come.
    let end: ActivityCursor
    /// From this day on the activities are complete; nil if all of the accounts are listed.
    let since: CalendarDate?
    let isStale: Bool
    private let start: ActivityCursor
    /// The accounts that were read.
    private let accounts: [ActivityCursor.Account]

    /// An activity and its place in the list.
    struct ActivityEdge: Sendable {
        let activity: ConnectedActivity
        let cursor: String
    }

    /// Merges the next activities of each account.
    init(_ pages: BatchResults<AccountActivityPage>, after start: ActivityCursor?, first: Int) {
        var activities: [ConnectedActivity] = []
        var failures: BatchResults<ConnectedActivity> = []
        var unreadable: BatchResults<ConnectedActivity> = []
        var hasMore = false
        var since: CalendarDate?
        var isStale = false
        var accounts: [ActivityCursor.Account] = []
        for page in pages {
            switch page {
            case .success(let page):
                accounts.append(page.account)
                // Without a copy of the first account's.
                if activities.isEmpty { activities = page.activities } else { activities += page.activities }
                unreadable += page.failures.map { .failure($0) }
                hasMore = hasMore || page.hasMore
                since = [since, page.since].compactMap(\.self).max()
                isStale = isStale || page.isStale
            case .failure(let error): failures.append(.failure(error))
            }
        }
        // Those of one account are in their order.
        if accounts.count > 1 { activities.sort { $0.precedes($1) } }
        let listed = activities.prefix(first)
        var cursor = start ?? ActivityCursor()
        self.start = cursor
        for activity in accounts.count > 1 ? listed : listed.suffix(1) { cursor.advance(past: activity) }
        end = listed.last.map { cursor.covering(accounts, upTo: $0) } ?? cursor
        nodes = listed.map { .success($0) } + unreadable + failures
        hasNext = hasMore || activities.count > first || !failures.isEmpty
        hasPrevious = start != nil
        self.accounts = accounts
        self.since = since
        self.isStale = isStale
    }

    /// The nodes with their cursors, which are encoded only for an operation that selects edges.
    var edges: BatchResults<ActivityEdge> {
        var cursors = ActivityCursorWriter(start, of: accounts)
        return nodes.map { node in
            node.map { ActivityEdge(activity: $0, cursor: cursors.cursor(past: $0)) }
        }
    }

    /// The cursor of the first activity; nil without one.
    var startCursor: String? {
        guard case .success(let activity)? = nodes.first else { return nil }
        var cursors = ActivityCursorWriter(start, of: accounts)
        return cursors.cursor(past: activity)
    }
}

extension ActivityService {
    /// A page of activities over all accounts of the user, or over some.
    func activities(_ arguments: ActivitiesArguments) throws -> MaybeAsync<ActivityConnectionPage?> {
        let connections = try ConnectionDirectory(scope).connections(with: nil)
        let start = try arguments.checkedStart()
        return .async {
            let accounts: BatchResults<ConnectedAccount>
            if let ids = arguments.accounts {
                accounts = try await self.accounts(withIDs: ids)
            } else {
                let lists = MaybeAsync.each(connections.filter { $0.activities != nil }) {
                    AccountService(scope).accounts(of: $0)
                }
                accounts = try await lists.value().valuesThenFailures()
            }
            return try await self.page(of: accounts, arguments, after: start)
        }
    }

    /// A page of the activities of one account.
    func activities(
        of account: ConnectedAccount, _ arguments: ActivitiesArguments
    ) throws -> MaybeAsync<ActivityConnectionPage?> {
        let start = try arguments.checkedStart()
        return .async {
            guard account.connection.activities != nil else { throw FieldError.noActivities(account) }
            let place = start?.position(in: account)
            // A cursor of other accounts only, with which the list would begin again.
            if let start, place == nil, !start.isEmpty { throw FieldError.noCursor(start.text) }
            let page = try await self.activities(of: account, arguments, after: place)
            return ActivityConnectionPage([.success(page)], after: start, first: arguments.page.first)
        }
    }

    private func page(
        of accounts: BatchResults<ConnectedAccount>, _ arguments: ActivitiesArguments,
        after start: ActivityCursor?
    ) async throws -> ActivityConnectionPage {
        let pages = MaybeAsync.each(accounts) { account -> MaybeAsync<AccountActivityPage> in
            let account = try account.get()
            return .async {
                try await self.activities(of: account, arguments, after: start?.position(in: account))
            }
        }
        return ActivityConnectionPage(try await pages.value(), after: start, first: arguments.page.first)
    }

    /// The accounts with some ids, each once; a failure in the place of each that could not be read.
    ///
    /// - Throws: `FieldError` for an id that is not one of an account of the user, or of an account without activities.
    private func accounts(withIDs ids: [String]) async throws -> BatchResults<ConnectedAccount> {
        var accounts: BatchResults<ConnectedAccount> = []
        for id in ids.enumerated().filter({ ids.firstIndex(of: $0.element) == $0.offset }).map(\.element) {
            let account: ConnectedAccount
            do {
                account = try await AccountService(scope).account(id: id, of: "accountIds")
            } catch let error as FieldError where error.code == .notFound {
                throw error
            } catch {
                accounts.append(.failure(error))
                continue
            }
            guard account.connection.activities != nil else {
                throw FieldError.noActivities(account).of(argument: "accountIds")
            }
            accounts.append(.success(account))
        }
        return accounts
    }
}

struct ActivitiesArguments: GraphQLArguments {
    let filter: ActivityFilter
    let page: PageArguments
    /// Ids of accounts, for the field that takes them.
    let accounts: [String]?

    static let maximumActivities = 500
    private static let maximumAccounts = 50

    init(_ arguments: ArgumentReader) throws {
        try self.init(arguments, accounts: nil)
    }

    fileprivate init(_ arguments: ArgumentReader, accounts: [String]?) throws {
        filter = ActivityFilter(
            kinds: try (arguments["kinds"] as BoundedList<ActivityKind>?).map { Set($0.elements) },
            symbol: try arguments["symbol"], from: try arguments["from"], to: try arguments["to"])
        page = try PageArguments(arguments)
        self.accounts = accounts
    }

    /// Checks the arguments.
    ///
    /// - Returns: The position after which the page begins; nil for the newest.
    func checkedStart() throws(FieldError) -> ActivityCursor? {
        let start = try page.start(ActivityCursor.self, atMost: Self.maximumActivities)
        if let accounts, accounts.count > Self.maximumAccounts {
            throw .argument(
                "accountIds",
                "It has \(accounts.count) entries; at most \(Self.maximumAccounts) are allowed.")
        }
        if let from = filter.from, let to = filter.to, from > to {
            throw .argument("from", "It is \(from), which is after `to`, \(to).")
        }
        return start
    }
}

/// The arguments of the activities of several accounts.
struct AllActivitiesArguments: GraphQLArguments {
    let activities: ActivitiesArguments

    init(_ arguments: ArgumentReader) throws {
        let accounts = try (arguments["accountIds"] as BoundedList<IDText>?)?.elements.map(\.text)
        activities = try ActivitiesArguments(arguments, accounts: accounts)
    }
}

extension FieldError {
    /// The broker of the account does not report activities.
    static func noActivities(_ account: ConnectedAccount) -> FieldError {
        let provider = account.connection.provider
        return FieldError(.unsupported, "\(provider.name.text) reports no activities.", provider: provider)
    }
}
