import Brokerage

/// Saxo's info prices: one instrument, or a list of one asset type.
struct FakeSaxoPrices: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/trade/v1/infoprices") { context in
                let assetType = try context.assetType()
                guard let uic = try context.integer("Uic", in: 0...Int.max) else {
                    throw FakeSaxoError.invalid("Uic", "Uic is required")
                }
                guard let listing = FakeSaxoInstruments.instrument(uic, assetType) else {
                    throw FakeSaxoError.badRequest(
                        code: FakeSaxoOrderError.illegalInstrument.rawValue,
                        message: "Instrument not found: \(uic) as \(assetType.rawValue)")
                }
                return .json(Self.price(of: listing, context))
            },
            host.get("/trade/v1/infoprices/list") { context in
                let assetType = try context.assetType()
                guard let text = context.request[query: "Uics"] else {
                    throw FakeSaxoError.invalid("Uics", "Uics is required")
                }
                let uics = try Self.uics(text, maximum: context.settings.priceListMaximum)
                let groups = context.fieldGroups(FakeSaxoPrice.defaultGroups)
                return .json([
                    "Data": Self.list(uics, assetType, groups, at: context.view, context.priceSettings)
                ])
            },
        ]
    }

    private static func price(of listing: FakeSaxoInstrument, _ context: FakeSaxoHost.AuthenticatedRequest)
        -> JSONDocument
    {
        FakeSaxoPrice(
            quote: FakeSaxoQuote(listing, at: context.view, context.priceSettings), format: context.format,
            hasDepth: context.settings.includesMarketDepth
        )
        .document(context.fieldGroups(FakeSaxoPrice.defaultGroups))
    }

    /// Parses a list of Uics, each once; throws ``FakeSaxoError`` for an invalid number, or more than
    /// `maximum`.
    static func uics(_ text: String, maximum: Int) throws(FakeSaxoError) -> [Int] {
        var uics: [Int] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let uic = Int(part.filter { $0 != " " }), uic >= 0 else {
                throw .invalid("Uics", "The value '\(part)' is not valid for Uics.")
            }
            if !uics.contains(uic) { uics.append(uic) }
            guard uics.count <= maximum else {
                throw .invalid("Uics", "At most \(maximum) Uics can be requested at once.")
            }
        }
        return uics
    }

    /// Writes a price list; an unknown Uic gets an error instead of a price.
    static func list(
        _ uics: [Int], _ assetType: FakeSaxoInstrument.AssetType, _ groups: Set<String>, at view: MarketView,
        _ settings: FakeSaxoSettings
    ) -> JSONDocument {
        .array(
            uics.map { uic in
                guard let listing = FakeSaxoInstruments.instrument(uic, assetType) else {
                    return [
                        "Uic": .integer(uic),
                        "ErrorCode": .string(FakeSaxoOrderError.illegalInstrument.rawValue),
                        "ErrorMessage": .string("Instrument not found: \(uic) as \(assetType.rawValue)"),
                    ]
                }
                return FakeSaxoPrice(
                    quote: FakeSaxoQuote(listing, at: view, settings),
                    format: FakeSaxoFormat(writesExponents: settings.writesExponents),
                    hasDepth: settings.includesMarketDepth
                ).document(groups)
            })
    }
}
