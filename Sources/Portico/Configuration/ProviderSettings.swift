import Brokerage
import Foundation
import Gateway

/// The providers that a server was configured for, and the order in which they are asked.
struct ProviderSettings {
    let alpaca: AlpacaAccess?
    let saxo: SaxoAccess?
    let alphaVantage: AlphaVantageAccess?
    let polygon: PolygonAccess?
    let yahoo: YahooAccess?
    let connect: ConnectSettings
    let routes: ProviderRoutes

    init(_ settings: SettingsLoader) throws {
        alpaca = try AlpacaAccess(settings)
        saxo = try SaxoAccess(settings)
        alphaVantage = try AlphaVantageAccess(settings)
        polygon = try PolygonAccess(settings)
        yahoo = try YahooAccess(settings)
        connect = try ConnectSettings(settings)
        routes = try ProviderRoutes(settings)
    }

    /// Whether nothing was configured.
    var isEmpty: Bool {
        alpaca == nil && saxo == nil && alphaVantage == nil && polygon == nil && yahoo == nil
            && connect.isEmpty
    }
}

extension ProviderRoutes {
    /// The standard routes, with those that are set in the place of their own.
    init(_ settings: SettingsLoader) throws {
        self = .standard
        for (capability, setting) in ProviderRoutes.settings {
            guard let text = try settings.text(setting) else { continue }
            self[capability] = try text.split(separator: ",").map { name in
                let name = name.trimmingCharacters(in: .whitespaces).replacing("-", with: "_")
                guard let provider = ProviderID(rawValue: name.uppercased())
                else {
                    throw UsageError(
                        "\(settings.name(of: setting)) names \"\(name)\", which is no provider. They are: "
                            + ProviderID.allCases.map { $0.rawValue.lowercased() }.joined(separator: ", ")
                            + "."
                    )
                }
                return provider
            }
        }
    }

    private static let settings: [(MarketDataCapability, SettingDefinition)] = [
        (.quotes, .routeQuotes), (.charts, .routeCharts), (.instruments, .routeInstruments),
        (.fundamentals, .routeFundamentals), (.news, .routeNews), (.clock, .routeClock),
    ]
}
