import Brokerage

extension Quote {
    /// The quote with what a stream has told since; the rest stays as it was.
    ///
    /// - Parameters:
    ///   - change: Of the same symbol.
    ///   - source: Whose stream it came over.
    ///   - moment: When it came.
    /// - Returns: the quote as it is now.
    func applying(_ change: QuoteUpdate, from source: ProviderID, at moment: Instant) -> Quote {
        var quote = self
        if let price = change.price { quote.price = price }
        if let bid = change.bid { quote.bid = bid }
        if let ask = change.ask { quote.ask = ask }
        if let open = change.open { quote.open = open }
        if let high = change.high { quote.high = high }
        if let low = change.low { quote.low = low }
        if let previousClose = change.previousClose { quote.previousClose = previousClose }
        if let volume = change.volume { quote.volume = volume }
        if let marketState = change.marketState { quote.marketState = marketState }
        quote.provenance = Provenance(source: source, fetchedAt: moment, asOf: change.asOf ?? provenance.asOf)
        return quote
    }

    /// The quote past its time.
    var markedStale: Quote {
        var quote = self
        quote.provenance = provenance.markedStale
        return quote
    }
}

extension QuoteUpdate {
    /// Both changes in one, the later over the earlier.
    func followed(by later: QuoteUpdate) -> QuoteUpdate {
        var change = self
        if let price = later.price { change.price = price }
        if let bid = later.bid { change.bid = bid }
        if let ask = later.ask { change.ask = ask }
        if let open = later.open { change.open = open }
        if let high = later.high { change.high = high }
        if let low = later.low { change.low = low }
        if let previousClose = later.previousClose { change.previousClose = previousClose }
        if let volume = later.volume { change.volume = volume }
        if let marketState = later.marketState { change.marketState = marketState }
        if let asOf = later.asOf { change.asOf = asOf }
        return change
    }
}
