package import Brokerage
package import Upstream

extension SaxoClient: ClosedPositionSource {
    /// The positions of an account that were closed since the last end-of-day netting: `closedpositions`, page after
    /// page, newest first.
    package func closedPositions(
        of account: String, in context: CallContext
    ) async throws(ProviderFailure) -> ReadableList<ClosedPosition> {
        guard let account = try await identity(in: context).accounts.first(where: { $0.key == account })
        else { throw ProviderFailure(.saxo, .notFound) }
        let url = try address(
            .portfolio, ["v1", "closedpositions"],
            [
                ("ClientKey", account.clientKey), ("AccountKey", account.key),
                ("FieldGroups", "ClosedPosition,DisplayAndFormat"), ("$top", Self.pageSize),
            ])
        let sent = try await list(
            "closed positions", .portfolio, url, of: SaxoClosedPosition.self, in: context)
        let listings = try await listings(of: sent.items.map { ($0.closed.key, $0.format) }, in: context)
        let fetchedAt = clock.wallTime()
        var positions = ReadableList<ClosedPosition>([], unreadable: sent.unreadable)
        for item in sent.items {
            guard let listing = listings[item.closed.key] else {
                positions.unreadable.append("Data: Uic and AssetType of a position name no instrument")
                continue
            }
            guard let position = item.position(of: account, listing, fetchedAt: fetchedAt) else {
                positions.unreadable.append("Data: Amount of a position has too many digits")
                continue
            }
            positions.elements.append(position)
        }
        positions.elements.sort { left, right in
            let (newer, older) = (left.closedAt ?? .latest, right.closedAt ?? .latest)
            return newer == older ? left.id < right.id : newer > older
        }
        return positions
    }
}

/// An item of `GET /port/v1/closedpositions`.
struct SaxoClosedPosition: JSONObjectDecodable, Hashable {
    var id = ""
    var closed = Closed()
    var format = SaxoDisplayFormat()

    /// The amounts are in the instrument's currency or in the base currency, which is that of the requested
    /// account.
    struct Closed: Hashable {
        var key = SaxoInstrumentKey()
        /// Below zero for a short position; `BuyOrSell` is documented as the other side.
        var amount = Decimal.zero
        var openPrice: Decimal?
        var closePrice: Decimal?
        var openedAt: Instant?
        var closedAt: Instant?
        /// Without costs.
        var profitLoss: Decimal?
        var profitLossInBase: Decimal?
        /// Saxo counts costs below zero.
        var openCosts: Decimal?
        var openCostsInBase: Decimal?
        var closeCosts: Decimal?
        var closeCostsInBase: Decimal?
        var isOpenRateSettled: Bool?
        var isCloseRateSettled: Bool?
    }

    static let json = JSONFields(Self()) {
        $0.required("ClosedPositionUniqueId", \.id) { reader throws(JSONError) in try reader.idOrNil() }
        $0.required("ClosedPosition", \.closed)
        $0.optional("DisplayAndFormat", \.format)
    }
}

extension SaxoClosedPosition.Closed: JSONDecodable {
    /// Reads the members by their texts: two names are longer than those of a table of fields may be.
    init(json reader: inout JSONReader) throws(JSONError) {
        self.init()
        var (uic, assetType, amount) = (Int?.none, String?.none, Decimal?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key.string {
            case "Uic": uic = try reader.intOrNil()
            case "AssetType": assetType = try reader.stringOrNil()
            case "Amount": amount = try reader.decimalOrNil()
            case "OpenPrice":
                openPrice = try reader.readable { reader throws(JSONError) in try reader.nonzeroOrNil() }
            case "ClosingPrice":
                closePrice = try reader.readable { reader throws(JSONError) in try reader.nonzeroOrNil() }
            case "ExecutionTimeOpen":
                openedAt = try reader.readable { reader throws(JSONError) in try reader.timeOrNil() }
            case "ExecutionTimeClose":
                closedAt = try reader.readable { reader throws(JSONError) in try reader.timeOrNil() }
            case "ClosedProfitLoss":
                profitLoss = try reader.readable { reader throws(JSONError) in try reader.decimalOrNil() }
            case "ClosedProfitLossInBaseCurrency":
                profitLossInBase = try reader.readable { reader throws(JSONError) in try reader.decimalOrNil()
                }
            case "CostOpening":
                openCosts = try reader.readable { reader throws(JSONError) in try reader.decimalOrNil() }
            case "CostOpeningInBaseCurrency":
                openCostsInBase = try reader.readable { reader throws(JSONError) in try reader.decimalOrNil()
                }
            case "CostClosing":
                closeCosts = try reader.readable { reader throws(JSONError) in try reader.decimalOrNil() }
            case "CostClosingInBaseCurrency":
                closeCostsInBase = try reader.readable { reader throws(JSONError) in try reader.decimalOrNil()
                }
            case "ConversionRateInstrumentToBaseSettledOpening":
                isOpenRateSettled = try reader.readable { reader throws(JSONError) in try reader.boolOrNil() }
            case "ConversionRateInstrumentToBaseSettledClosing":
                isCloseRateSettled = try reader.readable { reader throws(JSONError) in try reader.boolOrNil()
                }
            default: try reader.skip()
            }
        }
        self.key.uic = try reader.required(uic, "Uic")
        self.key.assetType = try reader.required(assetType, "AssetType")
        self.amount = try reader.required(amount, "Amount")
    }
}

extension SaxoClosedPosition {
    /// The position as a `ClosedPosition` of Portico; nil for an amount that cannot be negated.
    func position(
        of account: SaxoAccount, _ listing: SaxoListing, fetchedAt: Instant
    ) -> ClosedPosition? {
        guard let quantity = try? closed.amount.magnitude else { return nil }
        let currency = listing.currency
        var position = ClosedPosition(
            id: id, accountID: account.key, symbol: listing.symbol,
            side: closed.amount.isNegative ? .short : .long, quantity: quantity,
            currency: currency?.code ?? FiatCurrency.none,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        position.openedAt = closed.openedAt
        position.closedAt = closed.closedAt
        position.isConversionFinal = Self.all(closed.isOpenRateSettled, closed.isCloseRateSettled)
        guard let currency else { return position }
        position.openPrice = listing.major(price: closed.openPrice)
        position.closePrice = listing.major(price: closed.closePrice)
        position.profitLoss = currency.major(closed.profitLoss).map {
            ConvertedAmount(
                amount: $0, currency: currency.code, accountAmount: closed.profitLossInBase,
                accountCurrency: account.currency)
        }
        position.costs = currency.major(Self.costs(closed.openCosts, closed.closeCosts)).map {
            ConvertedAmount(
                amount: $0, currency: currency.code,
                accountAmount: Self.costs(closed.openCostsInBase, closed.closeCostsInBase),
                accountCurrency: account.currency)
        }
        return position
    }

    /// The sum of two costs, above zero; nil if one is unknown.
    private static func costs(_ open: Decimal?, _ close: Decimal?) -> Decimal? {
        guard let open, let close, let sum = try? open + close else { return nil }
        return try? sum.negated
    }

    private static func all(_ open: Bool?, _ close: Bool?) -> Bool? {
        guard let open, let close else { return nil }
        return open && close
    }
}
