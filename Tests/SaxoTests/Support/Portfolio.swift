import struct Brokerage.CalendarDate
import struct Brokerage.Decimal
import struct Brokerage.Instant
import struct Sandbox.FakeInstrument
import struct Sandbox.FakeSaxoAccount
import struct Sandbox.FakeSaxoClient
import struct Sandbox.Ledger
import struct Sandbox.SandboxUser

// The sandbox's names are those of the client's too, so this file sees only one of them.

extension SandboxUser {
    /// Somebody with one account and a share each of the first so many that the sandbox lists.
    static func holding(_ count: Int) -> SandboxUser {
        let trades = FakeInstrument.listing.prefix(count).map { instrument in
            Ledger.Trade(
                date: CalendarDate(year: 2026, month: 6, day: 1) ?? .earliest, symbol: instrument.symbol,
                quantity: 1)
        }
        let account = FakeSaxoAccount(
            id: "1", key: "account|1==", currency: "USD",
            opened: Instant("2026-01-05T09:00:00Z") ?? .earliest, deposit: 5_000_000, trades: Array(trades))
        return SandboxUser(
            name: "holder", ledger: SandboxUser.demo.ledger, alpaca: SandboxUser.demo.alpaca,
            saxo: FakeSaxoClient(
                id: "7", key: "client|7==", name: "Holder", currency: "USD", accounts: [account],
                credentials: .init(accessToken: "holder-access", refreshToken: "holder-refresh")))
    }
}
