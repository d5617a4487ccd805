import Brokerage
import GraphQL
import Upstream

/// The price for which the minimum price increment is requested.
struct TickSizeArguments: GraphQLArguments {
    let price: TicketPrice

    init(_ arguments: ArgumentReader) throws {
        price = try (arguments["price"] as Decimal?).map { .given($0) } ?? .latest
    }
}

/// The price of an order ticket.
enum TicketPrice: Sendable {
    case given(Decimal)
    /// The price of the latest quote.
    case latest
}

extension InstrumentService {
    /// The minimum price increment of each instrument at a price, of the first broker of the route that reports one.
    ///
    /// A quote is read only for an instrument whose increment depends on the price, if no price is given.
    func tickSizes(of symbols: [Symbol], at price: TicketPrice) throws -> MaybeAsync<BatchResults<Decimal?>> {
        if case .given(let price) = price, price <= .zero {
            throw FieldError.argument("price", "It is \(price). Give a price above zero.")
        }
        let listings = brokerListings(of: symbols) { $0.tickSize != nil || $0.priceIncrements != nil }
        switch price {
        case .given(let price):
            return listings.map { $0.map { result in result.map { $0?.priceIncrement(at: price) } } }
        case .latest:
            return .async {
                let listings = try await listings.value()
                let dependent = zip(symbols, listings).filter { _, listing in
                    guard let known = try? listing.get() else { return false }
                    return known.priceIncrement(at: nil) == nil
                }.map(\.0)
                let quotes: BatchResults<Quote> =
                    dependent.isEmpty
                    ? [] : try await QuoteService(scope).quotes(for: dependent, from: nil).value()
                var rest = quotes.makeIterator()
                return listings.map { listing in
                    listing.flatMap { listing -> Result<Decimal?, any Error> in
                        guard let listing else { return .success(nil) }
                        if let increment = listing.priceIncrement(at: nil) { return .success(increment) }
                        guard let quote = rest.next() else { return .failure(FieldError.internalError) }
                        return quote.map { quote in quote.price.flatMap { listing.priceIncrement(at: $0) } }
                    }
                }
            }
        }
    }

    /// The minimum increment of an order's quantity of each instrument, of the first broker of the route that reports one.
    func lotSizes(of symbols: [Symbol]) -> MaybeAsync<BatchResults<Decimal?>> {
        brokerListings(of: symbols) { $0.quantityIncrement != nil }.map { listings in
            listings.map { result in result.map { $0?.quantityIncrement } }
        }
    }

    /// The first listing of each instrument at a broker that is complete, otherwise the first one; nil if no broker has one, or
    /// it states that the broker accepts no orders.
    ///
    /// Saxo reports increments also of an index, which has no orders, and its listings do not state whether it accepts them.
    private func brokerListings(
        of symbols: [Symbol], isComplete: @escaping @Sendable (Listing) -> Bool
    ) -> MaybeAsync<BatchResults<Listing?>> {
        let all = (try? reads.sources(for: .instruments, from: nil)) ?? []
        let brokers = all.filter(\.isBroker)
        if brokers.isEmpty { return .ready(symbols.map { _ in .success(nil) }) }
        let instruments: MaybeAsync<BatchResults<Listing?>> = reads.results(
            for: symbols, named: \.phrase, as: \Instrument.listing
        ) { () throws(FieldError) in
            var routedRead = instrumentRead(from: brokers)
            routedRead.isComplete = { $0.listing.map { $0.isTradable != false && isComplete($0) } ?? false }
            return routedRead
        }
        return instruments.map { listings in
            listings.map { listing in
                guard case .failure(let error as FieldError) = listing, error.meansNoValue else {
                    return listing.map { $0?.isTradable == false ? nil : $0 }
                }
                return .success(nil)
            }
        }
    }
}
