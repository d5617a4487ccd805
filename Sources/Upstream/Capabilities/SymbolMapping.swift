package import Brokerage

/// Translates between Portico's own symbols and a provider's, by rule: without a call, and without knowing whether there
/// is such an instrument.
package protocol SymbolMapping: Sendable {
    /// What the provider calls it; nil for a kind of instrument that it does not have.
    func providerSymbol(for symbol: Symbol) -> String?

    /// Portico's own symbol for a provider's; nil for what is none of the provider's.
    func symbol(for spelling: String) -> Symbol?
}
