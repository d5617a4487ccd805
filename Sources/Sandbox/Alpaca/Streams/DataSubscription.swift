import Synchronization

/// What one client of the data stream listens to; `*` stands for everything.
///
/// A lock, because one task reads what the client wants while another sends it.
final class DataSubscription: Sendable {
    private let channels = Mutex<[Channel: Set<String>]>([:])

    /// The channels in the order in which Alpaca confirms them.
    enum Channel: String, CaseIterable {
        case trades, quotes, bars, updatedBars, dailyBars, statuses, lulds, corrections, cancelErrors
    }

    /// How many pairs of channel and symbol it may hold, whatever the plan.
    static let maximumCount = 10_000

    /// Takes up or gives up what a message names; false where it would be more than `limit` symbols of trades and
    /// quotes.
    func change(_ message: JSONDocument, subscribing: Bool, limit: Int?) -> Bool {
        channels.withLock { channels in
            var changed = channels
            for channel in Channel.allCases {
                guard case .array(let names) = message[channel.rawValue] else { continue }
                let symbols = Set(names.compactMap(\.string))
                changed[channel, default: []] =
                    subscribing
                    ? changed[channel, default: []].union(symbols)
                    : changed[channel, default: []].subtracting(symbols)
            }
            // Corrections and cancels come with trades.
            changed[.corrections] = changed[.trades]
            changed[.cancelErrors] = changed[.trades]
            let priced = changed[.trades, default: []].count + changed[.quotes, default: []].count
            guard priced <= limit ?? .max,
                changed.values.reduce(0, { $0 + $1.count }) <= Self.maximumCount
            else { return false }
            channels = changed
            return true
        }
    }

    /// The listed instruments that a channel is listened to for.
    func instruments(_ channel: Channel) -> [FakeInstrument] {
        let symbols = channels.withLock { $0[channel] ?? [] }
        return symbols.isEmpty
            ? [] : FakeInstrument.listing.filter { symbols.contains($0.symbol) || symbols.contains("*") }
    }

    /// The whole subscription, as the server confirms it.
    var document: JSONDocument {
        let channels = channels.withLock { $0 }
        return .object(
            [.init(name: "T", value: "subscription")]
                + Channel.allCases.map { channel in
                    .init(
                        name: channel.rawValue,
                        value: .array((channels[channel] ?? []).sorted().map { .string($0) }))
                })
    }
}
