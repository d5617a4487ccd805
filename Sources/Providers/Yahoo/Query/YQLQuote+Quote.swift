import Brokerage

extension YQLQuote {
    /// The row in Portico's words; nil where its figures cannot be told: too many digits, or in what nobody knows.
    func quote(of symbol: Symbol, fetchedAt: Instant) -> Quote? {
        guard let told = YahooPriceScale(of: symbol, currency: currency, digits: nil) else { return nil }
        var quote = Quote(
            symbol: symbol,
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: time(of: symbol)))
        do throws(Decimal.Overflow) {
            quote.price = try told.amount(price)
            quote.bid = try told.amount(bid)
            quote.ask = try told.amount(ask)
            quote.open = try told.amount(open)
            quote.high = try told.amount(high)
            quote.low = try told.amount(low)
            quote.previousClose = try told.amount(previousClose)
        } catch {
            return nil
        }
        quote.volume = volume
        quote.currency = told.unit?.currency
        return quote
    }

    /// The company's figures in Portico's words; nil as above.
    func fundamentals(of symbol: Symbol, fetchedAt: Instant) -> Fundamentals? {
        guard let told = YahooPriceScale(of: symbol, currency: currency, digits: nil) else { return nil }
        var fundamentals = Fundamentals(
            symbol: symbol, provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        fundamentals.name = name
        fundamentals.currency = told.unit?.currency
        fundamentals.priceEarningsRatio = priceEarningsRatio
        // Whether it was in pence too is not known.
        fundamentals.marketCap = told.unit?.isHundredth == true ? nil : marketCap
        do throws(Decimal.Overflow) {
            fundamentals.earningsPerShare = try told.amount(earningsPerShare)
            fundamentals.dividendPerShare = try told.amount(dividendPerShare)
            fundamentals.yearHigh = try told.amount(yearHigh)
            fundamentals.yearLow = try told.amount(yearLow)
        } catch {
            return nil
        }
        return fundamentals
    }

    /// Of American listings only: the times of others are by clocks that the row does not tell of.
    private func time(of symbol: Symbol) -> Instant? {
        guard case .listing(_, market: nil)? = SymbolKind(symbol), let lastTradeDate, let lastTradeTime else {
            return nil
        }
        return YQLNumber.newYorkTime(date: lastTradeDate, time: lastTradeTime)
    }
}
