package import OpenIDConnect
package import Storage

/// The scopes that the claims of a user at the identity provider give.
package struct ScopeMapping: Sendable {
    private let claim: String?
    private let scopes: [String: Set<Scope>]

    /// - Parameters:
    ///   - claim: The path of the claim; nil if each user of the identity provider gets READ and WRITE.
    ///   - scopes: The scopes of the values of the claim.
    package init(claim: String?, scopes: [String: Set<Scope>]) {
        (self.claim, self.scopes) = (claim, scopes)
    }

    /// READ and WRITE for each user of the identity provider.
    package static let standard = ScopeMapping(claim: nil, scopes: [:])

    /// The names of the scopes themselves.
    package static let names = Dictionary(
        uniqueKeysWithValues: Scope.allCases.map { ($0.rawValue, Set([$0])) })

    /// The scopes of a user; empty if no value of the claim is mapped.
    ///
    /// Each scope includes READ. A claim of text has its values separated by spaces, as `scope` (RFC 8693, section 4.2).
    package func scopes(of claims: [String: ClaimValue]) -> Set<Scope> {
        guard let claim else { return [.read, .write] }
        guard let value = claims.value(at: claim) else { return [] }
        let values = value.text.map { $0.split(separator: " ").map(String.init) } ?? value.texts ?? []
        let given = values.reduce(into: Set<Scope>()) { $0.formUnion(scopes[$1] ?? []) }
        return given.isEmpty ? [] : given.union([.read])
    }
}
