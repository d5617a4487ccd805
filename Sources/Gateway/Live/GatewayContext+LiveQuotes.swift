package import Brokerage
import GraphQL
package import Upstream

extension GatewayContext {
    /// Follows prices: each symbol at the first source of the route that has it, together with all others who follow it
    /// there.
    ///
    /// - Parameters:
    ///   - symbols: At most 200.
    ///   - provider: Follow this provider and no other.
    /// - Returns: a follower for each source that is needed; a symbol that no source could have is not followed.
    /// - Throws: `FieldError` where there is no source of quotes, or too much is followed already.
    package func follow(_ symbols: [Symbol], from provider: Provider?) throws -> [QuoteFollower] {
        try Self.refuse(symbols, beyond: Self.mostSymbols)
        let sources = try sources(for: .quotes, from: provider)
        var wanted: [Int: Set<Symbol>] = [:]
        for symbol in symbols {
            guard let index = sources.firstIndex(where: { $0.has(symbol) }) else { continue }
            wanted[index, default: []].insert(symbol)
        }
        return try wanted.sorted { $0.key < $1.key }.map { index, symbols in
            do throws(ProviderFailure) {
                return try backends.live.hub(of: sources[index]).follow(symbols)
            } catch {
                throw FieldError(error)
            }
        }
    }
}
