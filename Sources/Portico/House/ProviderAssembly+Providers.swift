import Alpaca
import AlphaVantage
import Brokerage
import Polygon
import Sandbox
import Upstream
import Yahoo

extension ProviderAssembly {
    /// All providers of the embedded sandbox, as its demo user.
    mutating func add(_ sandbox: Sandbox, of owner: OwnerID) throws {
        add(try AlpacaConfiguration(sandbox), of: owner)
        try addSaxo(of: sandbox, for: owner)
        add(try AlphaVantageConfiguration(sandbox), in: .sandbox)
        add(try PolygonConfiguration(sandbox), in: .sandbox)
        // It is off by default for what Yahoo allows; the sandbox's prices are nobody's.
        add(try YahooConfiguration(sandbox), in: .sandbox)
        try connect(sandbox)
    }

    /// The providers that the settings name; the brokers' accounts are the owner's.
    mutating func add(_ providers: ProviderSettings, of owner: OwnerID) throws {
        if let alpaca = providers.alpaca { add(try AlpacaConfiguration(alpaca), of: owner) }
        if let saxo = providers.saxo { try add(saxo, of: owner) }
        if let alphaVantage = providers.alphaVantage {
            add(try AlphaVantageConfiguration(alphaVantage), in: .live)
        }
        if let polygon = providers.polygon { add(try PolygonConfiguration(polygon), in: .live) }
        switch providers.yahoo {
        case .api(let base, let cookiePage)?:
            add(try YahooConfiguration(base: base, cookiePage: cookiePage), in: .live)
        case .queryLanguage(let base)?: add(try YQLConfiguration(base: base), in: .live)
        case nil: break
        }
        try connect(providers.connect)
    }
}

extension HTTPURL {
    /// An address that the embedded sandbox tells.
    init(ofSandbox address: String) throws(UsageError) {
        guard let url = HTTPURL(address) else {
            throw UsageError("The sandbox has no usable address: \(address).")
        }
        self = url
    }
}
