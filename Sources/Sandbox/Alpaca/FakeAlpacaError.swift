import Brokerage
import NIOHTTP1

/// Why Alpaca refuses a request; the bodies are in `SandboxResponse.init(_:)` below.
enum FakeAlpacaError: Error, Hashable {
    case unauthorized(message: String)
    /// Keys of the other environment, or none at all: the edge answers.
    case forbidden
    case positionDoesNotExist
    case endpointNotFound
    case rateLimitExceeded
    case invalidSymbol(String)
    case assetNotFound(String)
    /// One symbol's snapshot, where there is no such symbol.
    case noSnapshot(String)
    /// The plan does not include what is asked for.
    case notSubscribed(String)
    /// A parameter of the data host that does not fit.
    case badRequest(String)
    /// A parameter of the trading host that does not fit.
    case unprocessable(String)
    /// A member of a body that is missing or does not fit.
    case invalid(String)
    /// A body that is no JSON document.
    case malformedBody
    case orderNotFound(String)
    case watchlistNotFound
    case duplicateClientOrderID
    /// In dollars.
    case insufficientBuyingPower(available: Decimal, cost: Decimal)
    /// In shares.
    case insufficientQuantity(symbol: String, requested: Decimal, existing: Decimal, available: Decimal)
    /// A bound of the sandbox's own.
    case tooMany(String)
}

extension SandboxResponse {
    init(_ error: FakeAlpacaError) {
        self =
            switch error {
            case .unauthorized(let message): .alpaca(.unauthorized, code: 40_110_000, message)
            case .forbidden: .json(["message": "forbidden."], status: .forbidden)
            case .positionDoesNotExist: .alpaca(.notFound, code: 40_410_000, "position does not exist")
            case .endpointNotFound: .alpaca(.notFound, code: 40_410_000, "endpoint not found")
            case .rateLimitExceeded: .alpaca(.tooManyRequests, code: 42_910_000, "rate limit exceeded")
            case .invalidSymbol(let symbol): .message(.badRequest, "invalid symbol: \(symbol)")
            case .assetNotFound(let wanted):
                .alpaca(.notFound, code: 40_410_000, "asset not found for \(wanted)")
            case .noSnapshot(let symbol): .message(.notFound, "no snapshot found for \(symbol)")
            case .notSubscribed(let message): .message(.forbidden, message)
            case .badRequest(let message): .message(.badRequest, message)
            case .unprocessable(let message): .alpaca(.unprocessableEntity, code: 42_210_000, message)
            case .invalid(let message): .alpaca(.unprocessableEntity, code: 40_010_001, message)
            case .malformedBody:
                .alpaca(.badRequest, code: 40_010_000, "request body format is invalid")
            case .orderNotFound(let id): .alpaca(.notFound, code: 40_410_000, "order not found for \(id)")
            case .watchlistNotFound: .alpaca(.notFound, code: 40_410_000, "watchlist not found")
            case .duplicateClientOrderID:
                .alpaca(.unprocessableEntity, code: 40_010_001, "client_order_id must be unique")
            case .insufficientBuyingPower(let available, let cost):
                .json(
                    [
                        "buying_power": .text(available), "code": 40_310_000, "cost_basis": .text(cost),
                        "message": "insufficient buying power",
                    ], status: .forbidden)
            case .insufficientQuantity(let symbol, let requested, let existing, let available):
                .insufficientQuantity(symbol, requested, existing, available)
            case .tooMany(let message): .alpaca(.forbidden, code: 40_310_000, message)
            }
    }

    private static func insufficientQuantity(
        _ symbol: String, _ requested: Decimal, _ existing: Decimal, _ available: Decimal
    ) -> SandboxResponse {
        let (wanted, free) = (requested.withoutTrailingZeros, available.withoutTrailingZeros)
        // What is available is never more than what is held, so that their difference is a number too.
        let held = (try? existing - available) ?? .zero
        return .json(
            [
                "available": .text(available), "code": 40_310_000, "existing_qty": .text(existing),
                "held_for_orders": .text(held),
                "message":
                    .string(
                        "insufficient qty available for order (requested: \(wanted), available: \(free))"),
                "symbol": .string(symbol),
            ], status: .forbidden)
    }

    private static func alpaca(_ status: HTTPResponseStatus, code: Int, _ message: String) -> SandboxResponse
    {
        .json(["code": JSONDocument(integerLiteral: code), "message": .string(message)], status: status)
    }

    private static func message(_ status: HTTPResponseStatus, _ message: String) -> SandboxResponse {
        .json(["message": .string(message)], status: status)
    }

    /// What Alpaca or the proxy before it says for a status that a script demands.
    static func alpaca(status code: Int) -> SandboxResponse {
        let status = HTTPResponseStatus(statusCode: code)
        switch code {
        case 429: return SandboxResponse(.rateLimitExceeded)
        // The balancer answers for a service that is gone, and it speaks HTML.
        case 502, 503, 504:
            return .text(
                "<html><head><title>\(code) \(status.reasonPhrase)</title></head></html>\n",
                type: "text/html",
                status: status)
        case 500: return .alpaca(status, code: 50_010_000, "internal server error occurred")
        default: return .alpaca(status, code: code * 100_000, status.reasonPhrase.lowercased())
        }
    }
}

extension SandboxRequest {
    /// A whole number of the query; throws where it is none or outside of the range.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(FakeAlpacaError) -> Int? {
        guard let text = self[query: name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badRequest("invalid \(name): must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// One of a few words of the query, or several with commas between them; throws for any other.
    func choice(_ name: String, of words: [String], isList: Bool = false) throws(FakeAlpacaError) -> String? {
        guard let text = self[query: name] else { return nil }
        let parts = isList ? text.split(separator: ",").map(String.init) : [text]
        guard !parts.isEmpty, parts.allSatisfy(words.contains) else {
            throw .badRequest("invalid \(name): \(text)")
        }
        return text
    }

    /// A time of the query in seconds: RFC 3339, or a date, which is midnight UTC, as an end the last second of
    /// that day.
    func timestamp(_ name: String, isEnd: Bool) throws(FakeAlpacaError) -> Int? {
        guard let text = self[query: name] else { return nil }
        if let date = CalendarDate(text) { return date.daysSince1970 * 86_400 + (isEnd ? 86_399 : 0) }
        guard let instant = Instant(text) else { throw .badRequest("invalid \(name): \(text)") }
        // What begins inside a second begins after it.
        let isLater = !isEnd && instant.nanoseconds > 0
        return Int(instant.secondsSince1970) + (isLater ? 1 : 0)
    }

    /// `true` or `false`; false where it is not given.
    func flag(_ name: String) throws(FakeAlpacaError) -> Bool {
        try choice(name, of: ["true", "false"]) == "true"
    }
}
