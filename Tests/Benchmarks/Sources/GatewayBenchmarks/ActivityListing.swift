import Brokerage
import Contract
import Gateway
import GraphQL
import Storage
import Upstream

/// How fast all activities of an account are listed from the user database: megabytes of response a second.
struct ActivityListing {
    private let schema: ExecutableSchema<RequestScope>
    private let owner: OwnerID
    private let file: UserDatabase
    private let key = MasterKey.random()
    private var services: GatewayServices
    /// The start of each page.
    private var cursors: [InputValue] = [.null]

    static let activities = 10_000
    /// The aim of ``Form/nodes``, in bytes a second.
    static let aim = 200e6
    /// As many as the schema allows.
    private static let pageSize = 500

    /// The form of a page; clients with a normalised cache read edges.
    enum Form: String, CaseIterable {
        case nodes, edges

        fileprivate var query: String {
            let fields = """
                id provider kind providerKind date executedAt settlementDate symbol side quantity price amount currency
                accountAmount accountCurrency conversionRate providerOrderId groupId description
                """
            let list = self == .nodes ? "nodes { \(fields) }" : "edges { cursor node { \(fields) } }"
            return """
                query ($after: String) { account { activities(first: \(ActivityListing.pageSize), after: $after) {
                    \(list) pageInfo { hasNextPage endCursor } } } }
                """
        }
    }

    /// Reads all activities from the broker, and finds the cursors of the pages.
    init() async throws {
        guard let owner = OwnerID("owner") else { throw BenchmarkError("no owner") }
        self.owner = owner
        schema = try ExecutableSchema(contract: Contract.schemaText)
        file = try UserDatabase.temporary()
        try UserStore(in: file).ensure(owner)
        services = try Self.services(owner, file, key)
        while let cursor = Self.endCursor(try await page(.nodes, after: cursors.last ?? .null)) {
            cursors.append(.string(cursor))
        }
        guard cursors.count == Self.activities / Self.pageSize else {
            throw BenchmarkError("\(cursors.count) pages")
        }
    }

    /// Forgets the activities in memory, as at the start of a server.
    mutating func restart() throws { services = try Self.services(owner, file, key) }

    private static func services(
        _ owner: OwnerID, _ file: UserDatabase, _ key: MasterKey
    ) throws -> GatewayServices {
        let monitor = ProviderMonitor()
        return try GatewayServices(
            connections: [
                ProviderConnection(
                    BrokerConnection(
                        id: "alpaca", owner: owner, provider: .alpaca, environment: .sandbox,
                        accounts: LongLedger()))
            ],
            market: [], reads: ReadCaches(clock: .stopped), userData: UserData(in: file, key),
            condition: { provider in
                ProviderHealthReport(health: monitor.health(of: provider), rateLimits: [])
            })
    }

    /// Lists all activities.
    ///
    /// - Returns: The size of all responses in bytes.
    /// - Throws: `BenchmarkError` for a response with an error.
    func list(_ form: Form) async throws -> Int {
        var bytes = 0
        for cursor in cursors { bytes += try await page(form, after: cursor).count }
        return bytes
    }

    private func page(_ form: Form, after cursor: InputValue) async throws -> [UInt8] {
        let scope = RequestScope(
            session: Session(owner: owner, scopes: [.read]), services: services,
            call: CallContext(deadline: .now + .seconds(60)))
        let request = GraphQLRequest(form.query, variables: InputObject([("after", cursor)]))
        let body = try await schema.respond(to: request, context: scope).value().body
        // A response with errors begins with them.
        guard body.starts(with: #"{"data":{"account":{"#.utf8) else {
            throw BenchmarkError(String(decoding: body.prefix(2_000), as: UTF8.self))
        }
        return body
    }

    /// The cursor at the end of a page; nil if it is the last one.
    private static func endCursor(_ body: [UInt8]) -> String? {
        let end = String(decoding: body.suffix(1_000), as: UTF8.self)
        guard end.contains(#""hasNextPage":true"#) else { return nil }
        return end.split(separator: #""endCursor":""#).last?.split(separator: "\"").first.map { String($0) }
    }
}

/// An account with ten thousand activities, as Alpaca has them: mostly executions, and dividends with their tax, fees and
/// deposits.
private struct LongLedger: AccountSource, ActivitySource {
    private static let pageSize = 1_000

    let activityReportInterval = Duration.zero

    func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account] {
        [
            Account(
                id: "904837e3-3b76-47ec-b432-046db621571b", number: "PA2GX6V7SBMW", currency: "USD",
                provenance: Provenance(source: .alpaca, fetchedAt: .now))
        ]
    }

    func positions(in call: CallContext) async throws(ProviderFailure) -> PositionList { [] }

    func history(
        of account: String, _ range: DateRange, interval: Interval?, in call: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        throw ProviderFailure(.alpaca, .unsupported)
    }

    func activities(
        of account: String, _ query: ActivityQuery, in call: CallContext
    ) async throws(ProviderFailure) -> ActivityPage {
        guard query.since == nil else { return ActivityPage(activities: []) }
        let start = query.page.flatMap { Int($0) } ?? 0
        let end = min(start + Self.pageSize, ActivityListing.activities)
        return ActivityPage(
            activities: (start..<end).compactMap(Self.activity),
            next: end < ActivityListing.activities ? String(end) : nil)
    }

    private static func activity(_ number: Int) -> Activity? {
        // Four a day.
        guard let date = CalendarDate(daysSince1970: 17_800 + number / 4),
            let time = Instant(
                secondsSince1970: Int64(date.daysSince1970) * 86_400 + 52_200 + Int64(number % 4) * 3_911,
                nanoseconds: 284_118_000)
        else { return nil }
        let uuid = uuid(number)
        let (kind, providerKind): (ActivityKind, String) =
            switch number % 10 {
            case 7: (.dividend, "DIV/CDIV")
            case 8: (.tax, "DIVNRA")
            case 9: number % 20 == 9 ? (.fee, "FEE/TAF") : (.deposit, "CSD")
            default: (.trade, "FILL")
            }
        let day = date.description.replacing("-", with: "")
        let millisecond = kind == .trade ? String(143_000_000 + number % 4 * 1_105_284) : "000000000"
        var activity = Activity(
            id: "\(day)\(millisecond)::\(uuid)", kind: kind, providerKind: providerKind, date: date)
        activity.currency = "USD"
        activity.recordedAt = time
        if kind == .fee || kind == .deposit {
            activity.amount = Decimal(coefficient: Int128(kind == .fee ? -2 : 200_000), scale: 2)
            activity.about =
                kind == .fee
                ? "TAF fee for proceed of 90 shares (2 trades) on \(date)" : "type: wire, subtype: none"
            return activity
        }
        activity.symbol = Symbol(["AAPL", "AMD", "KO", "MSFT", "TSLA"][number % 5])
        let price = Int128(22_508 + number * 37 % 900)
        switch kind {
        case .trade:
            let units = Int128(1 + number % 12) * (number.isMultiple(of: 3) ? -1 : 1)
            activity.time = time
            activity.side = units < 0 ? .sell : .buy
            activity.quantity = Decimal(coefficient: units, scale: 0)
            activity.price = Decimal(coefficient: price, scale: 2)
            activity.amount = Decimal(coefficient: -units * price, scale: 2)
            activity.orderID = uuid
        default:
            activity.price = kind == .dividend ? Decimal(coefficient: 26, scale: 2) : nil
            activity.amount = Decimal(coefficient: kind == .dividend ? 312 : -47, scale: 2)
            activity.groupID = uuid
        }
        return activity
    }

    /// The digits of a number in the form of a UUID.
    private static func uuid(_ number: Int) -> String {
        let digits = String(1_000_000_000_000 + number * 7_919)
        return "4f0b9c3a-9d3b-4f0b-8c0e-\(digits.suffix(12))"
    }
}
