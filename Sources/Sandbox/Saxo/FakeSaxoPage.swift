import Brokerage
import NIOHTTP1
import PorticoCore

/// A page of a list, with the link to the next one.
struct FakeSaxoPage {
    private let context: FakeSaxoHost.AuthenticatedRequest
    private let top: Int
    private let skip: Int
    private let isCounted: Bool

    /// Parses `$top`, `$skip` and `$inlinecount`; throws ``FakeSaxoError`` for an invalid one.
    init(_ context: FakeSaxoHost.AuthenticatedRequest, countsByDefault: Bool = false) throws(FakeSaxoError) {
        self.context = context
        top = min(
            try context.integer("$top", in: 1...Int.max) ?? context.settings.pageDefault,
            context.settings.pageMaximum
        )
        skip = try context.integer("$skip", in: 0...Int.max) ?? 0
        switch context.request[query: "$inlinecount"] {
        case nil: isCounted = countsByDefault
        case "AllPages": isCounted = true
        case "None": isCounted = false
        case .some: throw .invalid("$inlinecount", "The value is not valid for $inlinecount.")
        }
    }

    func document<Item>(_ items: [Item], _ write: (Item) throws -> JSONDocument) rethrows -> JSONDocument {
        var members: [JSONDocument.Member] = []
        if isCounted { members.append("__count", .integer(items.count)) }
        let rest = items.dropFirst(skip)
        let part = rest.prefix(top)
        if rest.count > part.count { members.append("__next", .string(next)) }
        members.append("Data", .array(try part.map(write)))
        return .object(members)
    }

    /// The request's own target with the next `$skip`.
    private var next: String {
        let request = context.request
        var pairs = request.query.filter { !["$top", "$skip"].contains($0.name) }
        pairs.insert(contentsOf: [("$top", String(top)), ("$skip", String(skip + top))], at: 0)
        let query = pairs.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(separator: "&")
        let path = "/" + request.path.map(Self.escaped).joined(separator: "/") + "?" + query
        guard context.settings.nextLinksAreAbsolute, let host = request.headers.first(name: "Host") else {
            return path
        }
        return "http://\(host)\(path)"
    }

    /// Escapes all but the unreserved characters, `$` and `,`.
    private static func escaped(_ text: String) -> String {
        PercentEncoding.encode(text).replacing("%24", with: "$").replacing("%2C", with: ",")
    }
}

extension FakeSaxoHost.AuthenticatedRequest {
    /// Returns the integer of a parameter; nil if it is missing.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(FakeSaxoError) -> Int? {
        guard let text = request[query: name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(name, "The value '\(text)' is not valid for \(name).")
        }
        return number
    }

    /// Returns the asset type of a parameter; throws if it is missing or unknown.
    func assetType() throws(FakeSaxoError) -> FakeSaxoInstrument.AssetType {
        guard let text = request[query: "AssetType"] else {
            throw .invalid("AssetType", "AssetType is required")
        }
        guard let type = FakeSaxoInstrument.AssetType(rawValue: text) else {
            throw .invalid("AssetType", "The value '\(text)' is not valid for AssetType.")
        }
        return type
    }

    /// Returns the requested field groups; the endpoint's defaults if none are requested.
    func fieldGroups(_ defaults: Set<String>) -> Set<String> {
        guard let text = request[query: "FieldGroups"], !text.isEmpty else { return defaults }
        return Set(text.split(separator: ",").map { String($0.filter { $0 != " " }) })
    }

    /// Returns the account of the parameter `AccountKey`; nil if it is missing.
    ///
    /// Another client's account is rejected.
    func account() throws(FakeSaxoError) -> FakeSaxoAccount? {
        guard let key = request[query: "AccountKey"] else { return nil }
        return try account(key: key)
    }

    func account(key: String) throws(FakeSaxoError) -> FakeSaxoAccount {
        guard let account = client.accounts.first(where: { $0.key == key }) else { throw .unauthorized }
        return account
    }

    /// Requires the parameter `ClientKey` with the client's own key.
    func requireClientKey() throws(FakeSaxoError) {
        guard let key = request[query: "ClientKey"] else {
            throw .invalid("ClientKey", "ClientKey is required")
        }
        guard key == client.key else { throw .unauthorized }
    }
}
