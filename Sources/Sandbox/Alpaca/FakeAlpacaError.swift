import Brokerage
import NIOHTTP1

/// The errors of the fake Alpaca; `SandboxResponse.init(_:)` below writes the bodies.
enum FakeAlpacaError: Error, Hashable {
    case unauthorized(message: String)
    /// Keys of the other environment, or none; the response comes from the edge.
    case forbidden
    case positionDoesNotExist
    case endpointNotFound
    case rateLimitExceeded
    case invalidSymbol(String)
    case assetNotFound(String)
    /// A snapshot request for one unknown symbol.
    case noSnapshot(String)
    /// A request for the latest value of one symbol that has none.
    case noLatest(String)
    /// Data that the plan does not include.
    case notSubscribed(String)
    /// An end that is newer than the plan includes.
    case endTooLate
    /// An invalid parameter on the data host.
    case badRequest(String)
    /// An invalid parameter on the trading host.
    case unprocessable(String)
    /// A missing or invalid member of a body.
    case invalid(String)
    /// A body that is not JSON.
    case malformedBody
    case orderNotFound(String)
    case watchlistNotFound
    case duplicateClientOrderID
    /// In dollars.
    case insufficientBuyingPower(available: Decimal, cost: Decimal)
    /// In shares.
    case insufficientQuantity(symbol: String, requested: Decimal, existing: Decimal, available: Decimal)
    /// An exit that is too close to a price, in dollars.
    case beyondBasePrice(String, Decimal)
    /// An order that the configuration of the account does not allow.
    case notAllowed(String)
    /// A limit of the sandbox itself.
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
            case .invalidSymbol(let symbol):
                .message(.badRequest, "code=400, message=invalid symbol: \(symbol)")
            case .assetNotFound(let wanted):
                .alpaca(.notFound, code: 40_410_000, "asset not found for \(wanted)")
            case .noSnapshot(let symbol): .message(.notFound, "no snapshot found for \(symbol)")
            case .noLatest(let symbol): .message(.notFound, "no data found for \(symbol)")
            case .notSubscribed(let message): .message(.forbidden, message)
            case .endTooLate: .message(.unprocessableEntity, "end is too late for subscription")
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
            case .beyondBasePrice(let message, let base):
                .json(
                    ["base_price": .text(base), "code": 42_210_000, "message": .string(message)],
                    status: .unprocessableEntity)
            case .notAllowed(let message), .tooMany(let message):
                .alpaca(.forbidden, code: 40_310_000, message)
            }
    }

    private static func insufficientQuantity(
        _ symbol: String, _ requested: Decimal, _ existing: Decimal, _ available: Decimal
    ) -> SandboxResponse {
        let (wanted, free) = (requested.withoutTrailingZeros, available.withoutTrailingZeros)
        // The available amount never exceeds the existing one, so the difference is valid.
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
        .json(["code": .integer(code), "message": .string(message)], status: status)
    }

    private static func message(_ status: HTTPResponseStatus, _ message: String) -> SandboxResponse {
        .json(["message": .string(message)], status: status)
    }

    /// Returns the response of Alpaca or its proxy for a scripted status.
    static func alpaca(status code: Int) -> SandboxResponse {
        let status = HTTPResponseStatus(statusCode: code)
        switch code {
        case 429: return SandboxResponse(.rateLimitExceeded)
        // The load balancer answers for an unavailable service, with HTML.
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
    /// Returns an integer parameter of the query; throws if it is not an integer in the range.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(FakeAlpacaError) -> Int? {
        guard let text = self[query: name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badRequest("invalid \(name): must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Returns a query parameter that must be one of the given words, or with `isList` a comma-separated
    /// list of them; throws otherwise.
    func choice(_ name: String, of words: [String], isList: Bool = false) throws(FakeAlpacaError) -> String? {
        guard let text = self[query: name] else { return nil }
        let parts = isList ? text.split(separator: ",").map(String.init) : [text]
        guard !parts.isEmpty, parts.allSatisfy(words.contains) else {
            throw .badRequest("invalid \(name): \(text)")
        }
        return text
    }

    /// Returns a time parameter of the query, in seconds: RFC 3339, or a date.
    ///
    /// A date is midnight UTC; as an end, it is the last second of the day.
    func timestamp(_ name: String, isEnd: Bool) throws(FakeAlpacaError) -> Int? {
        guard let text = self[query: name] else { return nil }
        if let date = CalendarDate(text) { return date.daysSince1970 * 86_400 + (isEnd ? 86_399 : 0) }
        guard let instant = Instant(text) else { throw .badRequest("invalid \(name): \(text)") }
        // A range that starts within a second starts with the next whole second.
        let isLater = !isEnd && instant.nanoseconds > 0
        return Int(instant.secondsSince1970) + (isLater ? 1 : 0)
    }

    /// Returns a Boolean parameter of the query, in a form of Go's `strconv.ParseBool`; false if it is missing.
    ///
    /// Python's libraries send `True` and `False`.
    func flag(_ name: String) throws(FakeAlpacaError) -> Bool {
        let (yes, no) = (
            ["1", "t", "T", "true", "True", "TRUE"], ["0", "f", "F", "false", "False", "FALSE"]
        )
        return try choice(name, of: yes + no).map(yes.contains) ?? false
    }
}
