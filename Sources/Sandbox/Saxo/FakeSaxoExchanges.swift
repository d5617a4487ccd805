import Brokerage
import NIOHTTP1

/// Saxo's reference data of exchanges, and the sessions of instruments: `ref/v1/exchanges` and
/// `ref/v1/instruments/tradingschedule`.
struct FakeSaxoExchanges: Sendable {
    let host: FakeSaxoHost

    private struct Exchange {
        let id: String
        let name: String
        let mic: String
        let country: String
        let currency: String
        let timeZone: String
        let hours: TradingHours
    }

    private static let exchanges = [
        Exchange(
            id: "NASDAQ", name: "NASDAQ", mic: "XNAS", country: "US", currency: "USD",
            timeZone: "America/New_York", hours: .exchanges),
        Exchange(
            id: "NYSE", name: "New York Stock Exchange", mic: "XNYS", country: "US", currency: "USD",
            timeZone: "America/New_York", hours: .exchanges),
        Exchange(
            id: "NYSE_ARCA", name: "NYSE Arca", mic: "ARCX", country: "US", currency: "USD",
            timeZone: "America/New_York", hours: .exchanges),
        Exchange(
            id: "LSE_SETS", name: "London Stock Exchange", mic: "XLON", country: "GB", currency: "GBP",
            timeZone: "Europe/London", hours: .london),
    ]

    var routes: [SandboxRoute] {
        [
            host.get("/ref/v1/exchanges") { context in
                .json(try FakeSaxoPage(context).document(Self.exchanges) { Self.document($0, context.view) })
            },
            host.get("/ref/v1/exchanges/{exchange_id}") { context in
                let id = context.request.parameters["exchange_id"]
                guard let exchange = Self.exchanges.first(where: { $0.id == id }) else {
                    throw FakeSaxoError.notFound
                }
                return .json(Self.document(exchange, context.view))
            },
            host.get("/ref/v1/instruments/tradingschedule/{uic}/{asset_type}") { context in
                let parameters = context.request.parameters
                guard
                    let assetType = parameters["asset_type"].flatMap(
                        FakeSaxoInstrument.AssetType.init(rawValue:))
                else {
                    throw FakeSaxoError.badRequest(
                        code: "InvalidAssetType", message: "Invalid AssetType specified.")
                }
                guard let uic = parameters["uic"].flatMap({ Int($0) }),
                    let listing = FakeSaxoInstruments.instrument(uic, assetType)
                else { throw FakeSaxoError.notFound }
                let exchange = Self.exchanges.first { $0.id == listing.exchangeID }
                return .json([
                    "Sessions": Self.sessions(
                        context.view.market.schedule(of: listing.instrument), from: context.view.now),
                    "TimeZoneAbbreviation": .string(exchange?.timeZone ?? "UTC"),
                ])
            },
        ]
    }

    private static func document(_ exchange: Exchange, _ view: MarketView) -> JSONDocument {
        [
            "AllDay": false, "CountryCode": .string(exchange.country),
            "Currency": .string(exchange.currency), "ExchangeId": .string(exchange.id),
            "ExchangeSessions": sessions(exchange.hours, from: view.now), "Mic": .string(exchange.mic),
            "Name": .string(exchange.name), "PriceSourceName": .string(exchange.name),
            "TimeZoneId": .string(exchange.timeZone),
        ]
    }

    /// The sessions from the last one that has begun on, for five trading days.
    private static func sessions(_ hours: TradingHours, from now: Int) -> JSONDocument {
        var sessions = [hours.session(begunBy: now)].compactMap(\.self)
        while let last = sessions.last, sessions.count < 5, let next = hours.session(after: last.date) {
            sessions.append(next)
        }
        return .array(
            sessions.flatMap { session -> [JSONDocument] in
                func item(_ state: String, _ start: Int, _ end: Int) -> JSONDocument? {
                    guard start < end else { return JSONDocument?.none }
                    return [
                        "StartTime": FakeSaxoFormat.time(start), "EndTime": FakeSaxoFormat.time(end),
                        "State": .string(state),
                    ]
                }
                return [
                    item("PreMarket", session.preMarketOpen, session.open),
                    item("AutomatedTrading", session.open, session.close),
                    item("PostMarket", session.close, session.postMarketClose),
                ].compactMap { $0 }
            })
    }
}
