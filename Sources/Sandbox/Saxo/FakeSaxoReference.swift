import Brokerage

/// Saxo's reference data: the instruments.
struct FakeSaxoReference: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/ref/v1/instruments") { context in
                let found = try Self.matchingInstruments(context)
                return .json(try FakeSaxoPage(context).document(found, Self.summary))
            },
            host.get("/ref/v1/instruments/details") { context in
                guard context.request[query: "Uics"] != nil || context.request[query: "AssetTypes"] != nil
                else {
                    throw FakeSaxoError.invalid("Uics", "Uics or AssetTypes is required")
                }
                let found = try Self.matchingInstruments(context)
                return .json(try FakeSaxoPage(context).document(found) { Self.details($0, context) })
            },
            host.get("/ref/v1/instruments/details/{uic}/{asset_type}") { context in
                let parameters = context.request.parameters
                let assetType = parameters["asset_type"].flatMap(FakeSaxoInstrument.AssetType.init(rawValue:))
                guard let uic = parameters["uic"].flatMap({ Int($0) }), let assetType,
                    let listing = FakeSaxoInstruments.instrument(uic, assetType)
                else { throw FakeSaxoError.notFound }
                return .json(Self.details(listing, context))
            },
        ]
    }

    private static func matchingInstruments(_ context: FakeSaxoHost.AuthenticatedRequest)
        throws(FakeSaxoError)
        -> [FakeSaxoInstrument]
    {
        let request = context.request
        var found = FakeSaxoInstruments.instruments
        if let text = request[query: "Uics"] {
            let uics = try FakeSaxoPrices.uics(text, maximum: context.settings.pageMaximum)
            found = found.filter { uics.contains($0.uic) }
        }
        if let text = request[query: "AssetTypes"], !text.isEmpty {
            var types: Set<FakeSaxoInstrument.AssetType> = []
            for name in text.split(separator: ",") {
                // Saxo has more asset types than the sandbox has instruments of.
                if let type = FakeSaxoInstrument.AssetType(rawValue: String(name)) { types.insert(type) }
            }
            found = found.filter { types.contains($0.assetType) }
        }
        if let exchange = request[query: "ExchangeId"] { found = found.filter { $0.exchangeID == exchange } }
        if request[query: "IncludeNonTradable"]?.lowercased() != "true" {
            found = found.filter(\.assetType.isTradable)
        }
        if let keywords = request[query: "Keywords"] {
            let words = keywords.lowercased().split(separator: " ")
            found = found.filter { listing in
                let text = "\(listing.symbol) \(listing.description)".lowercased()
                return words.allSatisfy { text.contains($0) }
            }
        }
        return found
    }

    /// Writes a search result, in which the Uic has the name `Identifier`.
    private static func summary(_ listing: FakeSaxoInstrument) -> JSONDocument {
        [
            "AssetType": .string(listing.assetType.rawValue),
            "CurrencyCode": .string(listing.currency),
            "Description": .string(listing.description),
            "ExchangeId": .string(listing.exchangeID),
            "GroupId": .integer(2_000 + listing.uic % 1_000),
            "Identifier": .integer(listing.uic),
            "PrimaryListing": .integer(listing.uic),
            "SummaryType": "Instrument",
            "Symbol": .string(listing.symbol),
            "TradableAs": tradableAs(listing),
        ]
    }

    private static func tradableAs(_ listing: FakeSaxoInstrument) -> JSONDocument {
        .array(
            FakeSaxoInstruments.assetTypes(of: listing.instrument).filter(\.isTradable).map {
                .string($0.rawValue)
            }
        )
    }

    private static func details(
        _ listing: FakeSaxoInstrument, _ context: FakeSaxoHost.AuthenticatedRequest
    ) -> JSONDocument {
        let durations: JSONDocument = ["DayOrder", "GoodTillCancel", "GoodTillDate"]
        let isTradable = context.canTrade(listing)
        // An assumption: an instrument that the client may not trade has no order types.
        let types = isTradable ? FakeSaxoOrderRequest.types.sorted() : []
        return [
            "AmountDecimals": 0,
            "AssetType": .string(listing.assetType.rawValue),
            "CurrencyCode": .string(listing.currency),
            "Description": .string(listing.description),
            "Exchange": ["ExchangeId": .string(listing.exchangeID), "Name": .string(listing.exchangeID)],
            "Format": [
                "Decimals": .integer(listing.displayDecimals),
                "Format": .string(listing.displayFormat),
                "OrderDecimals": .integer(listing.displayDecimals),
            ],
            "GroupId": .integer(2_000 + listing.uic % 1_000),
            "IncrementSize": .integer(listing.lot.increment),
            "IsExtendedTradingHoursEnabled": .bool(listing.hasExtendedHours),
            "IsTradable": .bool(isTradable),
            "MinimumTradeSize": .integer(listing.lot.minimum),
            "NonTradableReason": isTradable ? "None" : "NotOnlineClientTradable",
            "PriceCurrency": .string(listing.priceCurrency),
            "PriceToContractFactor": .number(listing.priceFactor),
            "PrimaryListing": .integer(listing.uic),
            "SupportedOrderTypes": .array(types.map { .string($0) }),
            "SupportedOrderTypeSettings": .array(
                types.map { type in
                    let own: JSONDocument =
                        type == "Market" ? ["DayOrder", "FillOrKill", "ImmediateOrCancel"] : durations
                    return ["DurationTypes": own, "OrderType": .string(type)]
                }),
            "Symbol": .string(listing.symbol),
            "TickSize": context.format.price(1, of: listing.instrument),
            "TradableAs": tradableAs(listing),
            "TradableOn": [],
            "Uic": .integer(listing.uic),
        ]
    }
}
