/// A legal text that a broker requires to be shown, and to be accepted, before it takes an order.
package struct OrderDisclaimer: Hashable, Sendable {
    package let reference: Reference
    package var title: String?
    /// The text, as the broker sends it: HTML.
    package var body: String?
    /// Whether it prevents the order: such a disclaimer can be shown, and not accepted.
    package var isBlocking: Bool
    /// The texts beside the boxes that the user must tick.
    package var confirmations: [String] = []
    /// The text that the user must type; nil if none is required.
    package var requiredText: String?

    package init(reference: Reference, title: String?, body: String?, isBlocking: Bool) {
        self.reference = reference
        self.title = title
        self.body = body
        self.isBlocking = isBlocking
    }

    /// Which disclaimer of which check of an order, by the broker's names.
    package struct Reference: Hashable, Sendable {
        /// The check of the order: a disclaimer that recurs is accepted for it only.
        package let context: String
        package let token: String

        /// The maximum number of bytes of each name.
        package static let maximumLength = 160

        /// - Returns: Nil unless both names are visible ASCII of 1 to ``maximumLength`` bytes.
        package init?(context: String, token: String) {
            guard
                [context, token].allSatisfy({ name in
                    (1...Self.maximumLength).contains(name.utf8.count)
                        && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                })
            else { return nil }
            self.context = context
            self.token = token
        }
    }
}
