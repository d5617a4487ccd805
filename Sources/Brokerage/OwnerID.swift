/// The id of a user, as the owner of private data.
///
/// The user whose credentials are in the settings has an id too: documents call that user "the owner of the configured
/// credentials".
package struct OwnerID: Hashable, Sendable {
    /// The id as it is stored in a database; it is never part of a message.
    package let text: String

    /// Nil for the empty text, which is no owner.
    package init?(_ id: String) {
        guard !id.isEmpty else { return nil }
        text = id
    }
}
