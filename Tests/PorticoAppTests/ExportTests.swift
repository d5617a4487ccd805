import Brokerage
import Coordination
import Dispatch
import Gateway
import NIOHTTP1
import PorticoApp
import PorticoCore
import Storage
import TestSupport
import Testing
import Upstream
import Web

@Suite("The export")
struct ExportTests {
    @Test("has all data of the user, no secret, and no data of others")
    func everything() async throws {
        try await withServer { server in
            let mine = try await server.token(of: #"startGuestSession(label: "mine")"#)
            let other = try await server.token(of: #"startGuestSession(label: "other")"#)
            for (token, name) in [(mine, "Tech"), (other, "Secret plans")] {
                let answer = try await server.ask(
                    """
                    mutation { createWatchlist(input: {name: "\(name)", symbols: ["AAPL", "MSFT"]}) {
                      watchlist { id } } }
                    """, token: token)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
            let export = try await server.get("/export", token: mine)
            #expect(export.status == 200)
            #expect(export["content-type"] == "application/json; charset=utf-8")
            #expect(export["cache-control"] == "no-store")
            let json = try #require(export.json)
            #expect(json["sessions"]?[0]?["label"]?.string == "mine")
            #expect(json["watchlists"]?.elements?.count == 1)
            #expect(json["watchlists"]?[0]?["name"]?.string == "Tech")
            let symbols = json["watchlists"]?[0]?["items"]?.elements?.compactMap { $0["symbol"]?.string }
            #expect(symbols == ["AAPL", "MSFT"])
            #expect(json["goals"]?.elements?.isEmpty == true)
            #expect(json["orders"]?.elements?.isEmpty == true)
            #expect(!export.body.contains(mine))
            #expect(!export.body.contains("Secret plans"))
        }
    }

    @Test("is rejected without a session", arguments: [nil, "wrong"])
    func nobody(token: String?) async throws {
        try await withServer { server in
            let refused = try await server.get("/export", token: token)
            #expect(refused.status == 401)
            #expect(refused.message != nil)
        }
    }

    @Test("is limited for each user; a rejection has the time of the next one")
    func limited() async throws {
        try await withServer(environment: ["PORTICO_EXPORTS_PER_USER": "3"]) { server in
            let token = try await server.token()
            for _ in 0..<3 { #expect(try await server.get("/export", token: token).status == 200) }
            let refused = try await server.get("/export", token: token)
            #expect(refused.status == 429)
            #expect(refused.code == "RATE_LIMITED")
            let wait = try #require(refused["retry-after"].flatMap { Int64($0) })
            #expect(
                refused.message
                    == "Too many requests for exports come from this user. Try again in \(wait) seconds.")
            let retryAt = try #require(
                refused.json?["errors"]?[0]?["extensions"]?["retryAt"]?.string.flatMap { Instant($0) })
            #expect(retryAt > Instant.now && retryAt <= Instant.now + .seconds(wait))
            #expect(try await server.get("/export", token: "sandbox").status == 200)
        }
    }

    @Test("is limited for all users together; a rejection has the time of the next one")
    func limitedInTotal() async throws {
        var limits = CallLimits()
        limits.totalExports = CallRate(burst: 3, every: .seconds(600))
        let route = UserDataExportRoute(
            sessions: RouteSessions(
                known: { _ in .success(.anonymous) }, verified: { _ in .success(.anonymous) }),
            export: UserDataExport(of: try .temporary()),
            limits: limits)
        for name in ["ann", "bob", "carl"] {
            #expect(try await route.response(for: #require(OwnerID(name))).status == .ok)
        }
        // Neither has reached the limit of a user: that of one is twenty.
        for name in ["dora", "ann"] {
            let owner = try #require(OwnerID(name))
            let problem = await #expect(throws: HTTPError.self) { try await route.response(for: owner) }
            guard case .tooManyRequests(.everyone, "requests for exports", let delay) = problem else {
                Issue.record("\(String(describing: problem))")
                continue
            }
            let seconds = delay.secondsRoundedUp
            #expect((1...600).contains(seconds))
            #expect(
                problem?.message
                    == """
                    Too many requests for exports come from all clients together. Try again in \(seconds) seconds.
                    """)
        }
    }

    @Test("has a limit of concurrent exports, so that other reads of the file have readers")
    func atOnce() async throws {
        let file = try UserDatabase.temporary()
        let route = UserDataExportRoute(
            sessions: RouteSessions(
                known: { _ in .success(.anonymous) }, verified: { _ in .success(.anonymous) }),
            export: UserDataExport(of: file), limits: CallLimits())
        // All four readers are busy, so that no export ends before they are free.
        let isFree = DispatchSemaphore(value: 0)
        let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
            let busy = (0..<4).map { _ in Event<Void>() }
            for reader in busy {
                group.addTask { [isFree] in
                    try await file.database.read { _ in
                        reader.happen(())
                        isFree.wait()
                    }
                    return nil
                }
            }
            for reader in busy { await reader.wait() }
            for name in ["ann", "bob", "carl", "dora"] {
                let owner = try #require(OwnerID(name))
                group.addTask {
                    do {
                        return Int(try await route.response(for: owner).status.code)
                    } catch HTTPError.tooManyRequests(.everyone, "requests for exports", _) {
                        return 429
                    }
                }
            }
            var statuses: [Int] = []
            while let status = try await group.next() {
                guard let status else { continue }
                statuses.append(status)
                // Refused exports end at once, the others when there are readers again.
                if statuses.count == 2 { for _ in 0..<4 { isFree.signal() } }
            }
            return statuses
        }
        #expect(statuses == [429, 429, 200, 200])
    }
}
