/// The long story of the currencies, each against the dollar, so that crosses agree with their legs.
///
/// The level of a pair is the level of its base less that of its quote: what EUR/USD and USD/CHF gain, EUR/CHF
/// gains too. Inside a day every pair has a path of its own; closes agree within what ``PriceModel`` rounds.
struct CurrencyModel: Sendable {
    /// The market's source; each currency has a branch of it.
    let market: SeededRandom

    /// How far a currency has moved against the dollar since a day, in millionths of a doubling.
    func level(of currency: String, onDay day: Int, since anchorDay: Int) -> Int {
        switch currency {
        case "USD": 0
        // The krone is tied to the euro; what is left is its band.
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
