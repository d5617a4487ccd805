import Brokerage
import NIOHTTP1

/// The REST endpoints of streaming: creation and removal of subscriptions to prices and to
/// events of orders (`ens/v1/activities/subscriptions` of Saxo's reference).
struct FakeSaxoSubscriptions: Sendable {
    let host: FakeSaxoHost
    let streams: FakeSaxoStreams

    private enum Service: Sendable, Hashable {
        /// One instrument; several in the older form.
        case prices
        case infoPrices
        case orderEvents
    }

    var routes: [SandboxRoute] {
        routes(.prices, "/trade/v1/prices/subscriptions")
            + routes(.infoPrices, "/trade/v1/infoprices/subscriptions")
            + routes(.orderEvents, "/ens/v1/activities/subscriptions")
    }

    private func routes(_ service: Service, _ path: String) -> [SandboxRoute] {
        let context = PathTemplate(stringLiteral: "\(path)/{context_id}")
        let reference = PathTemplate(stringLiteral: "\(path)/{context_id}/{reference_id}")
        return [
            host.route(.POST, PathTemplate(stringLiteral: path)) { try subscribe($0, service) },
            host.route(.DELETE, reference) { context in
                let id = context.request.parameters["reference_id"]
                return try unsubscribe(context) { $0.referenceID == id }
            },
            host.route(.DELETE, context) { context in
                let tag = context.request[query: "Tag"]
                return try unsubscribe(context) { tag == nil || $0.tag == tag }
            },
        ]
    }

    private func subscribe(_ context: FakeSaxoHost.AuthenticatedRequest, _ service: Service) throws
        -> SandboxResponse
    {
        let body = try JSONDocument(parsing: context.request.body, else: "The request body is no JSON.")
        let contextID = try Self.identifier("ContextId", body, mayBeginWithUnderscore: true)
        let referenceID = try Self.identifier("ReferenceId", body, mayBeginWithUnderscore: false)
        let format = body["Format"]?.string ?? "application/json"
        guard format == "application/json" else {
            throw FakeSaxoError.invalid("Format", "The sandbox streams application/json only.")
        }
        let arguments = body["Arguments"] ?? .null
        let named = Set(arguments["FieldGroups"]?.elements?.compactMap(\.string) ?? [])
        let target: FakeSaxoSubscription.Target
        let snapshot: JSONDocument
        let groups: Set<String>
        if service == .orderEvents {
            (target, snapshot) = try orderEvents(arguments, context, named)
            groups = named
        } else {
            target = try self.target(arguments, service, context.settings)
            groups = named.isEmpty ? FakeSaxoPrice.defaultGroups : named
            snapshot = FakeSaxoSubscription.document(target, groups, at: context.view, context.priceSettings)
        }
        let requested = body["RefreshRate"]?.integer ?? context.settings.minimumRefreshRate
        let rate = min(max(requested, context.settings.minimumRefreshRate), 86_400_000)
        let second = Int(context.now.secondsSince1970)
        let subscription = FakeSaxoSubscription(
            referenceID: referenceID, target: target, groups: groups, interval: max(1, rate / 1_000),
            tag: body["Tag"]?.string, session: (context.session, context.user.name), known: snapshot,
            lastChecked: second, lastSent: second)
        try streams.add(
            subscription, to: FakeSaxoStreams.Key(user: context.user.name, contextID: contextID),
            replacing: body["ReplaceReferenceId"]?.string)
        var members: [JSONDocument.Member] = [
            .init(name: "ContextId", value: .string(contextID)),
            .init(name: "ReferenceId", value: .string(referenceID)),
            .init(name: "Format", value: .string(format)),
            .init(name: "InactivityTimeout", value: .integer(context.settings.inactivityTimeout)),
            .init(name: "RefreshRate", value: .integer(rate)),
            .init(name: "State", value: "Active"),
            .init(name: "Snapshot", value: snapshot),
        ]
        if let tag = subscription.tag { members.append("Tag", .string(tag)) }
        return .json(.object(members), status: .created)
    }

    /// The events of the client's orders, and those that a subscription begins with.
    private func orderEvents(
        _ arguments: JSONDocument, _ context: FakeSaxoHost.AuthenticatedRequest, _ groups: Set<String>
    ) throws(FakeSaxoError) -> (FakeSaxoSubscription.Target, JSONDocument) {
        guard arguments["Activities"]?.elements?.compactMap(\.string) == ["Orders"] else {
            throw .invalid("Arguments.Activities", "The sandbox has the activity Orders only.")
        }
        let start: FakeSaxoOrderLog.Start
        if let text = arguments["SequenceId"]?.string {
            start = .sequence(Int(text) ?? 0)
        } else if let text = arguments["FromDateTime"]?.string {
            guard let instant = Instant(text) else {
                throw .invalid("Arguments.FromDateTime", "The value is not valid for FromDateTime.")
            }
            start = .second(Int(instant.secondsSince1970))
        } else {
            start = .realTime
        }
        let log = host.orderBook.log(of: context.client, at: context.view, now: context.now)
        guard let events = log.events(from: start) else {
            throw .badRequest(code: "SequenceIdUnavailable", message: "SequenceId Unavailable")
        }
        let documents = events.map { $0.document(of: context.client, groups, context.settings) }
        return (.orderEvents(context.client, after: log.last), ["Data": .array(documents)])
    }

    private func target(
        _ arguments: JSONDocument, _ service: Service, _ settings: FakeSaxoSettings
    ) throws(FakeSaxoError) -> FakeSaxoSubscription.Target {
        guard let assetType = arguments["AssetType"]?.string.flatMap(FakeSaxoInstrument.AssetType.init) else {
            throw .invalid("Arguments.AssetType", "AssetType is required")
        }
        if service == .infoPrices || settings.servesOldEndpoints, let text = arguments["Uics"]?.string {
            return .list(try FakeSaxoPrices.uics(text, maximum: settings.priceListMaximum), assetType)
        }
        guard service == .prices else { throw .invalid("Arguments.Uics", "Uics is required") }
        guard let uic = arguments["Uic"]?.integer else {
            throw .invalid("Arguments.Uic", "Uic is required")
        }
        guard let listing = FakeSaxoInstruments.instrument(uic, assetType) else {
            throw .badRequest(
                code: FakeSaxoOrderError.illegalInstrument.rawValue,
                message: "Instrument not found: \(uic) as \(assetType.rawValue)")
        }
        return .price(listing)
    }

    /// Parses 1 to 50 letters, digits, hyphens and underscores.
    private static func identifier(
        _ name: String, _ body: JSONDocument, mayBeginWithUnderscore: Bool
    ) throws(FakeSaxoError) -> String {
        guard let text = body[name]?.string else { throw .invalid(name, "\(name) is required") }
        let isValid =
            (1...50).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        guard isValid, mayBeginWithUnderscore || !text.hasPrefix("_") else {
            throw .invalid(name, "The value is not valid for \(name).")
        }
        return text
    }

    private func unsubscribe(
        _ context: FakeSaxoHost.AuthenticatedRequest, _ isIncluded: (FakeSaxoSubscription) -> Bool
    ) throws -> SandboxResponse {
        let contextID = context.request.parameters["context_id"] ?? ""
        let key = FakeSaxoStreams.Key(user: context.user.name, contextID: contextID)
        guard streams.remove(from: key, where: isIncluded) else { throw FakeSaxoError.notFound }
        return SandboxResponse(status: HTTPResponseStatus(statusCode: context.settings.unsubscribeStatus))
    }
}

extension JSONDocument {
    /// Parses the body of a request; throws ``FakeSaxoError`` with the message for an invalid one.
    init(parsing bytes: [UInt8], else message: String) throws(FakeSaxoError) {
        guard let document = try? JSONDocument(parsing: bytes) else {
            throw .badRequest(code: "InvalidRequest", message: message)
        }
        self = document
    }
}

/// A subscription: its target, its interval, and the client's current data.
struct FakeSaxoSubscription: Sendable {
    let referenceID: String
    var target: Target
    let groups: Set<String>
    /// In whole seconds, at least 1.
    let interval: Int
    let tag: String?
    /// The session that made it, and its user: their trade level determines the delay of prices.
    let session: (id: FakeSaxoTradeLevels.Session, user: String)
    /// The snapshot with all deltas merged into it.
    var known: JSONDocument
    /// Seconds of the clock: the last check for changes, and the last message.
    var lastChecked: Int
    var lastSent: Int
    /// True if the client was requested to recreate it; it gets no more messages.
    var isReset = false

    enum Target: Sendable {
        /// One instrument: the price itself.
        case price(FakeSaxoInstrument)
        /// Several of one asset type: `Data` with an item for each.
        case list([Int], FakeSaxoInstrument.AssetType)
        /// The events of a client's orders after one with a number.
        case orderEvents(FakeSaxoClient, after: Int)
    }

    /// Returns the full data at a moment.
    static func document(
        _ target: Target, _ groups: Set<String>, at view: MarketView, _ settings: FakeSaxoSettings
    ) -> JSONDocument {
        switch target {
        case .price(let listing):
            FakeSaxoPrice(
                quote: FakeSaxoQuote(listing, at: view, settings),
                format: FakeSaxoFormat(writesExponents: settings.writesExponents),
                hasDepth: settings.includesMarketDepth
            ).document(groups)
        case .list(let uics, let assetType):
            ["Data": FakeSaxoPrices.list(uics, assetType, groups, at: view, settings)]
        // Events are no data that change.
        case .orderEvents: ["Data": []]
        }
    }

    /// Returns the changes since ``known``; nil if there are none.
    ///
    /// The form is an object of changed members, or an array of these objects with their Uics.
    func delta(to document: JSONDocument) -> JSONDocument? {
        switch target {
        case .price: return known.changes(to: document)
        case .orderEvents: return nil
        case .list:
            let before = known["Data"]?.elements ?? []
            let items = zip(before, document["Data"]?.elements ?? []).compactMap {
                before, after -> JSONDocument? in
                guard let changes = before.changes(to: after)?.members, let uic = after["Uic"] else {
                    return nil
                }
                return .object([.init(name: "Uic", value: uic)] + changes)
            }
            return items.isEmpty ? JSONDocument?.none : .array(items)
        }
    }
}

extension JSONDocument {
    /// Returns the members that differ in another version of an object, recursively; nil if there are none.
    ///
    /// A removed member cannot be represented; other members show that it is no longer valid.
    func changes(to other: JSONDocument) -> JSONDocument? {
        // A plain `nil` would be converted to the document null.
        guard case .object(let members) = other else { return self == other ? JSONDocument?.none : other }
        let changed = members.compactMap { member -> Member? in
            guard let before = self[member.name] else { return member }
            return before.changes(to: member.value).map { Member(name: member.name, value: $0) }
        }
        return changed.isEmpty ? JSONDocument?.none : .object(changed)
    }
}
