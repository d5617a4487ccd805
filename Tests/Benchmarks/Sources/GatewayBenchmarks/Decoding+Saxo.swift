import Brokerage
import PorticoCore
import Saxo
import Upstream

// The sandbox has a client of this name too.
import struct Sandbox.SandboxUser

extension Decoding {
    /// Saxo's, of instruments that were met before: looking them up is measured with nothing.
    func saxo() async throws -> [Payload] {
        guard let token = SandboxUser.demo.saxo?.credentials.accessToken else { return [] }
        // What is known of accounts and instruments stays known mostly, and the minute's quota is free again in time.
        let clock = LeapingClock(by: .seconds(61), onceIn: 40)
        let client = SaxoClient(
            try SaxoConfiguration(environment: .sandbox, restURL: sandbox.url("saxo")),
            access: .token(try SaxoToken(token)), over: line(.saxo, clock),
            instrumentCache: SaxoInstrumentCache(clock: clock.calls))
        func call() -> CallContext {
            clock.leap()
            return CallContext(deadline: clock.calls.now() + .seconds(60))
        }
        let symbols = ["AAPL", "KO", "MSFT", "NVDA", "TSLA", "V", "WMT"].compactMap { Symbol($0) }
        let instruments = try await client.instruments(symbols, in: call())
        let uics = instruments.found.values.compactMap(\.listing?.key).sorted()
        guard uics.count == symbols.count, let first = symbols.first else {
            throw BenchmarkError("Saxo does not know \(symbols)")
        }
        let accounts = try await client.accounts(in: call())
        let window = ChartWindow(interval: .oneMinute, last: 1_199)
        return [
            Payload(
                name: "Saxo net positions",
                requests: try accounts.map { try positions(of: $0, SandboxUser.demo, token) },
                decode: { _ = try await client.positions(in: call()) }),
            Payload(
                name: "Saxo infoprices",
                request: try request(
                    "saxo/trade/v1/infoprices/list?Uics=\(uics.joined(separator: ","))&AssetType=Stock"
                        + "&FieldGroups=Quote,PriceInfo,PriceInfoDetails,DisplayAndFormat,InstrumentPriceDetails",
                    token: token),
                decode: { _ = try await client.quotes(for: symbols, in: call()) }),
            Payload(
                name: "Saxo chart",
                request: try request(
                    "saxo/chart/v3/charts?AssetType=Stock&Uic=211&Horizon=1&Count=1200"
                        + "&FieldGroups=Data,ChartInfo,DisplayAndFormat", token: token),
                decode: { _ = try await client.charts(of: [first], window, in: call()) }),
        ]
    }

    /// What the client asks for the positions of an account.
    private func positions(
        of account: Account, _ user: SandboxUser, _ token: String
    ) throws -> HTTPClientRequest {
        let keys = [user.saxo?.key ?? "", account.id].map(PercentEncoding.encode)
        return try request(
            "saxo/port/v1/netpositions?ClientKey=\(keys[0])&AccountKey=\(keys[1])"
                + "&FieldGroups=NetPositionBase,NetPositionView,DisplayAndFormat&$top=1000", token: token)
    }
}
