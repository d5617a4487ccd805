import Brokerage
import Coordination
import Foundation
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import PorticoApp
@testable import Storage
@testable import Web

@Suite("Clean-up while the server runs")
struct SessionMaintenanceServiceTests {
    @Test("deletes a guest that signed out while an order was in progress, after its outcome")
    func guestWithOrder() async throws {
        let file = try UserDatabase.temporary()
        let sessions = try SessionStore(in: file, .random())
        let changes = try Coordination.changes(of: sessions)
        let service = SessionMaintenanceService(
            sessions: sessions, changes: changes,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let released = Mutex<[OwnerID]>([])
        sessions.deletions.register(
            owners: { [] }, release: { owner in released.withLock { $0.append(owner) } })
        let wish = SessionStore.Options(scopes: [.read, .write, .trade], label: nil)
        let guest = try #require(try await sessions.openForGuest(wish))
        let journal = OrderJournal(in: file)
        let placing = OrderPlacement(
            owner: guest.user.id, connection: "alpaca", isConnectionStored: false, provider: .alpaca,
            idempotencyKey: "k1",
            ticket: OrderTicket(
                clientOrderID: "", accountID: "A1", symbol: .example, side: .buy,
                size: .quantity(1), price: .market))
        _ = try await journal.begin(placing)
        #expect(try await sessions.revoke(guest.session.id, of: guest.user.id))

        await service.tidy()
        #expect(released.withLock { $0 } == [])

        #expect(try await journal.markSent(placing.id))
        try await journal.recordOutcome(.responseLost, of: placing.id)
        await service.tidy()
        #expect(released.withLock { $0 } == [guest.user.id])
        #expect(try await UserStore(in: file).user(guest.user.id) == nil)
    }

    @Test(
        "deletes old changes and the other guests although the deletion of one guest takes too long each time"
    )
    func slowGuest() async throws {
        let url = try PostgresURL(
            PostgresCluster.shared.get().url(), origin: "the test's URL",
            schema: "test_" + UUID().uuidString.lowercased().replacing("-", with: ""))
        var limits = PostgresLimits()
        (limits.lookUp, limits.transaction, limits.start) = (.seconds(60), .seconds(60), .seconds(60))
        let file = try UserDatabase(at: url, limits)
        let sessions = try SessionStore(in: file, .random())
        let service = SessionMaintenanceService(
            sessions: sessions, changes: try Coordination.changes(of: sessions),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await file.database.write { db in
            try db.executeScript(
                """
                INSERT INTO "user" (id, kind, created_at)
                SELECT 'guest ' || number, 'GUEST', 1 FROM generate_series(1, 20) AS number;
                INSERT INTO change (kind, id, changed_at) VALUES ('SESSION', 'old', 1);
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'the time is over' USING ERRCODE = '57014'; END $$;
                CREATE TRIGGER slow BEFORE DELETE ON "user" FOR EACH ROW
                WHEN (OLD.id = 'guest 7') EXECUTE FUNCTION slow();
                """)
        }
        await service.tidy()
        #expect(try await UserStore(in: file).countOfGuests() == 1)
        let count: Int? = try await file.database.read { db in
            try db.value("SELECT count(*) FROM change WHERE id = 'old'")
        }
        #expect(count == 0)
    }

    /// `SocketCloseTests` checks that a socket is closed after the last two of these times.
    @Test("detects the end of a token at intervals that leave time to close its sockets within one second")
    func beat() {
        let close = GraphQLWebSocketHandler.lastResponses + GraphQLWebSocketHandler.lastLinger
        #expect(SessionMaintenanceService.pollingInterval + .nanoseconds(close.nanoseconds) < .seconds(1))
    }

    @Test("ends expired sessions while the writer is busy, also after it has begun to wait for the writer")
    func expiresBesideBusyWriter() async throws {
        let file = try UserDatabase.temporary()
        let sessions = try SessionStore(in: file, .random())
        let changes = try Coordination.changes(of: sessions)
        let wish = SessionStore.Options(scopes: [.read], label: nil)
        let opened = try #require(try await sessions.openForGuest(wish))
        // Following ends sessions that are not in the file, as those below, only after a change of the file.
        try await changes.follow()
        let (isBusy, isFree, end) = (Event<Void>(), Event<Void>(), DispatchSemaphore(value: 0))
        let writing = Task {
            try await file.database.betweenWrites { _ in
                isBusy.happen()
                _ = end.wait(timeout: .now() + 60)
            }
            isFree.happen()
        }
        await isBusy.wait()
        let service = SessionMaintenanceService(
            sessions: sessions, changes: changes,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await service.run() }
        let tidying = Task { await service.tidy() }
        // After the first has ended, the service may wait for the writer.
        for number in 1...2 {
            let session = ActiveSession(
                id: "\(number)", owner: opened.user.id, isGuest: true, scopes: [.read], label: nil,
                createdAt: .earliest, lastUsedAt: .earliest, expiresAt: .earliest,
                hash: TokenHash(digesting: SessionToken()))
            let hasEnded = Event<Void>()
            _ = session.validity.onEnd { hasEnded.happen() }
            sessions.live.add(session)
            await hasEnded.wait()
        }
        #expect(!isFree.hasHappened, "a session ended only after the writer was free")
        #expect(sessions.isValid(opened.session))
        end.signal()
        running.cancel()
        await tidying.value
        try await running.value
        try await writing.value
    }
}
