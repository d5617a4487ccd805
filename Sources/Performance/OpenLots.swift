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

    /// Adds lots of another symbol, whose dates are carried over, at the places of their dates; an unknown date is the earliest.
    mutating func merge(_ carried: [TaxLot]) throws {
        guard let last = lots.last, let first = carried.first, first.isAcquired(before: last) else {
            for lot in carried { try append(lot) }
            return
        }
        try add(carried.map(\.quantity).sum())
        var merged: [TaxLot] = []
        merged.reserveCapacity(lots.count + carried.count)
        var rest = carried[...]
        for lot in lots {
            while let next = rest.first, next.isAcquired(before: lot) {
                merged.append(next)
                rest = rest.dropFirst()
            }
            merged.append(lot)
        }
        lots = (merged + rest)[...]
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

extension TaxLot {
    fileprivate func isAcquired(before other: TaxLot) -> Bool {
        acquired ?? .earliest < other.acquired ?? .earliest
    }
}
