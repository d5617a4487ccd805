import Alpaca
import Brokerage
import Coordination
import Dispatch
import PorticoCore
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("Connections that another process has changed")
struct ConnectionReloadTests {
    private static func owner() throws -> OwnerID { try #require(OwnerID("ann")) }

    private static func connection(_ id: String) throws -> StoredConnection {
        StoredConnection(
            id: id, owner: try owner(), provider: .alpaca, environment: .paper,
            connectedAt: try #require(Instant(secondsSince1970: 1_800_000_000)))
    }

    @Test("fail with their own error while their rows are damaged, and the others are followed")
    func damaged() async throws {
        let (database, owner, key) = (try SharedDatabase(), try Self.owner(), MasterKey.random())
        let file = try database.open()
        try UserStore(in: file).ensure(owner)
        let (store, sessions) = (try ConnectionStore(in: file, key), try SessionStore(in: file, key))
        let registry = ProviderConnectionRegistry([])
        let reports = Mutex<[StorageError]>([])
        let service = ConnectionService(
            store: store, leases: LeaseStore(in: file), registry: registry, connectors: [],
            redirects: RedirectPolicy([], allowsLoopback: false, remedy: ""), clock: .system,
            report: { error in reports.withLock { $0.append(error) } }, didChange: { _ in })
        let changes = try Coordination.changes(of: sessions)
        changes.observers.onConnectionChange { owners throws(StorageError) in try await service.reload(owners)
        }
        func set(_ environment: String, of id: String) async throws {
            try await file.database.write { db in
                // The label is changed, too, because a change of the environment alone is not followed.
                try db.execute(
                    "UPDATE connection SET environment = ?1, label = ?1 WHERE id = ?2", [environment, id])
            }
        }
        func known() -> [String: ProviderConnection] {
            Dictionary(uniqueKeysWithValues: registry.connections(of: owner).map { ($0.id, $0) })
        }
        for id in ["whole", "broken"] {
            #expect(try await store.add(try Self.connection(id), Secret("key"), maximum: 20) == .added)
        }
        try await changes.follow()
        try await set("NOWHERE", of: "broken")
        #expect(try await store.add(try Self.connection("new"), Secret("key"), maximum: 20) == .added)
        let guest = try #require(
            try await SessionStore(in: database.open(), key).openForGuest(
                SessionStore.Options(scopes: [.read], label: nil)))
        try await changes.follow()
        #expect(changes.isCurrent && sessions.session(ofToken: guest.token.text) != nil)
        #expect(Set(known().keys) == ["whole", "broken", "new"])
        let broken = try #require(known()["broken"])
        #expect(broken.stored?.isDamaged == true && broken.environment == .paper)
        #expect(broken.status == .revoked)
        #expect(known()["whole"]?.stored?.isDamaged == false)
        let error = store.damage(of: "broken")
        #expect(reports.withLock(\.self) == [error])
        #expect("\(error)".hasPrefix("The connection broken in "))
        #expect(throws: error) { try store.all() }
        try await set("PAPER", of: "broken")
        try await changes.follow()
        #expect(known()["broken"]?.stored?.isDamaged == false)
        #expect(known()["broken"]?.label == "PAPER")
    }

    @Test("are read without the removal of one that this process stores in the meantime")
    func storedMeanwhile() async throws {
        let (database, owner, key) = (try SharedDatabase(), try Self.owner(), MasterKey.random())
        let files = try (0..<2).map { _ in try database.open() }
        try UserStore(in: files[0]).ensure(owner)
        let stores = try files.map { try ConnectionStore(in: $0, key) }
        let registry = ProviderConnectionRegistry([])
        let service = ConnectionService(
            store: stores[0], leases: LeaseStore(in: files[0]), registry: registry, connectors: [],
            redirects: RedirectPolicy([], allowsLoopback: false, remedy: ""),
            clock: .system, didChange: { _ in })
        let (old, new) = (try Self.connection("old"), try Self.connection("new"))
        for connection in [old, try Self.connection("other")] {
            #expect(try await stores[1].add(connection, Secret("key"), maximum: 20) == .added)
        }
        try await service.reload([owner])
        #expect(Set(registry.connections(of: owner).map(\.id)) == ["old", "other"])
        #expect(try await stores[1].delete("old", of: owner) == .deleted)

        // The read waits for a lock.
        let (isLocked, isStored) = (Event<Void>(), DispatchSemaphore(value: 0))
        let lock = Task {
            try await files[1].database.write { db in
                try db.executeScript("LOCK TABLE connection IN ACCESS EXCLUSIVE MODE")
                isLocked.happen()
                isStored.wait()
            }
        }
        await isLocked.wait()
        let reload = Task { try await service.reload([owner]) }
        try await waitUntil {
            try await files[1].database.read { db in
                try db.value(
                    """
                    SELECT count(*) FROM pg_locks
                    WHERE relation = CAST('connection' AS regclass) AND NOT granted
                    """, as: Int.self)
            } == 1
        }
        _ = registry.add(service.open(new, nil, nil))
        isStored.signal()
        try await lock.value
        try await reload.value
        #expect(Set(registry.connections(of: owner).map(\.id)) == ["other", "new"])
    }

    /// A call at a replica, and whether the provider accepts the credential.
    struct Call: Sendable {
        let replica: Int
        let works: Bool
    }

    @Test(
        "have the same state at two replicas after each call, stay open, and cause no write without a call",
        arguments: [
            ([Call(replica: 1, works: false)], .revoked, 1),
            // The other replica knows of the refusal.
            ([Call(replica: 1, works: false), Call(replica: 0, works: false)], .revoked, 1),
            ([Call(replica: 1, works: false), Call(replica: 1, works: true)], .active, 2),
            ([Call(replica: 1, works: false), Call(replica: 0, works: true)], .active, 2),
            (
                [
                    Call(replica: 1, works: false), Call(replica: 0, works: true),
                    Call(replica: 1, works: true),
                    Call(replica: 1, works: false),
                ], .revoked, 3
            ),
        ] as [([Call], ConnectionStatus, Int)])
    func refusals(_ calls: [Call], _ status: ConnectionStatus, writes: Int) async throws {
        let (database, owner, key) = (try SharedDatabase(), try Self.owner(), MasterKey.random())
        let files = try (0..<2).map { _ in try database.open() }
        try UserStore(in: files[0]).ensure(owner)
        let changed = Mutex(0)
        let registries = files.map { _ in ProviderConnectionRegistry([]) }
        let services = try zip(files, registries).map { file, registry in
            ConnectionService(
                store: try ConnectionStore(in: file, key), leases: LeaseStore(in: file), registry: registry,
                connectors: [DataConnector(mapping: AlpacaSymbols())],
                redirects: RedirectPolicy([], allowsLoopback: false, remedy: ""), clock: .system,
                didChange: { _ in changed.withLock { $0 += 1 } })
        }
        let changes = try files.map { try Coordination.changes(of: SessionStore(in: $0, key)) }
        for (changes, service) in zip(changes, services) {
            changes.observers.onConnectionChange { owners throws(StorageError) in
                try await service.reload(owners)
            }
        }
        #expect(
            try await services[0].store.add(try Self.connection("c"), Secret("key"), maximum: 20) == .added)
        for changes in changes { try await changes.follow() }
        let opened = try registries.map { try #require($0.connections(of: owner).first) }
        func written() async throws -> Int? {
            try await files[0].database.read { db in
                try db.value("SELECT count(*) FROM change WHERE kind = 'CONNECTION'")
            }
        }
        let (before, opens) = (try #require(try await written()), changed.withLock(\.self))
        for call in calls {
            let health = opened[call.replica].health
            if call.works {
                health.recordSuccess()
            } else {
                health.recordFailure(ProviderFailure(.alpaca, .unauthorized))
            }
            try await services[call.replica].rejectionQueue.enqueue("c") {}.value
            // Twice, because what a replica takes must not be stored again.
            for _ in 0..<2 {
                for (changes, service) in zip(changes, services) {
                    try await changes.follow()
                    try await service.rejectionQueue.enqueue("c") {}.value
                }
            }
            let states = registries.map { $0.connections(of: owner).map(\.status) }
            #expect(states[0] == states[1] && states[0].first == (call.works ? .active : .revoked))
        }
        for (registry, connection) in zip(registries, opened) {
            let current = try #require(registry.connections(of: owner).first)
            #expect(current.health === connection.health && current.status == status)
        }
        #expect(changed.withLock(\.self) == opens)
        #expect(try await written() == before + writes)
    }

    @Test("keep the newer credential if two replicas renew a connection at the same moment")
    func renewedTwice() async throws {
        let (database, owner, key) = (try SharedDatabase(), try Self.owner(), MasterKey.random())
        let files = try (0..<2).map { _ in try database.open() }
        try UserStore(in: files[0]).ensure(owner)
        let (own, other) = (try ConnectionStore(in: files[0], key), try ConnectionStore(in: files[1], key))
        let (registry, connector) = (ProviderConnectionRegistry([]), DataConnector(mapping: AlpacaSymbols()))
        let changed = Mutex<[QuotaAccount?]>([])
        let service = ConnectionService(
            store: own, leases: LeaseStore(in: files[0]), registry: registry, connectors: [connector],
            redirects: RedirectPolicy([], allowsLoopback: false, remedy: ""), clock: .system,
            didChange: { connection in changed.withLock { $0.append(connection.quotaAccount) } })
        var connection = try Self.connection("c")
        func account(_ key: String) -> QuotaAccount { own.quotaAccount(of: connection, Secret(key)) }
        func current() throws -> ProviderConnection {
            let connections = registry.connections(of: owner)
            try #require(connections.count == 1)
            return connections[0]
        }
        #expect(try await own.add(connection, Secret("key 1"), maximum: 20) == .added)
        try await service.reload([owner])
        #expect(try current().quotaAccount == account("key 1"))

        // Both have the same time.
        let version = try #require(try await own.renew(connection, Secret("key 2")))
        #expect(try await other.renew(connection, Secret("key 3")) == version + 1)
        try await service.reload([owner])
        #expect(try current().quotaAccount == account("key 3"))
        // This process continues after its write.
        let used = try service.didRenew(connection, Secret("key 2"), version: version, connector)
        #expect(used.quotaAccount == account("key 3") && used.credentialVersion == version + 1)
        // A read that began before the renewals ends.
        let early = service.open(connection, Secret("key 1"), connector, version: 1)
        guard case .outdated(let newer) = registry.add(early) else {
            Issue.record("The credential of version 1 is in memory.")
            return
        }
        #expect(newer.quotaAccount == account("key 3"))
        #expect(try current().quotaAccount == account("key 3"))
        try await service.reload([owner])
        #expect(changed.withLock(\.self) == [account("key 1"), account("key 1")])

        // The accounts of a call with the old credential do not bring it back.
        let accounts = [StoredAccount(id: "1", number: "N1", name: nil, currency: "USD")]
        registry.setAccounts(accounts, of: "c", of: owner)
        #expect(try current().quotaAccount == account("key 3"))
        #expect(try current().knownAccounts == accounts)

        connection.connectedAt = connection.connectedAt + .seconds(1)
        #expect(try await other.renew(connection, Secret("key 4")) == version + 2)
        try await service.reload([owner])
        #expect(try current().quotaAccount == account("key 4"))
        #expect(changed.withLock(\.self) == [account("key 1"), account("key 1"), account("key 3")])
    }
}
