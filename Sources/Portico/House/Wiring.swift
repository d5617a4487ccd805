import Brokerage
import Gateway
import Upstream

/// Puts up what asks the providers: a line for each credential, over one transport and one ledger.
struct Wiring {
    let transport: Transport
    let ledger: QuotaLedger
    private(set) var connections: [BrokerConnection] = []
    private(set) var market: [MarketSource] = []
    private var holders: [QuotaHolder] = []

    init(over transport: Transport) {
        self.transport = transport
        ledger = QuotaLedger()
    }

    /// The line of the server's own credential with a provider.
    mutating func line(to provider: Provider) -> ProviderLine {
        let holder = QuotaHolder(provider)
        holders.append(holder)
        return ProviderLine(holder, over: transport, ledger: ledger)
    }

    mutating func add(_ source: MarketSource) {
        market.append(source)
    }

    mutating func add(_ connection: BrokerConnection) {
        connections.append(connection)
    }

    /// What stands behind the schema.
    func backends(_ routes: Routes) -> Backends {
        Backends(connections: connections, market: market, routes: routes, reads: KeptReads())
    }
}
