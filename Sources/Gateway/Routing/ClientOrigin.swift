/// Where a request comes from, as far as limits tell addresses apart: a number that stands for the address.
///
/// Not a text: each request has one, and few are ever looked at.
package struct ClientOrigin: Hashable, Sendable {
    let number: UInt64

    /// - Parameter number: another one for another address.
    package init(_ number: UInt64) {
        self.number = number
    }

    /// All requests about whose address nothing is known.
    package static let unknown = ClientOrigin(.max)
}
