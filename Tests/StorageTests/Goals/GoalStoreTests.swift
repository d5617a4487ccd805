import Brokerage
import EngineTestSupport
import Testing
import Upstream

@testable import Storage

/// A decimal number from its text.
func decimal(_ text: String) throws -> Decimal {
    try #require(Decimal(text))
}

@Suite("Stored goals")
struct GoalStoreTests {
    private static func content(
        _ title: String = "House", _ allocations: [GoalAllocation] = []
    ) throws -> GoalFields {
        GoalFields(
            title: title, about: "By the sea", target: try decimal("250000.5000"), currency: "EUR",
            dueOn: CalendarDate("2031-06-30"), allocations: allocations)
    }

    private static func allocation(
        _ symbol: String, _ share: GoalAllocation.Share = .all, in account: String? = nil
    ) throws -> GoalAllocation {
        GoalAllocation(symbol: try #require(Symbol(symbol)), account: account, share: share)
    }

    /// Symbol, account, quantity.
    private static func holding(_ entries: (String, String, String)...) throws -> HeldQuantities {
        var held = HeldQuantities()
        for (symbol, account, quantity) in entries {
            try held.add(decimal(quantity), of: #require(Symbol(symbol)), in: account)
        }
        return held
    }

    @Test("exist after a restart with every digit", arguments: TestEngine.allCases)
    func restart(engine: TestEngine) async throws {
        try await engine.with { folder in
            let allocations = [
                try Self.allocation("KO"),
                try Self.allocation("BTC/USD", .quantity(decimal("0.123456789")), in: "a"),
                try Self.allocation("AAPL", .percent(decimal("33.50"))),
            ]
            let held = try Self.holding(("KO", "a", "3"), ("BTC/USD", "a", "0.2"), ("AAPL", "b", "1"))
            let made: StoredGoal
            do {
                let users = try TwoUsers(folder)
                made = try await GoalStore(in: users.file).create(
                    Self.content("House", allocations), for: users.ann, holding: held
                ).get()
            }
            #expect(made.content == (try Self.content("House", allocations)))
            #expect(made.content.target.description == "250000.5000")
            let users = try TwoUsers(folder)
            let kept = try await GoalStore(in: users.file).goals(of: users.ann)
            #expect(kept.map(\.content) == [made.content])
            #expect(kept.map(\.id) == [made.id])
            #expect(kept[0].createdAt.millisecondsSince1970 == made.createdAt.millisecondsSince1970)
            #expect(try await GoalStore(in: users.file).goals(of: users.bob).isEmpty)
        }
    }

    @Test("change only in the named fields", arguments: TestEngine.allCases)
    func patches(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = GoalStore(in: users.file)
            let held = try Self.holding(("KO", "a", "3"))
            let goal = try await store.create(
                Self.content("House", [Self.allocation("KO")]), for: users.ann, holding: held
            ).get()
            func change(_ edit: (inout GoalPatch) throws -> Void) async throws -> GoalFields {
                var patch = GoalPatch()
                try edit(&patch)
                return try await store.update(goal.id, patch, for: users.ann, holding: held).get().content
            }
            var expected = goal.content
            #expect(try await change { _ in } == expected)
            expected.title = "Boat"
            #expect(try await change { $0.title = "Boat" } == expected)
            expected.about = ""
            #expect(try await change { $0.about = "" } == expected)
            expected.target = try decimal("1")
            #expect(try await change { $0.target = try decimal("1") } == expected)
            expected.currency = "DKK"
            #expect(try await change { $0.currency = "DKK" } == expected)
            expected.dueOn = CalendarDate("2040-01-01")
            #expect(
                try await change { $0.dueOn = .on(try #require(CalendarDate("2040-01-01"))) } == expected)
            expected.dueOn = nil
            #expect(try await change { $0.dueOn = .removed } == expected)
            expected.allocations = [try Self.allocation("KO", .percent(decimal("10")))]
            #expect(
                try await change {
                    $0.allocations = [try Self.allocation("KO", .percent(decimal("10")))]
                } == expected)
            expected.allocations = []
            #expect(try await change { $0.allocations = [] } == expected)
            #expect(try await users.count("goal_allocation") == 0)
            #expect(try await store.goal(goal.id, of: users.ann)?.content == expected)
        }
    }

    /// New allocations beside those of another goal, and what becomes of them.
    ///
    /// Account a holds 10, account b holds 6.
    struct Case: CustomTestStringConvertible {
        let name: String
        let others: [GoalAllocation]
        let new: [GoalAllocation]
        let refusal: GoalError?

        var testDescription: String { name }

        init(
            _ name: String, others: [GoalAllocation] = [], _ new: [GoalAllocation],
            _ refusal: GoalError? = nil
        ) {
            self.name = name
            self.others = others
            self.new = new
            self.refusal = refusal
        }

        static func overdrawn(_ index: Int, held: Int, taken: Int, wanted: Int) -> GoalError {
            .overallocated(
                index: index,
                .init(held: Decimal(held), allocated: Decimal(taken), requested: Decimal(wanted)))
        }

        static func all() throws -> [Case] {
            let all = try GoalStoreTests.allocation("KO")
            let allOfA = try GoalStoreTests.allocation("KO", in: "a")
            func pieces(_ count: Int, in account: String? = nil) throws -> GoalAllocation {
                try GoalStoreTests.allocation("KO", .quantity(Decimal(count)), in: account)
            }
            func percent(_ text: String, in account: String? = nil) throws -> GoalAllocation {
                try GoalStoreTests.allocation("KO", .percent(decimal(text)), in: account)
            }
            return [
                Case("all of it", [all]),
                Case("all of one account and the rest of the other", [allOfA, try pieces(6, in: "b")]),
                Case(
                    "all of it beside a piece", others: [try pieces(1)], [all],
                    overdrawn(0, held: 16, taken: 1, wanted: 16)),
                Case(
                    "one piece more than there is", [try pieces(17)],
                    overdrawn(0, held: 16, taken: 0, wanted: 17)),
                Case(
                    "one piece more than the account has", [try pieces(7, in: "b")],
                    overdrawn(0, held: 6, taken: 0, wanted: 7)),
                Case("the last piece", others: [try pieces(15)], [try pieces(1)]),
                Case(
                    "what another goal has of the account", others: [try pieces(4, in: "a")], [allOfA],
                    overdrawn(0, held: 10, taken: 4, wanted: 10)),
                Case(
                    "what another goal has of any account", others: [try pieces(7)], [allOfA],
                    overdrawn(0, held: 16, taken: 7, wanted: 10)),
                Case("per cents up to a hundred", others: [try percent("62.5")], [try percent("37.5")]),
                Case(
                    "per cents beyond a hundred", others: [try percent("75")], [try percent("50")],
                    overdrawn(0, held: 16, taken: 12, wanted: 8)),
                Case(
                    "the second of its own", [try percent("75"), try percent("50")],
                    overdrawn(1, held: 16, taken: 12, wanted: 8)),
                Case(
                    "another symbol's goals are no matter", others: [all],
                    [try GoalStoreTests.allocation("AAPL")]),
                Case("what is not held", [all, try GoalStoreTests.allocation("TSLA")], .notHeld(index: 1)),
                Case(
                    "what the account does not hold", [try GoalStoreTests.allocation("AAPL", in: "b")],
                    .notHeld(index: 0)),
                // 8 of account b were allocated when it held them: they take no more than is left there.
                Case("beside what was sold since", others: [try pieces(8, in: "b")], [allOfA]),
            ]
        }
    }

    @Test("together allocate no more than the position", arguments: try Case.all())
    func claims(_ test: Case) async throws {
        try await TwoUsers.each { users in
            let store = GoalStore(in: users.file)
            let held = try Self.holding(("KO", "a", "10"), ("KO", "b", "6"), ("AAPL", "a", "5"))
            let before = try Self.holding(("KO", "a", "100"), ("KO", "b", "100"), ("AAPL", "a", "100"))
            // A goal of another user takes nothing.
            _ = try await store.create(
                Self.content("x", [Self.allocation("KO")]), for: users.bob, holding: held
            ).get()
            let other = try await store.create(
                Self.content("Other", test.others), for: users.ann, holding: before
            ).get()
            let outcome = try await store.create(
                Self.content("New", test.new), for: users.ann, holding: held)
            switch (outcome, test.refusal) {
            case (.success(let goal), nil):
                #expect(goal.content.allocations == test.new)
            case (.failure(let refusal), let expected):
                #expect(refusal == expected)
                #expect(try await store.goals(of: users.ann) == [other])
                // Neither does an update, which would change the title too.
                let empty = try await store.create(Self.content("New"), for: users.ann, holding: held).get()
                var patch = GoalPatch()
                patch.title = "Changed"
                patch.allocations = test.new
                #expect(
                    try await store.update(empty.id, patch, for: users.ann, holding: held)
                        == .failure(refusal))
                #expect(try await store.goal(empty.id, of: users.ann) == empty)
            case (.success, let expected?): Issue.record("made, and not refused as \(expected)")
            }
        }
    }

    @Test("may change their own shares up to the position", arguments: TestEngine.allCases)
    func ownShares(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = GoalStore(in: users.file)
            let held = try Self.holding(("KO", "a", "10"))
            let goal = try await store.create(
                Self.content("House", [Self.allocation("KO", .percent(decimal("60")))]), for: users.ann,
                holding: held
            ).get()
            var patch = GoalPatch()
            patch.allocations = [try Self.allocation("KO", .quantity(decimal("10")))]
            let changed = try await store.update(goal.id, patch, for: users.ann, holding: held).get()
            #expect(changed.content.allocations == patch.allocations)
        }
    }

    @Test("with quantities of too many digits are refused", arguments: TestEngine.allCases)
    func digits(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = GoalStore(in: users.file)
            let held = try Self.holding(("KO", "a", "12345678901234567890.123456789"))
            let share = GoalAllocation.Share.percent(try decimal("0.12345678901234567890"))
            #expect(
                try await store.create(
                    Self.content("House", [Self.allocation("KO", share)]), for: users.ann, holding: held)
                    == .failure(.tooManyDigits(index: 0)))
        }
    }

    @Test("that are created concurrently allocate each share once", arguments: TestEngine.allCases)
    func together(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = GoalStore(in: users.file)
            let held = try Self.holding(("KO", "a", "40"))
            let content = try Self.content("One", [Self.allocation("KO", .quantity(Decimal(1)))])
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        switch try await store.create(content, for: users.ann, holding: held) {
                        case .success: true
                        case .failure(.overallocated): false
                        case .failure(let refusal): throw refusal
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 40)
            #expect(try await store.goals(of: users.ann).count == 40)
        }
    }

    @Test("are at most two hundred for each user", arguments: TestEngine.allCases)
    func bound(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = GoalStore(in: users.file)
            let held = HeldQuantities()
            for number in 1...200 {
                _ = try await store.create(Self.content("\(number)"), for: users.ann, holding: held).get()
            }
            #expect(
                try await store.create(Self.content(), for: users.ann, holding: held)
                    == .failure(.tooManyGoals(limit: 200)))
        }
    }

    @Test(
        "of one user do not exist for another, and are deleted with their user",
        arguments: TestEngine.allCases)
    func foreign(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = GoalStore(in: users.file)
            let held = try Self.holding(("KO", "a", "10"))
            let content = try Self.content("House", [Self.allocation("KO")])
            let goal = try await store.create(content, for: users.ann, holding: held).get()
            _ = try await store.create(content, for: users.bob, holding: held).get()
            var patch = GoalPatch()
            patch.title = "Mine"
            #expect(try await store.goal(goal.id, of: users.bob) == nil)
            #expect(
                try await store.update(goal.id, patch, for: users.bob, holding: held) == .failure(.notFound))
            #expect(try await store.delete(goal.id, for: users.bob) == false)
            #expect(try await store.goals(of: users.ann).map(\.content) == [content])
            try await users.delete(users.ann)
            #expect(try await users.count("goal") == 1)
            #expect(try await users.count("goal_allocation") == 1)
            #expect(try await store.goals(of: users.bob).count == 1)
        }
    }

    @Test(
        "in a row that was changed externally are an error, and not empty",
        arguments: [
            "UPDATE goal SET target = 'much'", "UPDATE goal SET due_on = 'soon'",
            "UPDATE goal_allocation SET percent = ''", "UPDATE goal_allocation SET symbol = 'A B'",
        ])
    func unreadable(change: String) async throws {
        try await TwoUsers.each { users in
            let store = GoalStore(in: users.file)
            let held = try Self.holding(("KO", "a", "10"))
            _ = try await store.create(
                Self.content("House", [Self.allocation("KO")]), for: users.ann, holding: held
            ).get()
            try await users.file.database.write { db in try db.execute(change) }
            let error = await #expect(throws: StorageError.self) { try await store.goals(of: users.ann) }
            #expect(error == .damaged(path: users.file.database.location))
        }
    }
}
