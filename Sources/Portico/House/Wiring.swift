import Brokerage
import Gateway
import Upstream

/// Puts up what asks the providers: a line for each credential, over one transport and one ledger.
struct Wiring {
    let transport: Transport
    let ledger: QuotaLedger
    private let clock: CallClock
    private let retry: RetryPolicy
    private let monitor: ProviderMonitor
    private let lasting: (any LastingCache)?
    private(set) var connections: [BrokerConnection] = []
    private(set) var market: [MarketSource] = []

    /// - Parameters:
    ///   - transport: what carries the calls.
    ///   - ledger: what counts them; nil for one in memory.
    ///   - lasting: where public values of scarce providers outlive the process; nil for nowhere.
    ///   - clock: what times are measured by.
    ///   - retry: how reads are tried again.
    init(
        over transport: Transport, counting ledger: QuotaLedger? = nil,
        lasting: (any LastingCache)? = nil, clock: CallClock = .system, retry: RetryPolicy = RetryPolicy()
    ) {
        self.transport = transport
        self.clock = clock
        self.retry = retry
        self.lasting = lasting
        self.ledger = ledger ?? QuotaLedger(clock: clock)
        monitor = ProviderMonitor(clock: clock)
    }

    /// The line of a user's connection with a provider, or without one, of the server's own credential.
    func line(to provider: Provider, connection: String? = nil) -> ProviderLine {
        ProviderLine(
            QuotaHolder(provider, connection: connection), over: transport, clock: clock, retry: retry,
            ledger: ledger, monitor: monitor)
    }

    mutating func add(_ source: MarketSource) {
        market.append(source)
    }

    mutating func add(_ connection: BrokerConnection) {
        connections.append(connection)
    }

    /// What stands behind the schema.
    func backends(_ routes: Routes, household: Household) -> Backends {
        Backends(
            connections: connections, market: market, routes: routes,
            reads: KeptReads(clock: clock, lasting: lasting), household: household,
            condition: { [ledger, monitor] provider, connections in
                let holders =
                    [QuotaHolder(provider)] + connections.map { QuotaHolder(provider, connection: $0) }
                return ProviderCondition(
                    health: monitor.health(of: provider), rateLimits: holders.flatMap(ledger.status))
            })
    }
}
