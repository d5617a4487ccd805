/// Price bars by column; all columns are equally long.
package struct OHLCColumns: Hashable, Sendable {
    package private(set) var open: DecimalColumn
    package private(set) var high: DecimalColumn
    package private(set) var low: DecimalColumn
    package private(set) var close: DecimalColumn

    package init(reserving capacity: Int = 0) {
        open = DecimalColumn(reserving: capacity)
        high = DecimalColumn(reserving: capacity)
        low = DecimalColumn(reserving: capacity)
        close = DecimalColumn(reserving: capacity)
    }

    /// Columns that are there already; nil unless they are equally long.
    package init?(open: DecimalColumn, high: DecimalColumn, low: DecimalColumn, close: DecimalColumn) {
        guard [high, low, close].allSatisfy({ $0.count == open.count }) else { return nil }
        (self.open, self.high, self.low, self.close) = (open, high, low, close)
    }

    package var count: Int { open.count }

    /// The bar at a place below the columns' count.
    package subscript(index: Int) -> OHLC {
        OHLC(
            open: open[index] ?? .zero, high: high[index] ?? .zero, low: low[index] ?? .zero,
            close: close[index] ?? .zero)
    }

    /// Adds a bar; false where a figure has too many digits, and the columns must be cut.
    mutating func append(_ bar: OHLC) -> Bool {
        open.append(bar.open) && high.append(bar.high) && low.append(bar.low) && close.append(bar.close)
    }

    mutating func truncate(to count: Int) {
        open.truncate(to: count)
        high.truncate(to: count)
        low.truncate(to: count)
        close.truncate(to: count)
    }

    mutating func removeFirst(_ surplus: Int) {
        open.removeFirst(surplus)
        high.removeFirst(surplus)
        low.removeFirst(surplus)
        close.removeFirst(surplus)
    }
}
