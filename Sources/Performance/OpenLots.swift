import Brokerage

/// The lots of an instrument while activities are added.
///
/// A trade takes constant time for each lot that it removes or adds: an account can have tens of thousands of lots of one
/// instrument.
struct OpenLots: Sendable, Hashable {
    /// The earliest first; a slice, from which the first one is removed without a copy of the others.
    private(set) var lots: ArraySlice<TaxLot> = []
    /// The sum of the quantities.
    private(set) var quantity = Decimal.zero

    init() {}

    init(_ lots: [TaxLot]) throws {
        self.lots = lots[...]
        quantity = try lots.map(\.quantity).sum()
    }

    mutating func append(_ lot: TaxLot) throws {
        try add(lot.quantity)
        lots.append(lot)
    }

    mutating func removeFirst() throws {
        if let first = lots.popFirst() { try add(first.quantity.negated) }
    }

    mutating func replaceFirst(by lot: TaxLot) throws {
        guard let first = lots.first else { return }
        try add(lot.quantity - first.quantity)
        lots[lots.startIndex] = lot
    }

    private mutating func add(_ change: Decimal) throws {
        quantity = try (quantity + change).withoutTrailingZeros
    }
}
