package import Brokerage
package import Upstream

/// `PreTradeDisclaimers` of a check or a rejection of an order (developer.saxo, "Pre-trade disclaimers").
struct SaxoPendingDisclaimers: JSONDecodable, Hashable {
    /// The disclaimers that the user must accept; without those whose names cannot be a part of an id.
    var references: [OrderDisclaimer.Reference] = []

    /// The maximum number of disclaimers of one order; the next check of the order has others.
    private static let maximumCount = 20

    init(json reader: inout JSONReader) throws(JSONError) {
        var (context, tokens) = (String?.none, [String]())
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DisclaimerContext": context = try reader.idOrNil()
            case "DisclaimerTokens": tokens = try reader.strings()
            default: try reader.skip()
            }
        }
        let known = try reader.required(context, "DisclaimerContext")
        references = tokens.prefix(Self.maximumCount).compactMap { token in
            OrderDisclaimer.Reference(context: known, token: token)
        }
    }

    /// Reads the member of an order; nil for null.
    ///
    /// Without readable names it is still known that there are disclaimers.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> [OrderDisclaimer.Reference]? {
        guard try !reader.null() else { return nil }
        switch try reader.row(Self.init(json:)) {
        case .success(let pending): return pending.references
        case .failure: return []
        }
    }
}

/// A row of `GET /dm/v2/disclaimers`.
package struct SaxoDisclaimer: JSONObjectDecodable, Hashable {
    package var token = ""
    var title: String?
    var body: String?
    /// A disclaimer that does not state it is not accepted.
    package var isBlocking = true
    var conditions: [Condition] = []

    /// What the user must do to accept a disclaimer.
    struct Condition: JSONObjectDecodable, Hashable {
        var type = ""
        var label: String?
        var inputText: String?

        static let json = JSONFields(Self()) {
            $0.required("Type", \.type)
            $0.optional("Label", \.label)
            $0.optional("InputText", \.inputText)
        }
    }

    package static let json = JSONFields(Self()) {
        $0.required("DisclaimerToken", \.token)
        $0.optional("Title", \.title)
        $0.optional("Body", \.body)
        $0.optional("IsBlocking", \.isBlocking)
        // A disclaimer with an unreadable condition is unreadable: its user would accept it without the condition.
        $0.optional("Conditions", \.conditions)
    }

    /// The most bytes of a text.
    ///
    /// A part of a longer text must not pass for the whole.
    private static let maximumTextLength = 65_536

    /// The disclaimer of a check of an order; nil for one that cannot be shown as a whole: its texts are too long, or its
    /// conditions are of an unknown type or have no text.
    func disclaimer(as reference: OrderDisclaimer.Reference) -> OrderDisclaimer? {
        var disclaimer = OrderDisclaimer(
            reference: reference, title: title, body: body, isBlocking: isBlocking)
        for condition in conditions {
            switch condition.type {
            case "Checkbox":
                guard let label = condition.label else { return nil }
                disclaimer.confirmations.append(label)
            case "UserInput":
                guard let text = condition.inputText, disclaimer.requiredText == nil else { return nil }
                disclaimer.requiredText = text
            default: return nil
            }
        }
        let texts = disclaimer.confirmations + [title, body, disclaimer.requiredText].compactMap(\.self)
        let length = texts.reduce(0) { $0 + $1.utf8.count }
        return length <= Self.maximumTextLength ? disclaimer : nil
    }
}

extension SaxoClient {
    /// The texts of disclaimers: `GET /dm/v2/disclaimers`.
    package func disclaimers(
        _ references: [OrderDisclaimer.Reference], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<OrderDisclaimer.Reference, OrderDisclaimer> {
        guard !references.isEmpty else { return [:] }
        let url = try address(
            .disclaimers, ["v2", "disclaimers"],
            Set(references.map(\.token)).sorted().map { ("DisclaimerTokens", $0) })
        let page = try await get("disclaimers", .disclaimers, url, in: context) {
            response throws(JSONError) in
            try SaxoPage<SaxoDisclaimer>(response)
        }
        var results = KeyedResults<OrderDisclaimer.Reference, OrderDisclaimer>()
        let rows = Dictionary(page.items.map { ($0.token, $0) }) { first, _ in first }
        for reference in references {
            if let row = rows[reference.token] {
                results[reference] = row.disclaimer(as: reference)
                if results[reference] == nil {
                    results.failures[reference] = ProviderFailure(.saxo, .invalidResponse(nil))
                }
            } else if let failure = page.failures.first {
                results.failures[reference] = ProviderFailure(.saxo, .invalidResponse(failure))
            }
        }
        return results
    }

    /// Registers the user's acceptance of a disclaimer: `POST /dm/v2/disclaimers`.
    package func accept(
        _ disclaimer: OrderDisclaimer.Reference, typing text: String?, in context: CallContext
    ) async throws(ProviderFailure) {
        var body = JSONObjectText()
        body.add("DisclaimerContext", disclaimer.context)
        body.add("DisclaimerToken", disclaimer.token)
        body.add("ResponseType", "Accepted")
        body.add("UserInput", text)
        try await write(
            "accept disclaimer", .disclaimers, .post, try address(.disclaimers, ["v2", "disclaimers"]),
            body: body.bytes, in: context, read: { _ throws(JSONError) in () })
    }
}
