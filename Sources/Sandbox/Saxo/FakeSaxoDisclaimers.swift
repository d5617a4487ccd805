import Brokerage
import NIOHTTP1
import Synchronization

/// A disclaimer that users must accept before an order (developer.saxo, "Pre-trade disclaimers").
package enum FakeSaxoDisclaimer: String, Sendable, Hashable, CaseIterable {
    /// It is accepted once.
    case normal
    /// It is accepted before each order, by a box that the user ticks.
    case recurring
    /// It is accepted once, by a sentence that the user types.
    case typed
    /// It prevents each order.
    case blocking

    var token: String { "DM-\(rawValue)-2025" }

    static let sentence = "I understand the risk"

    fileprivate var document: JSONDocument {
        let conditions: JSONDocument =
            switch self {
            case .normal, .blocking: []
            case .recurring: [["Type": "Checkbox", "Label": "I have read the risk warning"]]
            case .typed: [["Type": "UserInput", "InputText": .string(Self.sentence)]]
            }
        let options: JSONDocument =
            self == .blocking ? [] : [["ResponseType": "Accepted", "Label": "Accept"]]
        return [
            "DisclaimerToken": .string(token), "Title": .string("Sandbox: \(rawValue) disclaimer"),
            "Body": .string("<p>You can lose money. This is the \(rawValue) disclaimer.</p>"),
            "IsBlocking": .bool(self == .blocking), "Conditions": conditions, "ResponseOptions": options,
        ]
    }
}

/// The disclaimers of each client, and those that it has accepted.
///
/// It uses a lock: requests arrive concurrently, and each must change the state in one step.
final class FakeSaxoDisclaimers: Resettable {
    private struct State {
        var required: [FakeSaxoDisclaimer]
        /// By the id of the client.
        var accepted: [String: Set<FakeSaxoDisclaimer>] = [:]
        /// The checks of orders, by the id of the client, the newest last.
        var contexts: [String: [String]] = [:]
        var count = 0
    }

    /// The maximum number of checks that are known for a client.
    private static let maximumContexts = 200

    private let initial: [FakeSaxoDisclaimer]
    private let state: Mutex<State>

    init(_ settings: FakeSaxoSettings) {
        initial = settings.disclaimers
        state = Mutex(State(required: settings.disclaimers))
    }

    func require(_ disclaimers: [FakeSaxoDisclaimer]) {
        state.withLock { $0 = State(required: disclaimers, count: $0.count) }
    }

    func reset() { require(initial) }

    /// `PreTradeDisclaimers` of an order of a client; nil if it has accepted all disclaimers.
    func pending(of client: FakeSaxoClient) -> JSONDocument? {
        state.withLock { state -> JSONDocument? in
            let pending = state.required.filter { !(state.accepted[client.id]?.contains($0) ?? false) }
            guard !pending.isEmpty else { return JSONDocument?.none }
            state.count += 1
            let context = "check-\(client.id)-\(state.count)"
            state.contexts[client.id] = ((state.contexts[client.id] ?? []) + [context]).suffix(
                Self.maximumContexts)
            return [
                "DisclaimerContext": .string(context),
                "DisclaimerTokens": .array(pending.map { .string($0.token) }),
            ]
        }
    }

    /// Records that an order of a client was placed: disclaimers that recur must be accepted again.
    func didPlace(for client: FakeSaxoClient) {
        state.withLock { state in _ = state.accepted[client.id]?.remove(.recurring) }
    }

    /// The disclaimer with a token; throws for one that is not required.
    fileprivate func disclaimer(_ token: String, code: String) throws(FakeSaxoError) -> FakeSaxoDisclaimer {
        let found = state.withLock { state in state.required.first { $0.token == token } }
        guard let found else {
            throw .badRequest(code: code, message: "The disclaimer token is invalid.")
        }
        return found
    }

    fileprivate func accept(
        _ disclaimer: FakeSaxoDisclaimer, in context: String, of client: FakeSaxoClient
    ) throws(FakeSaxoError) {
        let isKnown = state.withLock { state in
            guard state.contexts[client.id]?.contains(context) ?? false else { return false }
            state.accepted[client.id, default: []].insert(disclaimer)
            return true
        }
        guard isKnown else {
            throw .badRequest(code: "DisclaimerFetchError", message: "The disclaimer context is unknown.")
        }
    }
}

/// Saxo's disclaimer management: `dm/v2/disclaimers`.
struct FakeSaxoDisclaimerService: Sendable {
    let host: FakeSaxoHost
    let disclaimers: FakeSaxoDisclaimers

    var routes: [SandboxRoute] {
        [
            host.get("/dm/v2/disclaimers") { context in
                let tokens = context.request.query.filter { $0.name == "DisclaimerTokens" }.flatMap {
                    $0.value.split(separator: ",")
                }
                guard !tokens.isEmpty else {
                    throw FakeSaxoError.invalid("DisclaimerTokens", "DisclaimerTokens is required")
                }
                let found = try tokens.map {
                    try disclaimers.disclaimer(String($0), code: "InValidDisclaimerToken")
                }
                return .json(["Data": .array(found.map(\.document))])
            },
            host.route(.POST, "/dm/v2/disclaimers", respond),
        ]
    }

    private func respond(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let body = try FakeSaxoOrderRequest.body(context)
        let disclaimer = try disclaimers.disclaimer(
            body["DisclaimerToken"]?.string ?? "", code: "DisclaimerFetchError")
        guard disclaimer != .blocking else {
            throw FakeSaxoError.badRequest(
                code: "InvalidRequest", message: "A blocking disclaimer cannot be accepted.")
        }
        guard body["ResponseType"]?.string == "Accepted" else {
            throw FakeSaxoError.invalid("ResponseType", "The value is not valid for ResponseType.")
        }
        guard disclaimer != .typed || body["UserInput"]?.string == FakeSaxoDisclaimer.sentence else {
            throw FakeSaxoError.invalid("UserInput", "UserInput must be the text of the condition.")
        }
        try disclaimers.accept(
            disclaimer, in: body["DisclaimerContext"]?.string ?? "", of: context.client)
        return SandboxResponse(status: .ok)
    }

    /// `POST /_sandbox/saxo/disclaimers`: `{"required": ["normal", "recurring"]}` requires these disclaimers from all
    /// clients from now on, also from those that had accepted them; `[]` requires none.
    var control: [SandboxRoute] {
        [
            .control(.POST, "/saxo/disclaimers") { request in
                let json = try JSONDocument(parsing: request.body)
                try json.requireMembers(["required"])
                let names = json["required"]?.elements?.map { $0.string.flatMap(FakeSaxoDisclaimer.init) }
                guard let names, !names.contains(nil) else {
                    let known = FakeSaxoDisclaimer.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ScriptError("\"required\" must be a list of \(known)")
                }
                disclaimers.require(names.compactMap(\.self))
                return SandboxResponse(status: .noContent)
            }
        ]
    }
}
