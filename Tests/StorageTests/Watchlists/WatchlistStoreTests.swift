import Brokerage
import EngineTestSupport
import Storage
import Testing
import Upstream

func symbols(_ texts: String...) throws -> [Symbol] {
    try texts.map { try #require(Symbol($0)) }
}

@Suite("Stored watchlists")
struct WatchlistStoreTests {
    static let morning = Instant("2026-11-20T14:30:00Z")
    static let noon = Instant("2026-11-20T17:00:00.125Z")

    @Test("exist after a restart, with their order and times", arguments: TestEngine.allCases)
    func restart(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (morning, noon) = (try #require(Self.morning), try #require(Self.noon))
            let made: StoredWatchlist
            do {
                let users = try TwoUsers(folder)
                let store = WatchlistStore(in: users.file)
                let list = try await store.create(
                    named: "Täglich 📈", of: symbols("KO", "BRK.B", "EUR/DKK"), for: users.ann, now: morning)
                made = try await store.change(
                    list.get().id, .add(symbols("AAPL")), for: users.ann, now: noon
                ).get()
                _ = try await store.create(named: "Zweite", of: [], for: users.ann, now: morning).get()
            }
            #expect(made.name == "Täglich 📈")
            #expect(made.items.map(\.symbol.text) == ["KO", "BRK.B", "EUR/DKK", "AAPL"])
            #expect(made.items.map(\.addedAt) == [morning, morning, morning, noon])
            #expect(made.createdAt == morning && made.updatedAt == noon)
            let users = try TwoUsers(folder)
            let store = WatchlistStore(in: users.file)
            #expect(try await store.watchlists(of: users.ann).map(\.name) == ["Täglich 📈", "Zweite"])
            #expect(try await store.watchlist(made.id, of: users.ann) == made)
            #expect(try await store.watchlists(of: users.bob).isEmpty)
        }
    }

    @Test("have each symbol once, at its first index", arguments: TestEngine.allCases)
    func once(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = WatchlistStore(in: users.file)
            let list = try await store.create(
                named: "a", of: symbols("KO", "AAPL", "KO", "MSFT", "AAPL"), for: users.ann
            ).get()
            #expect(list.items.map(\.symbol.text) == ["KO", "AAPL", "MSFT"])
            let more = try await store.change(list.id, .add(symbols("MSFT", "TSLA", "KO")), for: users.ann)
                .get()
            #expect(more.items.map(\.symbol.text) == ["KO", "AAPL", "MSFT", "TSLA"])
        }
    }

    @Test("lose only the removed symbol", arguments: TestEngine.allCases)
    func removal(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = WatchlistStore(in: users.file)
            let list = try await store.create(
                named: "a", of: symbols("KO", "AAPL", "MSFT"), for: users.ann
            ).get()
            let less = try await store.change(list.id, .remove(symbols("AAPL", "NOSUCH")), for: users.ann)
                .get()
            #expect(less.items.map(\.symbol.text) == ["KO", "MSFT"])
            // What changes nothing is no change.
            let same = try await store.change(
                list.id, .remove(symbols("NOSUCH")), for: users.ann, now: .latest
            ).get()
            #expect(same == less)
        }
    }

    @Test(
        "move a symbol to an index",
        arguments: [
            (0, ["C", "A", "B", "D"]), (1, ["A", "C", "B", "D"]), (2, ["A", "B", "C", "D"]),
            (3, ["A", "B", "D", "C"]),
        ])
    func moves(place: Int, order: [String]) async throws {
        try await TwoUsers.each { users in
            let store = WatchlistStore(in: users.file)
            let list = try await store.create(
                named: "a", of: symbols("A", "B", "C", "D"), for: users.ann
            ).get()
            let symbol = try symbols("C")[0]
            let moved = try await store.change(list.id, .move(symbol, to: place), for: users.ann).get()
            #expect(moved.items.map(\.symbol.text) == order)
            #expect(try await store.watchlist(list.id, of: users.ann) == moved)
        }
    }

    @Test("reject invalid changes, and remain unchanged", arguments: TestEngine.allCases)
    func refusals(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = WatchlistStore(in: users.file)
            let list = try await store.create(named: "a", of: symbols("KO", "AAPL"), for: users.ann).get()
            let (ko, other) = (try symbols("KO")[0], try symbols("TSLA")[0])
            for place in [-1, 2, Int.max] {
                #expect(
                    try await store.change(list.id, .move(ko, to: place), for: users.ann)
                        == .failure(.positionOutOfRange(itemCount: 2)))
            }
            #expect(
                try await store.change(list.id, .move(other, to: 0), for: users.ann) == .failure(.notInList))
            let many = try (0..<500).map { try #require(Symbol("S\($0)")) }
            #expect(
                try await store.change(list.id, .add(many), for: users.ann)
                    == .failure(.tooManySymbols(count: 502, limit: 500)))
            #expect(
                try await store.create(named: "b", of: many + [ko], for: users.ann)
                    == .failure(.tooManySymbols(count: 501, limit: 500)))
            #expect(try await store.watchlists(of: users.ann) == [list])
        }
    }

    @Test("are at most a hundred for each user", arguments: TestEngine.allCases)
    func bound(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = WatchlistStore(in: users.file)
            for number in 1...100 {
                _ = try await store.create(named: "\(number)", of: [], for: users.ann).get()
            }
            #expect(
                try await store.create(named: "101", of: [], for: users.ann)
                    == .failure(.tooManyLists(limit: 100)))
            _ = try await store.create(named: "1", of: [], for: users.bob).get()
            #expect(try await store.watchlists(of: users.ann).count == 100)
        }
    }

    @Test("of one user do not exist for another", arguments: TestEngine.allCases)
    func foreign(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = WatchlistStore(in: users.file)
            let list = try await store.create(named: "a", of: symbols("KO"), for: users.ann).get()
            let (id, bob, ko) = (list.id, users.bob, try symbols("KO"))
            #expect(try await store.watchlist(id, of: bob) == nil)
            #expect(try await store.rename(id, to: "b", for: bob) == .failure(.notFound))
            #expect(try await store.change(id, .add(ko), for: bob) == .failure(.notFound))
            #expect(try await store.change(id, .remove(ko), for: bob) == .failure(.notFound))
            #expect(try await store.change(id, .move(ko[0], to: 0), for: bob) == .failure(.notFound))
            #expect(try await store.delete(id, for: bob) == false)
            #expect(try await store.watchlist(id, of: users.ann) == list)
        }
    }

    @Test("lose no concurrent change", arguments: TestEngine.allCases)
    func together(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = WatchlistStore(in: users.file)
            let list = try await store.create(named: "a", of: [], for: users.ann).get()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    let symbol = try #require(Symbol("S\(number)"))
                    group.addTask {
                        _ = try await store.change(list.id, .add([symbol]), for: users.ann).get()
                    }
                }
                try await group.waitForAll()
            }
            let items = try #require(try await store.watchlist(list.id, of: users.ann)).items
            #expect(items.count == 200)
            #expect(Set(items.map(\.symbol)).count == 200)
        }
    }

    @Test("are gone with their item rows when they or their user are deleted", arguments: TestEngine.allCases)
    func deletion(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = WatchlistStore(in: users.file)
            let list = try await store.create(named: "a", of: symbols("KO", "AAPL"), for: users.ann).get()
            _ = try await store.create(named: "b", of: symbols("KO"), for: users.ann).get()
            _ = try await store.create(named: "c", of: symbols("KO"), for: users.bob).get()
            #expect(try await store.delete(list.id, for: users.ann))
            #expect(try await store.delete(list.id, for: users.ann) == false)
            #expect(try await users.count("watchlist_item") == 2)
            try await users.delete(users.ann)
            #expect(try await users.count("watchlist") == 1)
            #expect(try await users.count("watchlist_item") == 1)
            #expect(try await store.watchlists(of: users.bob).map(\.name) == ["c"])
        }
    }
}
