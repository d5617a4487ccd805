import Brokerage
import Logging
import Storage
import Synchronization
import Testing
import Upstream

@testable import Portico

@Suite("Clean-up while the server runs")
struct PeopleServiceTests {
    @Test("deletes a guest that signed out while an order was in progress, within a minute after its outcome")
    func guestWithOrder() async throws {
        let file = try HouseFile.temporary()
        let sessions = try SessionStore(in: file, .random())
        let service = PeopleService(
            sessions: sessions, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let released = Mutex<[OwnerID]>([])
        sessions.deletions.register(
            owners: { [] }, release: { owner in released.withLock { $0.append(owner) } })
        let wish = SessionStore.Wish(scopes: [.read, .write, .trade], label: nil)
        let guest = try #require(try await sessions.openForGuest(wish))
        let journal = OrderJournal(in: file)
        let placing = Placing(
            owner: guest.user.id, connection: "alpaca", isConnectionStored: false, provider: .alpaca,
            idempotencyKey: "k1",
            ticket: OrderTicket(
                clientOrderID: "", accountID: "A1", symbol: .example, side: .buy,
                size: .quantity(1), price: .market))
        _ = try await journal.begin(placing)
        #expect(try await sessions.revoke(guest.session.id, of: guest.user.id))
        func passMinute() async {
            for beat in 1...300 { await service.write(beat) }
        }

        await passMinute()
        #expect(released.withLock { $0 } == [])

        #expect(try await journal.mark(placing.id))
        try await journal.note(.answerLost, of: placing.id)
        await passMinute()
        #expect(released.withLock { $0 } == [guest.user.id])
        #expect(try await UserStore(in: file).user(guest.user.id) == nil)
    }
}
