package import Brokerage
import Cryptography
import PorticoCore
import Storage
import Synchronization
import Upstream

/// The previews and the limits of orders that language models place by tools.
///
/// Such an order needs a preview in the same session, with the same values, that is recent and was used by no other
/// call. The sum of the values of the orders of a session on one day, in UTC, is limited for each currency. A call that
/// is repeated with its id within five minutes returns the order of the first one, also if the order was previewed again
/// in between.
///
/// The value of an order is determined when it is placed, with the larger of its own price and the market price of its
/// broker, see ``OrderTicket/countedValue(atMarket:)``. Without a market price it is refused. A quote is a market price
/// if its cache has not marked it as stale, so that it was read 15 seconds ago at most (`CacheLifetime.quote`), and if
/// it is delayed by 15 minutes at most. While a market is closed, its last price is the market price.
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
        /// Nil if it is unknown.
        let assetClass: AssetClass?
        /// Part of the idempotency key, so that two equal orders with a preview each are two orders, although clients
        /// use small numbers as ids of calls.
        let nonce = RandomID.make()
        /// The end of the time in which it can be used, or in which the call that used it can be repeated.
        var expiresAt: ContinuousClock.Instant
        /// The call that used it; nil if none did.
        var use: Use?
    }

    /// The use of a preview by a call.
    ///
    /// A call that is repeated, also on the next day, has the same key, and counts for the same day with the same value.
    private struct Use {
        let call: String
        /// The day in UTC of the first attempt.
        let day: CalendarDate
        let value: Decimal
        let currency: String
    }

    /// How long a preview can be used, and how long after its use the call can be repeated.
    private static let lifetime = Duration.seconds(5 * 60)
    private static let maximumSessions = 10_000
    /// The most previews of one session.
    private static let maximumPreviews = 20
    /// The longest delay of a market price.
    private static let maximumDelayMinutes = 15

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

    /// Stores the preview of an order that is not expected to be rejected, in place of an unused one of the same order.
    ///
    /// Used previews are kept, because a call without a response can be repeated after another preview.
    ///
    /// - Parameters:
    ///   - preview: The preview.
    ///   - subject: The order.
    ///   - assetClass: The class of the instrument; nil if it is unknown.
    ///   - session: The session of the preview.
    func record(
        _ preview: OrderPreview, of subject: Subject, _ assetClass: AssetClass?, in session: Session
    ) {
        guard let key = Self.group(of: session) else { return }
        let now = clock.now()
        let new = Preview(
            subject: subject, preview: preview, assetClass: assetClass, expiresAt: now + Self.lifetime)
        previews.withLock { previews in
            var own = previews.value(for: key) ?? []
            own.removeAll { $0.expiresAt <= now || $0.subject == subject && $0.use == nil }
            // Without an unused one another preview is needed, without a used one a repeated call can be a second order.
            while own.count >= Self.maximumPreviews {
                own.remove(at: own.firstIndex { $0.use == nil } ?? 0)
            }
            previews.insert(own + [new], for: key, weight: 1)
        }
    }

    /// Returns the permission to place an order, whose preview is then used.
    ///
    /// - Parameters:
    ///   - subject: The order.
    ///   - session: The session that places it.
    ///   - call: Identifies the call of the tool in the session.
    ///   - readQuote: Reads the current quote of the order's broker; nil without one.
    /// - Returns: The permission; the same one if the call is repeated.
    /// - Throws: `FieldError` CONFLICT without a preview, PROVIDER_UNAVAILABLE without a market price, BAD_USER_INPUT if
    ///   no limit applies or the order alone exceeds it.
    func permit(
        _ subject: Subject, of session: Session, call: String, readQuote: () async -> Quote?
    ) async throws(FieldError) -> Permit {
        guard let group = Self.group(of: session) else { throw session.unauthenticated }
        var preview = try preview(of: subject, for: call, in: group)
        if preview.use == nil {
            let (value, currency) = try countedValue(of: preview, at: await readQuote())
            try check(value, currency)
            preview = try use(
                preview,
                by: Use(call: call, day: clock.wallTime().dateInUTC, value: value, currency: currency),
                in: group)
        }
        guard let use = preview.use, use.call == call else {
            throw FieldError(
                .conflict,
                """
                The preview of this order was used by another call. Read the orders, because that call may have placed \
                it. \(Self.remedy)
                """)
        }
        let limit = OrderValueLimit(
            group: "\(use.day)-\(group)", currency: use.currency, value: use.value,
            maximum: limits[use.currency] ?? .zero)
        let digest = HashFunction.sha256.hash("\(group) \(preview.nonce) \(call)").prefix(16)
        return Permit(idempotencyKey: limit.idempotencyKey(Base64.url.encoded(digest)), limit: limit)
    }

    private static let remedy = """
        Call a tool with `previewOrder` with the same order in this session, then this tool within 5 minutes.
        """

    /// The error of a tool that replaces an order, which could otherwise exceed the limit of the order's value.
    static let noReplacement = FieldError(
        .unsupported,
        "A tool cannot replace an order, because no limit of value applies to a replacement. Cancel the order instead."
    )

    /// The preview of an order for a call: the one that the call has used, otherwise the unused one, otherwise the latest
    /// one that another call has used.
    private func preview(
        of subject: Subject, for call: String, in group: String
    ) throws(FieldError) -> Preview {
        let now = clock.now()
        let own = previews.withLock { $0.value(for: group) } ?? []
        let valid = own.filter { $0.subject == subject && now < $0.expiresAt }
        let found = valid.first { $0.use?.call == call } ?? valid.first { $0.use == nil } ?? valid.last
        guard let found else { throw Self.noPreview }
        return found
    }

    /// Returns a preview with its first use: this one if no other call has used it in the meantime.
    private func use(_ preview: Preview, by use: Use, in group: String) throws(FieldError) -> Preview {
        let end = clock.now() + Self.lifetime
        let used = previews.withLock { previews -> Preview? in
            guard var own = previews.value(for: group),
                let index = own.firstIndex(where: { $0.nonce == preview.nonce })
            else { return nil }
            if own[index].use == nil {
                (own[index].use, own[index].expiresAt) = (use, end)
                previews.insert(own, for: group, weight: 1)
            }
            return own[index]
        }
        guard let used else { throw Self.noPreview }
        return used
    }

    private static var noPreview: FieldError {
        FieldError(
            .conflict,
            """
            This order has no preview that is valid. \(remedy) If an earlier call had no result, read the orders first, \
            because it may have placed the order.
            """)
    }

    // MARK: Values

    /// Checks the value of an order against the limit of a day.
    private func check(_ value: Decimal, _ currency: String) throws(FieldError) {
        let maximum = limits[currency] ?? .zero
        guard value <= maximum else {
            throw FieldError.argument(
                "input.size",
                """
                The value of the order is \(value) \(currency), and the orders of a session may have a value of \
                \(maximum) \(currency) in a day. Place a smaller order.
                """)
        }
    }

    /// The value of an order in a currency that has a limit.
    private func countedValue(
        of preview: Preview, at quote: Quote?
    ) throws(FieldError) -> (value: Decimal, currency: String) {
        // The value of a bond, whose price is in per cent, is a hundredth of what counts.
        guard let assetClass = preview.assetClass, assetClass.isPricedPerUnit || assetClass == .bond else {
            throw FieldError.argument(
                "input.instrument",
                """
                The value of an order of the class \(preview.assetClass?.rawValue ?? "UNKNOWN") is unknown, because the \
                units of a contract are unknown. A tool cannot place it.
                """)
        }
        let (ticket, currency) = (preview.subject.ticket, preview.preview.currency)
        guard let quote, let market = quote.marketPrice(withinMinutes: Self.maximumDelayMinutes),
            quote.currency == nil || currency == nil || quote.currency == currency
        else {
            let provider = preview.preview.provenance.source
            throw FieldError.argument(
                "input.instrument", code: .providerUnavailable,
                """
                \(provider.name.text) has no market price of \(ticket.symbol) that was read in the last 15 seconds and is \
                delayed by \(Self.maximumDelayMinutes) minutes at most. The value of an order counts with the market \
                price, so that the order was not placed. Repeat the call later.
                """, provider: provider)
        }
        let counted = ticket.countedValue(atMarket: market)
        guard let limited = limitedValue(counted, currency ?? quote.currency, preview.preview) else {
            let known = limits.keys.sorted().joined(separator: ", ")
            throw FieldError.argument(
                "input",
                """
                The preview has no value of this order in a currency with a limit (\(known)). Use an instrument that is \
                traded in such a currency.
                """)
        }
        return limited
    }

    /// The value in a currency that has a limit: that of the instrument, or that of the account.
    private func limitedValue(
        _ value: Decimal?, _ currency: String?, _ preview: OrderPreview
    ) -> (value: Decimal, currency: String)? {
        guard let value, let currency, value > .zero else { return nil }
        if limits[currency] != nil { return (value.withoutTrailingZeros, currency) }
        guard let currency = preview.accountCurrency, limits[currency] != nil,
            let rate = preview.conversionRate, let converted = try? value * rate, converted > .zero
        else { return nil }
        return (converted.withoutTrailingZeros, currency)
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

extension Quote {
    /// The highest current price; nil for a quote that is stale, or is delayed by more than some minutes.
    fileprivate func marketPrice(withinMinutes maximumDelay: Int) -> Decimal? {
        guard !provenance.isStale, (delayMinutes ?? 0) <= maximumDelay, timeliness != .endOfDay,
            let price = highestPrice, price > .zero
        else { return nil }
        return price
    }
}
