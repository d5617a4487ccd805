import Sandbox
import TestSupport
import Testing

extension SoakPerson {
    /// How many of a kind they make at most: a user has 20 connections and 50 sessions.
    private static let most = 15

    /// Makes, changes and deletes things of every kind at once, until the server is gone.
    func write(to server: RunningServer) async {
        await withTaskGroup { group in
            // What ends them is that no answer comes any more.
            group.addTask { try? await writeGoals(to: server) }
            group.addTask { try? await writeWatchlists(to: server) }
            group.addTask { try? await writeSessions(to: server) }
            group.addTask { try? await writeConnections(to: server) }
        }
    }

    private func writeGoals(to server: RunningServer) async throws {
        for number in 0..<Self.most {
            let name = "goal \(number)"
            let made = try await things.write("100", as: name) {
                try await ask(
                    """
                    mutation { createGoal(input: { title: "\(name)" target: "100" allocations: [] }) { goal { id } } }
                    """, server)
            }
            let id = try #require(made["createGoal"]?["goal"]?["id"]?.string)
            try await things.write("250.5", as: name) {
                try await ask(
                    "mutation { updateGoal(id: \"\(id)\", input: { target: \"250.5\" }) { goal { id } } }",
                    server)
            }
            guard number.isMultiple(of: 3) else { continue }
            try await things.write(nil, as: name) {
                try await ask("mutation { deleteGoal(id: \"\(id)\") { deletedId } }", server)
            }
        }
    }

    private func writeWatchlists(to server: RunningServer) async throws {
        for number in 0..<Self.most {
            let name = "list \(number)"
            let made = try await things.write("KO", as: name) {
                try await ask(
                    """
                    mutation { createWatchlist(input: { name: "\(name)" symbols: ["KO"] }) { watchlist { id } } }
                    """, server)
            }
            let id = try #require(made["createWatchlist"]?["watchlist"]?["id"]?.string)
            try await things.write("KO,AAPL", as: name) {
                try await ask(
                    "mutation { addToWatchlist(id: \"\(id)\", symbols: [\"AAPL\"]) { watchlist { id } } }",
                    server)
            }
            try await things.write("AAPL,KO", as: name) {
                try await ask(
                    "mutation { moveInWatchlist(id: \"\(id)\", symbol: \"AAPL\", to: 0) { watchlist { id } } }",
                    server)
            }
            guard number.isMultiple(of: 3) else { continue }
            try await things.write(nil, as: name) {
                try await ask("mutation { deleteWatchlist(id: \"\(id)\") { deletedId } }", server)
            }
        }
    }

    private func writeSessions(to server: RunningServer) async throws {
        for number in 0..<Self.most {
            // A session whose token nobody has read is of no use to anybody.
            let begun = try await askAsStranger(signIn(scopes: "READ"), server)["signIn"]
            let session = "session \(try #require(begun?["token"]?.string))"
            things.acknowledged("live", as: session)
            if number.isMultiple(of: 2) {
                let id = try #require(begun?["session"]?["id"]?.string)
                try await things.write(nil, as: session) {
                    try await ask("mutation { revokeSession(id: \"\(id)\") { deletedId } }", server)
                }
            }
            let friend = try await askAsStranger(Self.signUp("\(name).\(number)"), server)["signUp"]
            things.acknowledged("live", as: "session \(try #require(friend?["token"]?.string))")
        }
    }

    private func writeConnections(to server: RunningServer) async throws {
        // Polygon allows five calls a minute for each key, whatever the number of its connections.
        let keys = [FakePolygonSettings.demoKey, FakePolygonSettings.secondKey]
        for number in 0..<(keys.count * 5) {
            let (name, key) = ("link \(number)", keys[number / 5])
            let made = try await things.write("polygon", as: name) {
                try await ask(
                    """
                    mutation { connectProvider(input: { provider: "polygon" label: "\(name)" credential: { apiKey: {
                        key: "\(key)" } } }) { connection { id } } }
                    """, server)
            }
            guard number.isMultiple(of: 2) else { continue }
            let id = try #require(made["connectProvider"]?["connection"]?["id"]?.string)
            try await things.write(nil, as: name) {
                try await ask("mutation { disconnectProvider(id: \"\(id)\") { deletedId } }", server)
            }
        }
    }

    // MARK: - Afterwards

    /// Holds what the server has of theirs against what it acknowledged.
    func check(at server: RunningServer) async throws {
        let data = try await ask(
            """
            { goals { title target } watchlists { name provider items { symbol } }
              viewer { connections { label provider } } }
            """, server)
        var actual: [String: String] = [:]
        for goal in data["goals"]?.elements ?? [] {
            actual[goal["title"]?.string ?? ""] = goal["target"]?.string
        }
        for list in data["watchlists"]?.elements ?? [] where list["provider"] == .null {
            let symbols = (list["items"]?.elements ?? []).compactMap { $0["symbol"]?.string }
            actual[list["name"]?.string ?? ""] = symbols.joined(separator: ",")
        }
        for link in data["viewer"]?["connections"]?.elements ?? [] {
            actual[link["label"]?.string ?? ""] = link["provider"]?.string
        }
        for session in things.names(under: "session ") {
            let token = String(session.dropFirst("session ".count))
            let answer = try await server.send(request("{ viewer { id } }", token: token))
            #expect(answer.failures.allSatisfy { $0.code == "UNAUTHENTICATED" }, "\(answer.body)")
            if answer.status == 200, answer.failures.isEmpty { actual[session] = "live" }
        }
        things.check(actual, name)
    }
}
