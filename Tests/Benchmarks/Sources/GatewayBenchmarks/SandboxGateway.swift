import Alpaca
import Brokerage
import Contract
import Gateway
import GraphQL
import Polygon
import Sandbox
import Storage
import Upstream

/// The gateway in front of the sandbox: Alpaca as broker and source of prices, and on request Polygon.
struct SandboxGateway {
    let schema: ExecutableSchema<RequestScope>
    /// By its leaps everything that is stored expires.
    let clock: LeapingClock
    private let services: GatewayServices
    private let owner: OwnerID

    /// - Parameters:
    ///   - sandbox: The providers.
    ///   - transport: Sends the calls.
    ///   - hasCompanyData: Whether Polygon is a source, too.
    /// - Throws: `BenchmarkError` without the sandbox's address; the errors of the schema and the settings.
    init(_ sandbox: SandboxProcess, over transport: HTTPClient, hasCompanyData: Bool = false) throws {
        guard let owner = OwnerID("owner") else { throw BenchmarkError("no owner") }
        self.owner = owner
        let clock = LeapingClock()
        self.clock = clock
        schema = try ExecutableSchema(contract: Contract.schemaText)
        let alpaca = try AlpacaClient(
            AlpacaConfiguration(
                environment: .sandbox, tradingURL: sandbox.url("alpaca"), dataURL: sandbox.url("alpaca-data"),
                credential: .token(SandboxUser.demo.alpaca.token)),
            over: ProviderChannel(
                QuotaAccount(.alpaca, credential: "alpaca"), over: transport, clock: clock.calls))
        var market = [
            MarketDataSource(
                alpaca, symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: .sandbox,
                for: .everybody)
        ]
        if hasCompanyData {
            let polygon = PolygonClient(
                try PolygonConfiguration(
                    base: ProviderBaseURL(sandbox.url("polygon")), key: APIKey(FakePolygonSettings.demoKey),
                    windows: []),
                over: ProviderChannel(QuotaAccount(.polygon), over: transport, clock: clock.calls))
            market.append(
                MarketDataSource(
                    polygon, symbolMapping: PolygonSymbols(), provider: .polygon, environment: .sandbox,
                    for: .everybody))
        }
        let monitor = ProviderMonitor()
        services = try GatewayServices(
            connections: [
                ProviderConnection(
                    BrokerConnection(
                        id: "alpaca", owner: owner, provider: .alpaca, environment: .sandbox,
                        accounts: alpaca))
            ],
            market: market,
            reads: ReadCaches(clock: clock.calls), userData: UserData(in: .temporary(), .random()),
            condition: { provider in
                ProviderHealthReport(health: monitor.health(of: provider), rateLimits: [])
            })
    }

    /// The context of one request.
    ///
    /// - Parameter observe: Called with each call to a provider; nil if nobody looks.
    /// - Returns: The context, with the owner's session.
    func scope(observe: (@Sendable (CallRecord) -> Void)? = nil) -> RequestScope {
        RequestScope(
            session: Session(owner: owner, scopes: [.read]), services: services,
            call: CallContext(deadline: clock.calls.now() + .seconds(60), observe: observe))
    }
}
