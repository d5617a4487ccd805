/// What holds for everything at Alpaca.
enum AlpacaMarket {
    /// All accounts, and all prices that no other currency is asked for, are in US dollars.
    static let currency = "USD"
}
