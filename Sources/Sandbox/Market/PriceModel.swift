/// The long story of one instrument: its official close of every day.
struct PriceModel: Sendable {
    let instrument: FakeInstrument
    let random: SeededRandom
    private let currencies: CurrencyModel

    /// The day on which every instrument stands at its ``FakeInstrument/anchor``, whatever the seed: 2026-01-02.
    private static let anchorDay = 20_455
    /// Millionths of a doubling per year: about 6 % growth.
    private static let growth = 85_000
    /// Days between turning points, and how far these lie apart at most, in millionths of a doubling.
    private static let waves: [(period: Int, amplitude: Int)] = [
        (1_024, 300_000), (256, 180_000), (64, 90_000), (16, 48_000), (4, 24_000), (1, 13_000),
    ]

    init(_ instrument: FakeInstrument, market: SeededRandom) {
        self.instrument = instrument
        random = market.branch(instrument.symbol)
        currencies = CurrencyModel(market: market)
    }

    /// The official closing price of a day, in ticks; days are counted from 1970-01-01.
    func close(onDay day: Int) -> Int {
        Self.raise(instrument.anchor, byMillionthDoublings: level(onDay: day))
    }

    /// Millionths of a doubling since the day of the anchor.
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

    /// How far a price has swung by a day, in millionths of a doubling.
    static func waves(_ noise: SeededRandom, onDay day: Int) -> Int {
        waves.enumerated().reduce(0) { sum, wave in
            sum
                + noise.branch(.level, wave.offset)
                .wave(at: day, period: wave.element.period, amplitude: wave.element.amplitude)
        }
    }

    /// Shares traded in market hours of a day: between half and one and a half times the usual.
    func volume(onDay day: Int) -> Int {
        let usual = instrument.dailyVolume
        return usual / 2 + random.branch(.volume).number(day, below: usual)
    }

    /// A price moved by so many millionths of itself, more or less by the instrument's volatility.
    func moved(_ price: Int, by millionths: Int) -> Int {
        max(1, price + price * (millionths * instrument.volatility / 100) / 1_000_000)
    }

    /// The lowest and the highest price of a path between two prices; `reach` in millionths.
    func range(around start: Int, _ end: Int, reach: Int, random: SeededRandom) -> ClosedRange<Int> {
        let (low, high) = (min(start, end), max(start, end))
        return moved(
            low, by: -random.number(20, below: reach))...moved(high, by: random.number(21, below: reach))
    }

    /// Doubles a price so many millionths of a time; the result is at least 1.
    ///
    /// Between whole powers of two runs a parabola, right within 0.3 %.
    private static func raise(_ price: Int, byMillionthDoublings millionths: Int) -> Int {
        let (doublings, rest) = millionths.flooredQuotientAndRemainder(dividingBy: 1_000_000)
        let fraction = 1_000_000 + rest * (656_500 + 343_500 * rest / 1_000_000) / 1_000_000
        let raised = price * fraction / 1_000_000
        // Sixteen doublings are more than two centuries of growth.
        return max(1, doublings < 0 ? raised >> min(-doublings, 16) : raised << min(doublings, 16))
    }
}
