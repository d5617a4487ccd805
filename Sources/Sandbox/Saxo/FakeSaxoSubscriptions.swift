import Brokerage
import NIOHTTP1

/// The REST side of streaming: subscriptions to prices, made and removed (fact sheet, "Prices").
struct FakeSaxoSubscriptions: Sendable {
    let host: FakeSaxoHost
    let streams: FakeSaxoStreams

    private enum Service: Sendable, Hashable {
        /// One instrument; several by the older form.
        case prices
        case infoPrices
    }

    var routes: [SandboxRoute] {
        routes(.prices, "/trade/v1/prices/subscriptions")
            + routes(.infoPrices, "/trade/v1/infoprices/subscriptions")
    }

    private func routes(_ service: Service, _ path: String) -> [SandboxRoute] {
        let context = PathTemplate(stringLiteral: "\(path)/{context_id}")
        let reference = PathTemplate(stringLiteral: "\(path)/{context_id}/{reference_id}")
        return [
            host.route(.POST, PathTemplate(stringLiteral: path)) { try subscribe($0, service) },
            host.route(.DELETE, reference) { visit in
                let id = visit.request.parameters["reference_id"]
                return try unsubscribe(visit) { $0.referenceID == id }
            },
            host.route(.DELETE, context) { visit in
                let tag = visit.request[query: "Tag"]
                return try unsubscribe(visit) { tag == nil || $0.tag == tag }
            },
        ]
    }

    private func subscribe(_ visit: FakeSaxoHost.AuthenticatedRequest, _ service: Service) throws
        -> SandboxResponse
    {
        let body = try JSONDocument(parsing: visit.request.body, else: "The request body is no JSON.")
        let contextID = try Self.identifier("ContextId", body, mayBeginWithUnderscore: true)
        let referenceID = try Self.identifier("ReferenceId", body, mayBeginWithUnderscore: false)
        let format = body["Format"]?.string ?? "application/json"
        guard format == "application/json" else {
            throw FakeSaxoError.invalid("Format", "The sandbox streams application/json only.")
        }
        let arguments = body["Arguments"] ?? .null
        let subject = try self.subject(arguments, service, visit.settings)
        let named = arguments["FieldGroups"]?.elements?.compactMap(\.string) ?? []
        let groups = named.isEmpty ? FakeSaxoPrice.defaultGroups : Set(named)
        let wished = body["RefreshRate"]?.integer ?? visit.settings.minimumRefreshRate
        let rate = min(max(wished, visit.settings.minimumRefreshRate), 86_400_000)
        let snapshot = FakeSaxoSubscription.document(subject, groups, at: visit.view, visit.settings)
        let second = Int(visit.now.secondsSince1970)
        let subscription = FakeSaxoSubscription(
            referenceID: referenceID, subject: subject, groups: groups, interval: max(1, rate / 1_000),
            tag: body["Tag"]?.string, known: snapshot, lastChecked: second, lastSent: second)
        try streams.add(
            subscription, to: FakeSaxoStreams.Key(user: visit.user.name, contextID: contextID),
            replacing: body["ReplaceReferenceId"]?.string)
        var members: [JSONDocument.Member] = [
            .init(name: "ContextId", value: .string(contextID)),
            .init(name: "ReferenceId", value: .string(referenceID)),
            .init(name: "Format", value: .string(format)),
            .init(
                name: "InactivityTimeout",
                value: JSONDocument(integerLiteral: visit.settings.inactivityTimeout)),
            .init(name: "RefreshRate", value: JSONDocument(integerLiteral: rate)),
            .init(name: "State", value: "Active"),
            .init(name: "Snapshot", value: snapshot),
        ]
        if let tag = subscription.tag { members.append(.init(name: "Tag", value: .string(tag))) }
        return .json(.object(members), status: .created)
    }

    private func subject(
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
        guard let listing = FakeSaxoDirectory.instrument(uic, assetType) else {
            throw .badRequest(
                code: FakeSaxoOrderError.illegalInstrument.rawValue,
                message: "Instrument not found: \(uic) as \(assetType.rawValue)")
        }
        return .price(listing)
    }

    /// 1 to 50 letters, digits, hyphens and underscores.
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
        _ visit: FakeSaxoHost.AuthenticatedRequest, _ isMeant: (FakeSaxoSubscription) -> Bool
    ) throws -> SandboxResponse {
        let contextID = visit.request.parameters["context_id"] ?? ""
        let key = FakeSaxoStreams.Key(user: visit.user.name, contextID: contextID)
        guard streams.remove(from: key, where: isMeant) else { throw FakeSaxoError.notFound }
        return SandboxResponse(status: HTTPResponseStatus(statusCode: visit.settings.unsubscribeStatus))
    }
}

extension JSONDocument {
    /// Reads the body of a request; throws ``FakeSaxoError`` with a message where it is none.
    init(parsing bytes: [UInt8], else message: String) throws(FakeSaxoError) {
        guard let document = try? JSONDocument(parsing: bytes) else {
            throw .badRequest(code: "InvalidRequest", message: message)
        }
        self = document
    }
}
