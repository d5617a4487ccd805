import NIOHTTP1

/// The errors of the fake Saxo; `SandboxResponse.init(_:)` below writes the bodies.
enum FakeSaxoError: Error, Hashable {
    /// No valid token, or data of another client; the body is empty.
    case unauthorized
    /// The body is empty.
    case notFound
    /// The app or the user has no permission.
    case forbidden
    case rateLimitExceeded
    /// Invalid fields, with their messages.
    case invalidModel([String: [String]])
    case badRequest(code: String, message: String)
    /// A rejected order: status 400, or 200 by ``FakeSaxoSettings/rejectsOrdersWithOK``.
    case order(FakeSaxoOrderError)
    /// An order whose disclaimers the user must accept first: `PreTradeDisclaimers`.
    case disclaimers(JSONDocument)
    case conflict(code: String, message: String)

    /// Creates an error for one invalid field.
    static func invalid(_ field: String, _ message: String) -> FakeSaxoError {
        .invalidModel([field: [message]])
    }
}

/// The error codes of rejected orders.
enum FakeSaxoOrderError: String, Error, Hashable {
    case amountBelowMinimum = "AmountBelowMinimumLotSize"
    case amountNotInLots = "AmountNotInLotSize"
    case extendedHoursChanged = "ExtendedHoursTradingCannotBeChanged"
    case illegalInstrument = "IllegalInstrumentId"
    case illegalTypeChange = "IllegalOrderTypeChange"
    case instrumentNotAllowed = "InstrumentNotAllowed"
    case marketClosed = "MarketClosed"
    case onWrongSideOfMarket = "OnWrongSideOfMarket"
    case orderNotFound = "OrderNotFound"
    case orderNotPlaced = "OrderNotPlaced"
    /// An order was not cancelled, because one before it in the same request could not be.
    case otherNotCancelled = "None"
    case priceNotInTicks = "PriceNotInTickSizeIncrements"
    case tooFarFromMarket = "TooFarFromMarket"
    case tooLateToCancel = "TooLateToCancelOrder"
    /// Saxo stopped waiting for the exchange: the order may have been placed.
    case tradeNotCompleted = "TradeNotCompleted"
    case wouldExceedMargin = "WouldExceedMargin"

    var message: String {
        switch self {
        case .amountBelowMinimum: "Amount is below the minimum lot size"
        case .amountNotInLots: "Amount is not a multiple of the lot size"
        case .extendedHoursChanged: "Value of Extended trading hours cannot be changed."
        case .illegalInstrument: "Illegal instrument"
        case .illegalTypeChange: "Illegal order type change"
        case .instrumentNotAllowed: "Instrument is not allowed"
        case .marketClosed: "Market is closed"
        case .onWrongSideOfMarket: "Price is on wrong side of market"
        case .orderNotFound: "Order not found"
        case .orderNotPlaced: "Order could not be placed"
        case .otherNotCancelled: "Cancellation of another order failed"
        case .priceNotInTicks: "Price is not in tick size increments"
        case .tooFarFromMarket: "Price is too far from market"
        case .tooLateToCancel: "It is too late to cancel this order"
        case .tradeNotCompleted: "Trade request could not be completed at this time"
        case .wouldExceedMargin: "Order would exceed margin"
        }
    }

    /// `ErrorInfo`.
    var info: JSONDocument { ["ErrorCode": .string(rawValue), "Message": .string(message)] }
}

extension SandboxResponse {
    init(_ error: FakeSaxoError, _ settings: FakeSaxoSettings) {
        self =
            switch error {
            case .unauthorized: SandboxResponse(status: .unauthorized)
            case .notFound: SandboxResponse(status: .notFound)
            case .forbidden: .saxo(.forbidden, "Forbidden", "The user has no access to these data")
            case .rateLimitExceeded: .saxo(.tooManyRequests, "RateLimitExceeded", "Rate limit exceeded")
            case .invalidModel(let fields):
                .json(
                    [
                        "ErrorCode": "InvalidModelState",
                        "Message": "One or more properties of the request are invalid!",
                        "ModelState": .object(
                            fields.sorted { $0.key < $1.key }.map {
                                .init(name: $0.key, value: .array($0.value.map { .string($0) }))
                            }),
                    ], status: .badRequest)
            case .badRequest(let code, let message): .saxo(.badRequest, code, message)
            case .order(let error): .saxo(rejection: error.info, settings)
            case .disclaimers(let pending):
                // The code is not documented.
                .saxo(
                    rejection: [
                        "ErrorCode": "DisclaimersNotAccepted",
                        "Message": "Disclaimers must be accepted before the order is placed.",
                        "PreTradeDisclaimers": pending,
                    ], settings)
            case .conflict(let code, let message): .saxo(.conflict, code, message)
            }
    }

    private static func saxo(rejection info: JSONDocument, _ settings: FakeSaxoSettings) -> SandboxResponse {
        settings.rejectsOrdersWithOK
            ? .json(["ErrorInfo": info])
            : .json(settings.wrapsOrderErrors ? ["ErrorInfo": info] : info, status: .badRequest)
    }

    private static func saxo(_ status: HTTPResponseStatus, _ code: String, _ message: String)
        -> SandboxResponse
    {
        .json(["ErrorCode": .string(code), "Message": .string(message)], status: status)
    }

    /// Returns the response of Saxo or its edge for a scripted status.
    static func saxo(status code: Int) -> SandboxResponse {
        let status = HTTPResponseStatus(statusCode: code)
        switch code {
        case 401, 404: return SandboxResponse(status: status)
        case 429: return .saxo(status, "RateLimitExceeded", "Rate limit exceeded")
        // The edge answers for an unavailable service, with HTML.
        case 502, 503, 504:
            return .text(
                "<HTML><HEAD><TITLE>\(status.reasonPhrase)</TITLE></HEAD></HTML>\n", type: "text/html",
                status: status)
        default: return .saxo(status, "InternalError", status.reasonPhrase)
        }
    }
}
