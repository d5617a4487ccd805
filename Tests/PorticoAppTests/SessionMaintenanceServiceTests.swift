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
