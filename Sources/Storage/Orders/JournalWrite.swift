package import Brokerage

/// Something that is to change at a broker.
package struct JournalWrite: Hashable, Sendable {
    /// 128 random bits in hexadecimal digits.
    package let id: String
    package let order: OrderIdentity
    package let provider: ProviderID
    /// The broker's own id of the account; nil where the credential opens one account only.
    package let account: String?
    /// The broker's id of the order that is to change; nil for one that is to be placed.
    package let providerOrderID: String?
    package let kind: Kind
    package let state: OrderWriteState

    /// What is to be done.
    package enum Kind: Hashable, Sendable {
        case place
        case replace(OrderReplacement)
        case cancel

        package var name: Name {
            switch self {
            case .place: .place
            case .replace: .replace
            case .cancel: .cancel
            }
        }

        package enum Name: String, Sendable {
            case place = "PLACE"
            case replace = "REPLACE"
            case cancel = "CANCEL"
        }
    }

    /// The client's id under which the broker gets the order, or the one that takes its place.
    package var clientOrderID: String { Self.clientOrderID(of: id) }

    /// 40 characters, visible ASCII: Alpaca takes 128, Saxo 50.
    package static func clientOrderID(of id: String) -> String { mark + id }

    /// The id of the write that an order was sent by; nil where its client's id is none of Portico's.
    package static func id(ofClientOrderID text: String) -> String? {
        text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : nil
    }

    private static let mark = "portico-"

    package static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return [generator.next() as UInt64, generator.next()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// The result of deleting a user or a connection.
package enum Deletion: Hashable, Sendable {
    case deleted
    /// There is no such user or connection.
    case unknown
    /// Nothing was deleted, because this number of writes to brokers is not sent or has no response yet, and
    /// their outcomes must be recorded.
    case ordersInProgress(Int)
}
