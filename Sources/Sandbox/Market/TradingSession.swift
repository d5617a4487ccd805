package import Brokerage

/// One trading day, in whole seconds since 1970.
///
/// The times named here are those of the US exchanges. Currencies and crypto have a day without phases: it opens
/// where trading begins, and closes where it ends (see ``Schedule``).
package struct TradingSession: Sendable, Hashable {
    /// The day by New York's calendar; of crypto, by UTC.
    package let date: CalendarDate
    /// Trading begins before the market opens: 04:00 in New York.
    package let preMarketOpen: Int
    /// The market opens: 09:30.
    package let open: Int
    /// The market closes: 16:00, or 13:00 on half days.
    package let close: Int
    /// Trading after the close ends: 20:00, or 17:00 on half days.
    package let postMarketClose: Int

    /// The midnight in New York with which a day of the exchanges begins.
    package var midnight: Int { preMarketOpen - 4 * 3600 }

    /// What the exchanges do at a moment of a trading day.
    package enum Phase: Sendable, Hashable, CaseIterable {
        case preMarket
        case regular
        case postMarket
    }

    /// Nil while nothing is traded.
    package func phase(at second: Int) -> Phase? {
        switch second {
        case preMarketOpen..<open: .preMarket
        case open..<close: .regular
        case close..<postMarketClose: .postMarket
        default: nil
        }
    }

    /// From the first second of a phase to the one after its last.
    package func seconds(of phase: Phase) -> Range<Int> {
        switch phase {
        case .preMarket: preMarketOpen..<open
        case .regular: open..<close
        case .postMarket: close..<postMarketClose
        }
    }

    /// A half day ends at 13:00.
    package var isHalfDay: Bool { close - open < 6 * 3600 }
}
