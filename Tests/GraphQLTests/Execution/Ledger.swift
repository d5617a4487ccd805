import GraphQL
import Synchronization

// A ledger with mutations and subscriptions, which their tests share.

let ledgerSDL = """
    type Query {
      total: Int
      never: Int
      slow: Int
    }

    type Mutation {
      add(amount: Int!): Entry
      fail: Int
      explode: Int!
    }

    type Subscription {
      entries(count: Int! = 2): Entry
      broken: Int
      ending: Int
      tallies: Entry
    }

    type Entry {
      amount: Int!
      total: Int
    }
    """

/// The context of the ledger's resolvers: it stores entries, and the order of events.
final class Ledger: Sendable {
    private let state = Mutex((total: 0, log: [String]()))

    func add(_ amount: Int) {
        state.withLock {
            $0.total += amount
            $0.log.append("add \(amount)")
        }
    }

    func note(_ event: String) { state.withLock { $0.log.append(event) } }
    var total: Int { state.withLock { $0.total } }
    var log: [String] { state.withLock { $0.log } }
}

struct LedgerQuery: GraphQLObject {
    typealias Context = Ledger

    static let graphQL = ObjectType<LedgerQuery>("Query") {
        Field("total", once: { ledger in .ready(Optional(ledger.total)) })
        Field(
            "never",
            once: { _ in
                .async {
                    try await Task.sleep(for: .seconds(3600))
                    return Optional(1)
                }
            })
        Field(
            "slow",
            once: { _ in
                .async {
                    await Task.yield()
                    return Optional(2)
                }
            })
    }
}

struct LedgerMutation: GraphQLObject {
    typealias Context = Ledger

    static let graphQL = ObjectType<LedgerMutation>("Mutation") {
        Field(
            "add", AddArguments.self,
            once: { arguments, ledger in
                .async {
                    await Task.yield()
                    ledger.add(arguments.amount)
                    return Optional(Entry(amount: arguments.amount))
                }
            })
        Field(
            "fail",
            once: { ledger -> MaybeAsync<Int?> in
                ledger.note("fail")
                throw Refusal(message: "no")
            })
        Field(
            "explode",
            once: { ledger -> MaybeAsync<Int> in
                ledger.note("explode")
                throw Refusal(message: "boom")
            })
    }
}

struct LedgerSubscription: GraphQLObject {
    typealias Context = Ledger

    static let graphQL = ObjectType<LedgerSubscription>("Subscription") {
        Field(
            "entries", EntriesArguments.self,
            events: { arguments, _ in
                AsyncStream<Result<Entry, any Error>> { continuation in
                    for amount in 1...max(1, arguments.count) {
                        continuation.yield(
                            amount == 2 ? .failure(Refusal(message: "lost")) : .success(Entry(amount: amount))
                        )
                    }
                    continuation.finish()
                }
            })
        Field("broken", events: { _ -> AsyncStream<Int?> in throw Refusal(message: "no stream") })
        Field(
            "ending",
            events: { _ in
                AsyncThrowingStream<Int?, any Error> { continuation in
                    continuation.yield(1)
                    continuation.finish(throwing: Refusal(message: "source gone"))
                }
            })
        Field(
            "tallies",
            events: { _ in
                AsyncStream<Int> { continuation in
                    for amount in 1...2 { continuation.yield(amount) }
                    continuation.finish()
                }
            },
            value: { Optional(Entry(amount: $0)) },
            context: { amount, ledger in
                ledger.note("context of \(amount)")
                let tally = Ledger()
                tally.add(ledger.total + amount * 100)
                return tally
            })
    }
}

struct Entry: GraphQLObject {
    typealias Context = Ledger
    let amount: Int

    static let graphQL = ObjectType<Entry>("Entry") {
        Field("amount", \.amount)
        Field(
            "total",
            load: { entries, ledger in
                ledger.note("total \(ledger.total)")
                return .ready(entries.map { _ in .success(Optional(ledger.total)) } as BatchResults<Int?>)
            })
    }
}

struct AddArguments: GraphQLArguments {
    let amount: Int

    init(_ arguments: ArgumentReader) throws {
        amount = try arguments["amount"]
    }
}

struct EntriesArguments: GraphQLArguments {
    let count: Int

    init(_ arguments: ArgumentReader) throws {
        count = try arguments["count"]
    }
}
