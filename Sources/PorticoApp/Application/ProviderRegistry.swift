import Alpaca
import AlphaVantage
import Brokerage
import Gateway
import Polygon
import PorticoCore
import ProviderFile
import Saxo
import Upstream
import Yahoo

/// The compiled providers of Portico, in the order of the documentation, and those of a provider file.
package enum ProviderRegistry {
    static let all: [ProviderDescriptor] = [.alpaca, .saxo, .alphaVantage, .polygon, .yahoo]

    /// The ids of all compiled providers.
    static let ids = all.map(\.id)

    /// The compiled providers of each kind of market data, in the order of the calls.
    static let routes = ProviderRoutes.standard

    /// The providers of the provider file, in its order; none without a file.
    ///
    /// - Throws: `UsageError` with all errors of the file.
    static func fileProviders(_ values: SettingValues) throws(UsageError) -> [ProviderDescription] {
        guard let path = try values[Settings.server.providers] else { return [] }
        do throws(FileProblems) {
            return try ProviderFile(path: path, compiled: ids).providers
        } catch {
            throw UsageError(
                "\(values.name(of: Settings.server.providers)) names a provider file with errors:\n\(error)")
        }
    }

    /// The settings of one provider, for a message of a server without any.
    static let example =
        "Set PORTICO_ALPACA_KEY_ID and PORTICO_ALPACA_SECRET_KEY_FILE (or PORTICO_ALPACA_TOKEN_FILE) or the settings of another provider"
}
