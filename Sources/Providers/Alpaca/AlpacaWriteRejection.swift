import Brokerage
import Upstream

/// Alpaca's plain no to a write: it was understood, and nothing was done.
struct AlpacaWriteRejection: Hashable {
    let status: Int
    let code: Int?
    let message: String?

    /// Nil for what is not the trading host's own no: the edge's 403 and 404, which come without a code, say nothing about
    /// the order.
    init?(_ response: HTTPClientResponse) {
        let problem = AlpacaErrorBody(response)
        switch response.status {
        case 400, 422: break
        case 403, 404: guard problem?.code != nil else { return nil }
        default: return nil
        }
        status = response.status
        code = problem?.code
        message = problem?.message
    }
}

extension ProviderFailure.Cause {
    /// The failure that a response to a write means; nil for a response that is to be read, possibly a
    /// refusal.
    ///
    /// A response without a code leaves open whether Alpaca has received the write: a proxy before Alpaca may
    /// have sent it in place of Alpaca's response.
    init?(alpacaDesk response: HTTPClientResponse, now: Instant) {
        if AlpacaWriteRejection(response) != nil { return nil }
        self.init(alpacaOrders: response, now: now)
        guard AlpacaErrorBody(response)?.code == nil else { return }
        // Alpaca's own response to wrong keys is a 403 without a code; its 401 has one.
        if self == .notEntitled || response.status == 401 { self = .unavailable }
    }

    /// The failure that a response to a read of orders means; nil for a good response.
    ///
    /// A 404 is Alpaca's own response about an order only if it has a code: a 404 of a proxy before Alpaca
    /// does not show whether the order exists.
    init?(alpacaOrders response: HTTPClientResponse, now: Instant) {
        self.init(alpaca: response, now: now)
        if self == .notFound, AlpacaErrorBody(response)?.code == nil { self = .unavailable }
    }
}
