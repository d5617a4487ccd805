package import Brokerage

/// Something that the sandbox's market has a price of: a share or a fund, an index, a pair of currencies, a
/// cryptocurrency.
package struct FakeInstrument: Sendable, Hashable {
    /// Portico's spelling: class shares with a dot, `BRK.B`; pairs with a slash, `EUR/DKK`, `BTC/USD`; indices
    /// bare, `SPX`.
    package let symbol: String
    package let name: String
    package let exchange: Exchange
    /// The price at 2026-01-02, in ticks.
    package let anchor: Int
    /// Shares traded on a usual day, of an index those of its members; of crypto, coins; of a pair of currencies,
    /// changes of its price, since nobody counts what is traded.
    package let dailyVolume: Int
    /// How much the price swings, in percent of a usual large company's.
    package let volatility: Int
    /// Whether anyone quotes it outside of market hours.
    package let isThin: Bool
    /// What it is, and what decides its price.
    package var assetClass: AssetClass = .equity
    /// How many decimals prices have: the market counts in ticks of 10^-`decimals`, cents where it is 2.
    package var decimals = 2

    /// What an instrument is.
    package enum AssetClass: Sendable, Hashable {
        /// A share or a fund, in US dollars or, in London, in pence.
        case equity
        /// A number that is calculated and not traded, in US dollars.
        case index
        /// What one unit of the base costs, in units of the quote; ISO 4217.
        case currencyPair(base: String, quote: String)
        /// What one unit of the base costs, in US dollars.
        case crypto(base: String)
    }

    /// The listing exchange.
    package enum Exchange: String, Sendable, Hashable {
        case nasdaq = "NASDAQ"
        case nyse = "NYSE"
        case arca = "ARCA"
        case london = "LSE"
        /// Currencies, crypto, and indices, which no exchange lists.
        case overTheCounter = "OTC"

        /// The consolidated tape that reports its trades; empty where none does.
        package var tape: String {
            switch self {
            case .nyse: "A"
            case .arca: "B"
            case .nasdaq: "C"
            case .london, .overTheCounter: ""
            }
        }
    }

    /// The currency of its price by ISO 4217, or `GBX` for pence sterling.
    package var currency: String {
        switch assetClass {
        case .equity: exchange == .london ? "GBX" : "USD"
        case .index, .crypto: "USD"
        case .currencyPair(_, let quote): quote
        }
    }

    /// When it is traded.
    package var schedule: Schedule {
        switch assetClass {
        case .equity: exchange == .london ? .london : .exchanges
        case .index: .marketHours
        case .currencyPair: .currencies
        case .crypto: .continuous
        }
    }

    /// A price in ticks as a decimal, in ``currency``.
    package func price(_ ticks: Int) -> Decimal {
        // Every instrument of the listing has from 2 to 5 decimals, and a decimal may have any of these.
        Decimal(coefficient: Int128(ticks), scale: decimals) ?? .zero
    }

    /// A UUID (version 8) of the symbol: the same in every sandbox, whatever its seed.
    package var id: String {
        let noise = SeededRandom(seed: 0).branch(symbol).branch(.identity)
        return UUIDFormat.version8(noise.bits(0), noise.bits(1))
    }
}
