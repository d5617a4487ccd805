import Alpaca
import AlphaVantage
import Polygon
import Saxo
import Upstream
import Yahoo

/// The providers of Portico, in the order of the documentation.
package enum ProviderRegistry {
    static let all: [ProviderDescriptor] = [.alpaca, .saxo, .alphaVantage, .polygon, .yahoo]

    /// The settings of one provider, for a message of a server without any.
    static let example =
        "Set PORTICO_ALPACA_KEY_ID and PORTICO_ALPACA_SECRET_KEY_FILE (or PORTICO_ALPACA_TOKEN_FILE) or the settings of another provider"
}
