package import Brokerage
import Cryptography
import PorticoCore
import Storage
import Synchronization
package import Upstream

/// The previews and the limits of orders that language models place by tools.
///
/// Such an order needs a preview in the same session, with the same values, that is recent and was used by no other
/// call. The sum of the values of the orders of a session on one day, in UTC, is limited for each currency. A call that
/// is repeated with its id returns the order of the first one.
///
/// Previews are in memory: after a restart, or at another server, an order needs another preview. The sums are read from
/// the journal of orders.
package final class ToolOrders: Sendable {
    /// An order and the connection that would place it.
    ///
    /// The id of the order for the broker is empty.
    struct Subject: Hashable {
        let ticket: OrderTicket
        let connection: String
    }

    /// The permission to place an order.
    struct Permit {
        let idempotencyKey: String
        let limit: OrderValueLimit
    }

    /// The preview of an order.
    private struct Preview {
        let subject: Subject
        let preview: OrderPreview
        /// Part of the idempotency key, so that two equal orders with a preview each are two orders, although clients
        /// use small numbers as ids of calls.
        let nonce = RandomID.make()
        let expiresAt: ContinuousClock.Instant
        /// The call that used it, and the day in UTC of its first attempt; nil if none did.
        ///
        /// A call that is repeated on the next day has the same key, and counts for the same day.
        var use: (call: String, day: CalendarDate)?
    }

    /// How long a preview can be used.
    private static let lifetime = Duration.seconds(5 * 60)
    private static let maximumSessions = 10_000
    /// The most previews of one session.
    private static let maximumPreviews = 20

    /// The maximum sum of the values of orders of a session on one day, by currency (ISO 4217).
    private let limits: [String: Decimal]
    private let clock: TimeSource
    // Requests on any thread look for previews; it is held for a look-up or an insertion.
    private let previews = Mutex(
        LRUCache<String, [Preview]>(maximumCount: maximumSessions, maximumWeight: maximumSessions))

    /// - Parameters:
    ///   - limits: The maximum sum of the values of orders of a session on one day, by currency (ISO 4217).
    ///   - clock: The clock of the day and of the age of previews.
    package init(limits: [String: Decimal] = [:], clock: TimeSource = .system) {
        (self.limits, self.clock) = (limits, clock)
    }

    /// Stores the preview of an order that is not expected to be rejected.
    func record(_ preview: OrderPreview, of subject: Subject, in session: Session) {
        guard let key = Self.group(of: session) else { return }
        let new = Preview(subject: subject, preview: preview, expiresAt: clock.now() + Self.lifetime)
        previews.withLock { previews in
            var own = previews.value(for: key) ?? []
            own.removeAll { $0.subject == subject }
            own = own.suffix(Self.maximumPreviews - 1) + [new]
            previews.insert(own, for: key, weight: 1)
        }
    }

    /// Returns the permission to place an order, whose preview is then used.
    ///
    /// - Parameters:
    ///   - subject: The order.
    ///   - session: The session that places it.
    ///   - call: Identifies the call of the tool in the session.
    /// - Returns: The permission; the same one if the call is repeated.
    /// - Throws: `FieldError` CONFLICT without a preview, BAD_USER_INPUT if no limit applies or the order alone exceeds
    ///   it.
    func permit(
        _ subject: Subject, of session: Session, call: String
    ) throws(FieldError) -> Permit {
        guard let group = Self.group(of: session) else { throw session.unauthenticated }
        let (preview, use) = try use(subject, of: group, by: call)
        guard use.call == call else {
            throw FieldError(
                .conflict,
                """
                The preview of this order was used by another call. Read the orders, because that call may have placed \
                it. \(Self.remedy)
                """)
        }
        let limit = try limit(of: preview, in: "\(use.day)-\(group)")
        let digest = HashFunction.sha256.hash("\(group) \(preview.nonce) \(call)").prefix(16)
        return Permit(idempotencyKey: limit.idempotencyKey(Base64.url.encoded(digest)), limit: limit)
    }

    private static let remedy = """
        Call a tool with `previewOrder` with the same `input` in this session, then this tool within 5 minutes.
        """

    /// Returns the preview of an order, and the call that used it first: this one if none did.
    private func use(
        _ subject: Subject, of group: String, by call: String
    ) throws(FieldError) -> (Preview, (call: String, day: CalendarDate)) {
        let now = clock.now()
        let today = clock.wallTime().dateInUTC
        let found = previews.withLock { previews -> (Preview, (call: String, day: CalendarDate))? in
            guard var own = previews.value(for: group),
                let index = own.firstIndex(where: { $0.subject == subject && now < $0.expiresAt })
            else { return nil }
            if let use = own[index].use { return (own[index], use) }
            own[index].use = (call, today)
            previews.insert(own, for: group, weight: 1)
            return (own[index], (call, today))
        }
        guard let found else {
            throw FieldError(
                .conflict,
                """
                This order has no preview that is valid. \(Self.remedy) If an earlier call had no result, read the \
                orders first, because it may have placed the order.
                """)
        }
        return found
    }

    private func limit(
        of preview: Preview, in group: String
    ) throws(FieldError) -> OrderValueLimit {
        let known = limits.keys.sorted().joined(separator: ", ")
        guard let (value, currency) = limitedValue(of: preview.preview), value > .zero else {
            throw FieldError.argument(
                "input",
                """
                The preview has no value of this order in a currency with a limit (\(known)). Use a limit price, or an \
                instrument that is traded in such a currency.
                """)
        }
        let limit = OrderValueLimit(
            group: group, currency: currency, value: value.withoutTrailingZeros,
            maximum: limits[currency] ?? .zero)
        guard limit.value <= limit.maximum else {
            throw FieldError.argument(
                "input.size",
                """
                The value of the order is \(limit.value) \(currency), and the orders of a session may have a value of \
                \(limit.maximum) \(currency) in a day. Place a smaller order.
                """)
        }
        return limit
    }

    /// The value in a currency that has a limit: that of the instrument, or that of the account.
    private func limitedValue(of preview: OrderPreview) -> (Decimal, String)? {
        guard let value = preview.value, let currency = preview.currency else { return nil }
        if limits[currency] != nil { return (value, currency) }
        guard let currency = preview.accountCurrency, limits[currency] != nil,
            let rate = preview.conversionRate, let converted = try? value * rate
        else { return nil }
        return (converted, currency)
    }

    /// The error of an order that exceeds the limit together with earlier ones.
    func refusal(above limit: OrderValueLimit, _ sum: Decimal) -> FieldError {
        let tomorrow = clock.wallTime().dateInUTC.adding(days: 1)
        return FieldError(
            .rateLimited,
            """
            The value of the order is \(limit.value) \(limit.currency), and the orders of this session have a value of \
            \(sum) \(limit.currency) today. The limit is \(limit.maximum) \(limit.currency) in a day (UTC). Place a \
            smaller order, or wait until the next day.
            """, retryAt: tomorrow.flatMap { Instant(secondsSince1970: Int64($0.daysSince1970) * 86_400) })
    }

    /// Identifies a session, in 16 characters; nil for a request without one.
    ///
    /// Tokens of the identity provider that belong to one of its sessions are one session, because a client can get a
    /// token at any time. Those without such a session, and those of the settings, count for their user.
    private static func group(of session: Session) -> String? {
        guard let owner = session.owner else { return nil }
        let id =
            session.stored.map { "session \($0.id)" } ?? session.bearer?.issuerSessionID.map { "sid \($0)" }
        let digest = HashFunction.sha256.hash("\(owner.text) \(id ?? "")").prefix(12)
        return Base64.url.encoded(digest)
    }
}
