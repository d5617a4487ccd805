import Brokerage
import Upstream

extension SaxoClient {
    /// Adds to the parts of an order for an option whether each opens or closes a position, which Saxo requires
    /// (`ToOpenClose`).
    ///
    /// It follows from the account's position: an order against it closes, all others open. An order that is larger than the
    /// position would do both, and is refused.
    func adding(
        positionEffectOf ticket: OrderTicket, to parts: [SaxoOrderRequestBody.Terms], _ listing: SaxoListing,
        in context: CallContext
    ) async throws(ProviderFailure) -> Result<[SaxoOrderRequestBody.Terms], OrderRejection> {
        guard AssetClass(saxo: listing.key) == .option, case .quantity(let quantity) = ticket.size else {
            return .success(parts)
        }
        var parts = parts
        for index in parts.indices { parts[index].positionEffect = .close }
        if ticket.exits?.closesExistingPosition == true { return .success(parts) }
        let held = try await heldAmount(of: listing.key, in: ticket.accountID, context)
        guard !held.isZero, held.isNegative == (ticket.side == .buy) else {
            parts[0].positionEffect = .open
            return .success(parts)
        }
        guard let size = try? held.magnitude, quantity <= size else { return .failure(.closesAndOpens) }
        return .success(parts)
    }

    /// The amount of an instrument in an account, below zero for a short position.
    private func heldAmount(
        of key: SaxoInstrumentKey, in account: String, _ context: CallContext
    ) async throws(ProviderFailure) -> Decimal {
        let url = try address(
            .portfolio, ["v1", "netpositions"],
            [
                ("ClientKey", try await listedAccount(account, in: context).clientKey),
                ("AccountKey", account),
                ("Uic", String(key.uic)), ("AssetType", key.assetType), ("FieldGroups", "NetPositionBase"),
            ])
        let positions = try await completeList(
            "positions", .portfolio, url, of: SaxoNetPosition.self, in: context)
        var sum = Decimal.zero
        for position in positions where position.base.key == key {
            guard let next = try? sum + position.base.amount else {
                throw ProviderFailure(.saxo, .invalidResponse(nil))
            }
            sum = next
        }
        return sum
    }

    /// Why Saxo does not execute an order before and after the regular hours; nil if it may.
    ///
    /// Saxo's sample ("Extended trading hours") has limit orders only. An instrument that does not state its hours is left to
    /// Saxo's own check.
    func extendedHoursRejection(
        of ticket: OrderTicket, _ listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> OrderRejection? {
        guard case .limit = ticket.price else { return .extendedHoursType }
        let about = try await details(of: listing.key, in: context).about
        return about.hasExtendedHours == false ? .noExtendedHours : nil
    }
}

extension OrderRejection {
    /// The part of the order that a rejection of Portico is about.
    var part: OrderPreview.TicketPart {
        switch self {
        case .cashAmount, .closesAndOpens: .size
        case .extendedHoursType, .noExtendedHours: .extendedHours
        default: .price
        }
    }

    static let cashAmount = OrderRejection(
        .quantity, message: "Saxo takes an amount of money for mutual funds only; give a quantity.")
    static let closesAndOpens = OrderRejection(
        .quantity,
        message:
            "The order is larger than the position that it closes. Close the position first, then place an order for the rest."
    )
    static let extendedHoursType = OrderRejection(
        .other, message: "Saxo takes only limit orders for extended hours.")
    static let noExtendedHours = OrderRejection(
        .notTradable, message: "Saxo does not trade the instrument outside of the regular hours.")
}
