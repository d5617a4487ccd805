/// The trades of one phase of one day: a path of minutes, and a path of seconds inside each.
struct PhaseTape: Sendable {
    private let seconds: Range<Int>
    private let start: Int
    private let end: Int
    private let minutes: PricePath
    private let volume: VolumeCurve
    private let random: SeededRandom

    init(
        seconds: Range<Int>, from start: Int, to end: Int, within range: ClosedRange<Int>, volume: Int,
        random: SeededRandom
    ) {
        self.seconds = seconds
        self.start = start
        self.end = end
        self.random = random
        let length = seconds.count / 60
        minutes = PricePath(from: start, to: end, within: range, length: length, random: random)
        self.volume = VolumeCurve(total: volume, minutes: length, random: random.branch(.volume))
    }

    /// The bar of the phase when it is over.
    var completeBar: Bar {
        Bar(
            open: start, high: minutes.range.upperBound, low: minutes.range.lowerBound, close: end,
            volume: volume.total)
    }

    func price(at second: Int) -> Int {
        let offset = min(max(second - seconds.lowerBound, 0), seconds.count)
        return path(ofMinute: offset / 60).price(at: offset % 60)
    }

    /// The bar of the part of `first ... last` that lies in this phase; the price at its last second closes
    /// it.
    func bar(from first: Int, through last: Int) -> Bar? {
        let from = max(first, seconds.lowerBound) - seconds.lowerBound
        let to = min(last, seconds.upperBound) - seconds.lowerBound
        guard from < seconds.count, from <= to else { return nil }
        if from == 0, to == seconds.count { return completeBar }
        var bar = piece(minute: from / 60, from: from % 60, through: min(60, to - from / 60 * 60))
        var minute = from / 60 + 1
        while minute * 60 < to {
            bar = bar.joined(with: piece(minute: minute, from: 0, through: min(60, to - minute * 60)))
            minute += 1
        }
        bar.volume = volume.traded(by: to) - volume.traded(by: from)
        return bar
    }

    /// A minute or a part of it, without its volume, from a second to another, both included and up to 60.
    private func piece(minute: Int, from first: Int, through last: Int) -> Bar {
        let path = path(ofMinute: minute)
        let (open, close) = (path.price(at: first), path.price(at: last))
        if first == 0, last == 60 {
            return Bar(
                open: open, high: path.range.upperBound, low: path.range.lowerBound, close: close, volume: 0)
        }
        return (first...last).reduce(Bar(open: open, high: open, low: open, close: close, volume: 0)) {
            bar, second in
            let price = path.price(at: second)
            return Bar(
                open: open, high: max(bar.high, price), low: min(bar.low, price), close: close, volume: 0)
        }
    }

    private func path(ofMinute minute: Int) -> PricePath {
        let (open, close) = (minutes.price(at: minute), minutes.price(at: minute + 1))
        let noise = random.branch(.minute, minute)
        let reach = max(2, open / 2_500)
        let high = min(max(open, close) + noise.number(10, below: reach), minutes.range.upperBound)
        let low = max(min(open, close) - noise.number(11, below: reach), minutes.range.lowerBound)
        return PricePath(from: open, to: close, within: low...high, length: 60, random: noise.branch(.second))
    }
}
