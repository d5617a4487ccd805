import Foundation
import GraphQL

/// What resolvers of the workload are given: the data, all in memory.
public final class WorkloadStore: Decodable, Sendable {
    let account: Account
    let positions: [Position]
    let quotes: [String: Quote]
    let watchlists: [Watchlist]
    let goals: [Goal]

    private enum CodingKeys: CodingKey {
        case account, positions, quotes, watchlists, goals
    }

    /// Reads `data.json`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        account = try container.decode(Account.self, forKey: .account)
        positions = try container.decode([Position].self, forKey: .positions)
        let list = try container.decode([Quote].self, forKey: .quotes)
        quotes = Dictionary(list.map { ($0.symbol, $0) }, uniquingKeysWith: { first, _ in first })
        watchlists = try container.decode([Watchlist].self, forKey: .watchlists)
        goals = try container.decode([Goal].self, forKey: .goals)
    }
}

struct Account: Decodable, Sendable {
    let id: String
    let equity, cash, buyingPower: Double
    let currency: String
}

struct Position: Decodable, Sendable {
    let symbol: String
    let qty, avgEntryPrice, marketValue, costBasis, unrealizedPl: Double
}

struct Quote: Decodable, Sendable {
    let symbol: String
    let bid, ask, last, change, changePercent: Double
}

struct Watchlist: Decodable, Sendable {
    let id, name: String
    let symbols: [String]
}

struct Goal: Decodable, Sendable {
    let id, name: String
    let targetAmount, currentAmount, progress: Double
    let targetDate: String
}

/// The root of the workload's queries.
struct Query: Sendable {}

struct QuotesArguments: GraphQLArguments {
    let symbols: [String]

    init(_ arguments: ArgumentReader) throws {
        symbols = try arguments["symbols"]
    }
}

/// The data has no quote of a symbol that was asked for.
struct UnknownSymbol: ClientVisibleError {
    let symbol: String

    var message: String { "There is no quote of \(symbol)." }
}

extension WorkloadStore {
    func quote(of symbol: String) throws -> Quote {
        guard let quote = quotes[symbol] else { throw UnknownSymbol(symbol: symbol) }
        return quote
    }
}
