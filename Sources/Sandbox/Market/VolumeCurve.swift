/// How many shares have changed hands since a phase of trading began: much at its ends, less in its middle.
struct VolumeCurve: Sendable {
    let total: Int
    /// The length of the phase.
    let minutes: Int
    let random: SeededRandom

    /// Shares traded in the first `second` seconds; it never falls, and ends at ``total``.
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
        // In tenths of a minute, each shifted by less than half a minute, so that the order of two never
        // turns.
        let tenths = Int128(minute * 10 + random.swing(minute, 4))
        let length = Int128(minutes * 10)
        // With x = tenths / length this is the integral of 1 + 2·(2x - 1)², in units of 1 / (3·length³).
        let fromMiddle = 2 * tenths - length
        let share =
            3 * tenths * length * length + fromMiddle * fromMiddle * fromMiddle + length * length * length
        return Int(Int128(total) * share / (5 * length * length * length))
    }
}
