/// Which answers are compressed, for clients that accept it.
///
/// Compression tells by its length what a body has in common with what an attacker puts into it (BREACH). Here
/// nobody can make another's client send a request: there are no cookies, and tokens stand in no body.
package struct CompressionPolicy: Sendable, Hashable {
    /// Sizes in bytes; smaller bodies gain nothing, and larger ones would hold up the others of an event loop.
    package var sizes = 1_024...(1 << 20)
    /// From 1, the fastest, to 9, the smallest; 0 compresses nothing.
    package var level = 4

    package init() {}
}
