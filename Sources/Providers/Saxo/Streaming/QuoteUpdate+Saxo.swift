import Brokerage
import Upstream

extension QuoteUpdate {
    /// What differs between two prices, in Portico's words; nil where nothing does that Portico tells of.
    ///
    /// Without an old price, all of the new one.
    init?(from old: SaxoPrice?, to new: SaxoPrice, of listing: SaxoListing) {
        // When it is read does not matter: only figures are compared.
        let after = new.quote(of: listing, fetchedAt: .earliest)
        let before = old?.quote(of: listing, fetchedAt: .earliest)
        self.init(symbol: listing.symbol)
        func changed<Value: Equatable>(_ path: KeyPath<Quote, Value?>) -> Value? {
            before?[keyPath: path] == after[keyPath: path] ? nil : after[keyPath: path]
        }
        price = changed(\.price)
        open = changed(\.open)
        high = changed(\.high)
        low = changed(\.low)
        previousClose = changed(\.previousClose)
        volume = changed(\.volume)
        marketState = changed(\.marketState)
        if before == nil || before?.bid != after.bid { bid = .some(after.bid) }
        if before == nil || before?.ask != after.ask { ask = .some(after.ask) }
        guard self != QuoteUpdate(symbol: listing.symbol) else { return nil }
        asOf = after.provenance.asOf
    }
}
