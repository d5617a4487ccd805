/// A share or fund that the sandbox's market trades, in US dollars.
package struct Instrument: Sendable, Hashable {
    /// Alpaca's and Polygon's spelling: class shares with a dot, `BRK.B`.
    package let symbol: String
    package let name: String
    package let exchange: Exchange
    /// The price at 2026-01-02, in cents.
    package let anchor: Int
    /// Shares traded on a usual day.
    package let dailyVolume: Int
    /// How much the price swings, in percent of a usual large company's.
    package let volatility: Int
    /// Whether anyone quotes it outside of market hours.
    package let isThin: Bool

    /// The listing exchange.
    package enum Exchange: String, Sendable, Hashable {
        case nasdaq = "NASDAQ"
        case nyse = "NYSE"
        case arca = "ARCA"

        /// The consolidated tape that reports its trades.
        package var tape: String {
            switch self {
            case .nyse: "A"
            case .arca: "B"
            case .nasdaq: "C"
            }
        }
    }

    /// A UUID (version 8) of the symbol: the same in every sandbox, whatever its seed.
    package var id: String {
        let noise = Noise(seed: 0).branch(symbol).branch(.identity)
        return UUIDText.version8(noise.bits(0), noise.bits(1))
    }
}
