import Brokerage
import Foundation
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("The command storage migrate")
struct StorageMigrationTests {
    /// The exports of all users of a data directory, by their ids.
    private static func exports(_ folder: URL) async throws -> [String: String] {
        let file = try UserDatabase(in: DataDirectory(folder.path))
        let users: [String] = try await file.database.read { db in try db.values(#"SELECT id FROM "user""#) }
        var exports: [String: String] = [:]
        for id in users {
            let owner = try #require(OwnerID(id))
            let export: String = try #require(try await UserDataExport(of: file).json(of: owner))
            exports[id] = export
        }
        return exports
    }

    @Test(
        "copies a used data directory to a database and back, with equal exports and the day's count of calls"
    )
    func bothWays() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let (data, back) = (folder.appending(path: "data"), folder.appending(path: "back"))
                let upstream = Upstream(sandbox).environment.merging([
                    "PORTICO_TRUSTED_PROXIES": "1", "PORTICO_POLYGON_BASE_URL": sandbox.polygon.baseURL,
                    "PORTICO_POLYGON_KEY": FakePolygonSettings.demoKey,
                    "PORTICO_ROUTE_INSTRUMENTS": "alpha_vantage",
                ]) { $1 }
                let settings = try Replicas.environment(
                    alphaVantage(sandbox, data: nil).merging(upstream) { $1 }, folder)
                var directory = settings
                directory["PORTICO_DATABASE_URL"] = nil
                directory["PORTICO_DATA"] = data.path
                let used = try await withServer(environment: directory) { server in
                    // The person signs up 15 others.
                    try await SoakPerson(0, at: server).write(to: server)
                    let orders = SoakedOrders()
                    try await orders.repeatLast(at: server)
                    await orders.placeSome(at: server)
                    let search = try await server.ask(
                        #"{ search(text: "Name 1") { matchScore } }"#, token: ownerToken)
                    #expect(search.failures.isEmpty, "\(search.body)")
                    return try await 25 - server.remaining("day")
                }
                #expect(used > 0)
                let before = try await Self.exports(data)
                #expect(before.count == 17)
                #expect(before.values.contains { $0.contains("250.5") && $0.contains("polygon") })
                #expect(before.values.contains { $0.contains("AMD") })
                for (option, place) in [("--from", data), ("--to", back)] {
                    let run = try await Program.run(
                        ["storage", "migrate", option, place.path], environment: settings)
                    #expect(run.status == 0, "\(run.errors)")
                    #expect(
                        run.output.hasSuffix("All rows are copied and equal to the original.\n"),
                        "\(run.output)")
                }
                #expect(try await Self.exports(back) == before)
                let counted = try PostgresCluster.shared.get().execute(
                    "SELECT sum(number) FROM quota, unnest(calls) AS slot (number) WHERE name = 'day'",
                    in: #require(Replicas.database(settings)))
                #expect(counted == "\(used)")
                // Replicas serve the copy.
                try await withServer(environment: settings) { server in
                    let signIn = try await server.ask(
                        #"mutation { signIn(input: { username: "soak-0", password: "a-password-of-the-soak" }) { token } }"#,
                        token: nil)
                    #expect(signIn.failures.isEmpty, "\(signIn.body)")
                }
            }
        }
    }
}
