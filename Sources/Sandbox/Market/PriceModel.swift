import Brokerage
import PorticoCore

/// The long-term price model of one instrument: its official close of every day.
struct PriceModel: Sendable {
    let instrument: FakeInstrument
    let random: SeededRandom
    private let currencies: CurrencyModel
    /// The day of a spin-off, counted from 1970-01-01, and the value of the shares that a holder received for one
    /// share, in ticks; nil if there was none.
    private let spinOff: (day: Int, value: Int)?

    /// The day on which every instrument has its ``FakeInstrument/anchor`` price, for every seed:
    /// 2026-01-02.
    private static let anchorDay = 20_455
    /// Millionths of a doubling per year: about 6 % growth.
    private static let growth = 85_000
    /// Days between turning points, and their maximum distance in millionths of a doubling.
    private static let waves: [(period: Int, amplitude: Int)] = [
        (1_024, 300_000), (256, 180_000), (64, 90_000), (16, 48_000), (4, 24_000), (1, 13_000),
    ]

    init(_ instrument: FakeInstrument, market: SeededRandom) {
        self.instrument = instrument
        random = market.branch(instrument.symbol)
        currencies = CurrencyModel(market: market)
        spinOff = CorporateActions.spinOffs.first { $0.source == instrument.symbol }.flatMap { action in
            guard let new = FakeInstrument.unlisted.first(where: { $0.symbol == action.new }) else {
                return nil
            }
            let day = action.exDate.daysSince1970
            let price = Decimal(PriceModel(new, market: market).close(onDay: day))
            guard let value = try? (price * action.ratio).rounded(to: 0, .halfEven) else { return nil }
            return Int(exactly: value.coefficient).map { (day, $0) }
        }
    }

    /// Returns the official closing price of a day, in ticks; days are counted from 1970-01-01.
    func close(onDay day: Int) -> Int {
        let price = Self.raise(instrument.anchor, byMillionthDoublings: level(onDay: day))
        guard let spinOff, day < spinOff.day else { return price }
        return price + spinOff.value
    }

    /// Returns the change since the anchor day, in millionths of a doubling.
    private func level(onDay day: Int) -> Int {
        switch instrument.assetClass {
        case .equity, .index, .crypto:
            let drift = (day - Self.anchorDay) * Self.growth / 365
            let swing = Self.waves(random, onDay: day) - Self.waves(random, onDay: Self.anchorDay)
            return drift + swing * instrument.volatility / 100
        case .currencyPair(let base, let quote):
            return currencies.level(of: base, onDay: day, since: Self.anchorDay)
                - currencies.level(of: quote, onDay: day, since: Self.anchorDay)
        }
    }

    /// Returns the swing of a price at a day, in millionths of a doubling.
    static func waves(_ noise: SeededRandom, onDay day: Int) -> Int {
        waves.enumerated().reduce(0) { sum, wave in
            sum
                + noise.branch(.level, wave.offset)
                .wave(at: day, period: wave.element.period, amplitude: wave.element.amplitude)
        }
    }

    /// Returns the shares traded in market hours of a day: between half and one and a half times the usual
    /// volume.
    func volume(onDay day: Int) -> Int {
        let typical = instrument.dailyVolume
        return typical / 2 + random.branch(.volume).number(day, below: typical)
    }

    /// Returns a price changed by a number of millionths, scaled by the instrument's volatility.
    func moved(_ price: Int, by millionths: Int) -> Int {
        max(1, price + price * (millionths * instrument.volatility / 100) / 1_000_000)
    }

    /// Returns the lowest and the highest price of a path between two prices; `reach` in millionths.
    func range(around start: Int, _ end: Int, reach: Int, random: SeededRandom) -> ClosedRange<Int> {
        let (low, high) = (min(start, end), max(start, end))
        return moved(
            low, by: -random.number(20, below: reach))...moved(high, by: random.number(21, below: reach))
    }

    /// Raises a price by a number of millionths of a doubling; the result is at least 1.
    ///
    /// Between whole powers of two it uses a parabola, exact within 0.3 %.
    private static func raise(_ price: Int, byMillionthDoublings millionths: Int) -> Int {
        let (doublings, rest) = millionths.flooredDivision(by: 1_000_000)
        let fraction = 1_000_000 + rest * (656_500 + 343_500 * rest / 1_000_000) / 1_000_000
        let raised = price * fraction / 1_000_000
        // Sixteen doublings exceed two centuries of growth.
        return max(1, doublings < 0 ? raised >> min(-doublings, 16) : raised << min(doublings, 16))
    }
}

/// A path of prices with a given start, end, top and bottom, which can be evaluated at any step.
///
/// It makes bars of all intervals consistent: a day's path reaches the day's high and low and stays between
/// them. Between two of its steps there is a finer path inside the same bounds. A coarse bar is therefore
/// known without its fine ones, and equals their sum. Prices are whole ticks.
struct PricePath: Sendable {
    let range: ClosedRange<Int>
    /// Start, the two extremes in order, end.
    private let pivots: [(step: Int, price: Int)]
    private let random: SeededRandom
    private let bounces: Bool

    /// Creates a path of `length` steps, at least 4, from `start` to `end`, both inside `range`.
    ///
    /// A path that bounces is one tick higher or lower at every other step.
    init(
        from start: Int, to end: Int, within range: ClosedRange<Int>, length: Int, random: SeededRandom,
        bounces: Bool = false
    ) {
        self.bounces = bounces
        let half = length / 2
        let first = 1 + random.number(1, below: half - 1)
        let second = half + random.number(2, below: length - half)
        // A rising path usually dips first.
        let dipsFirst = random.number(3, below: 4) == 0 ? start > end : start <= end
        let extremes = dipsFirst ? (range.lowerBound, range.upperBound) : (range.upperBound, range.lowerBound)
        self.range = range
        self.pivots = [(0, start), (first, extremes.0), (second, extremes.1), (length, end)]
        self.random = random
    }

    /// Returns the price at a step; outside of `0 ... length` that of the nearer end.
    func price(at step: Int) -> Int {
        guard let after = pivots.firstIndex(where: { step < $0.step }) else { return pivots[3].price }
        guard after > 0 else { return pivots[0].price }
        let (left, right) = (pivots[after - 1], pivots[after])
        let (passed, ahead) = (step - left.step, right.step - step)
        let line = left.price + (right.price - left.price) * passed / (right.step - left.step)
        let price = min(
            max(line + deviation(at: step, fromPivot: min(passed, ahead)), range.lowerBound), range.upperBound
        )
        guard bounces, step % 2 == 1, range.count > 1 else { return price }
        return price < range.upperBound ? price + 1 : price - 1
    }

    /// Returns noise that is zero at the pivots.
    private func deviation(at step: Int, fromPivot distance: Int) -> Int {
        let amplitude = (range.upperBound - range.lowerBound) * min(distance, 6) / 24
        guard amplitude > 0 else { return 0 }
        return random.wave(at: step, period: 9, amplitude: amplitude)
            + random.swing(step, (amplitude + 2) / 3)
    }
}

/// The number of shares traded since the start of a phase: high at its ends, low in its middle.
struct VolumeCurve: Sendable {
    let total: Int
    /// The length of the phase.
    let minutes: Int
    let random: SeededRandom

    /// Returns the shares traded in the first `second` seconds; monotonic, and ends at ``total``.
    func traded(by second: Int) -> Int {
        let second = min(max(second, 0), minutes * 60)
        let (minute, rest) = (second / 60, second % 60)
        let before = tradedByEnd(ofMinutes: minute)
        guard rest > 0 else { return before }
        return before + (tradedByEnd(ofMinutes: minute + 1) - before) * rest / 60
    }

    private func tradedByEnd(ofMinutes minute: Int) -> Int {
        guard minute > 0 else { return 0 }
        guard minute < minutes else { return total }
        // In tenths of a minute, each shifted by less than half a minute, so that their order is preserved.
        let tenths = Int128(minute * 10 + random.swing(minute, 4))
        let length = Int128(minutes * 10)
        // With x = tenths / length this is the integral of 1 + 2·(2x - 1)², in units of 1 / (3·length³).
        let fromMiddle = 2 * tenths - length
        let share =
            3 * tenths * length * length + fromMiddle * fromMiddle * fromMiddle + length * length * length
        return Int(Int128(total) * share / (5 * length * length * length))
    }
}

/// The long-term model of the currencies, each against the dollar, so that crosses agree with their legs.
///
/// The level of a pair is the level of its base less that of its quote: EUR/CHF gains the sum of the gains
/// of EUR/USD and USD/CHF. Inside a day every pair has its own path; closes agree within the rounding of
/// ``PriceModel``.
struct CurrencyModel: Sendable {
    /// The market's random source; each currency has a branch of it.
    let market: SeededRandom

    /// Returns the change of a currency against the dollar since a day, in millionths of a doubling.
    func level(of currency: String, onDay day: Int, since anchorDay: Int) -> Int {
        switch currency {
        case "USD": 0
        // The krone is pegged to the euro; it moves within its band.
        case "DKK":
            level(of: "EUR", onDay: day, since: anchorDay) + swing("DKK", day, since: anchorDay) / 100
        default: swing(currency, day, since: anchorDay) * 30 / 100
        }
    }

    private func swing(_ currency: String, _ day: Int, since anchorDay: Int) -> Int {
        let noise = market.branch(currency)
        return PriceModel.waves(noise, onDay: day) - PriceModel.waves(noise, onDay: anchorDay)
    }
}
