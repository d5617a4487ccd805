import Alpaca
import AlphaVantage
import Brokerage
import Sandbox
import Upstream

extension Wiring {
    /// All providers of the embedded sandbox, as its demo user.
    mutating func add(_ sandbox: Sandbox, of owner: OwnerID) throws {
        add(try AlpacaConfiguration(sandbox), of: owner)
        add(try AlphaVantageConfiguration(sandbox), in: .sandbox)
    }

    /// The providers that the settings name; the brokers' accounts are the owner's.
    mutating func add(_ providers: ProviderSettings, of owner: OwnerID) throws {
        if providers.saxo != nil { throw UsageError.notServed("Saxo", "saxo-") }
        if providers.polygon != nil { throw UsageError.notServed("Polygon", "polygon-") }
        if providers.yahoo != nil { throw UsageError.notServed("Yahoo", "yahoo") }
        if let alpaca = providers.alpaca { add(try AlpacaConfiguration(alpaca), of: owner) }
        if let alphaVantage = providers.alphaVantage {
            add(try AlphaVantageConfiguration(alphaVantage), in: .live)
        }
    }
}

extension UsageError {
    /// What is set would be silently without effect.
    fileprivate static func notServed(_ provider: String, _ prefix: String) -> UsageError {
        UsageError(
            "This version of Portico does not serve \(provider) yet: leave out the settings that begin with "
                + "\"\(prefix)\".")
    }
}
