import Brokerage
package import Upstream

/// Saxo's response to `DELETE /trade/v2/orders/{id,id…}`.
package enum SaxoCancelResponse: Hashable {
    /// What became of each order, in the order of the request.
    case results([Outcome])
    /// The request as a whole was refused: no order is cancelled.
    case rejected(SaxoErrorInfo)
    /// The response shows nothing about any order: it may be that of a proxy, or announces a later result.
    case open

    package enum Outcome: Hashable, Sendable {
        /// Saxo cancels the order.
        case accepted
        case rejected(SaxoErrorInfo)
        /// The response does not name the order, or Saxo does not know its outcome yet.
        case open
    }

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - ids: The orders of the request.
    /// - Throws: `JSONError` for a successful response that cannot be read.
    package init(_ response: HTTPClientResponse, of ids: [String]) throws(JSONError) {
        switch response.status {
        // See `SaxoOrderResponse`.
        case 404, 409: self = .open
        case 400:
            let result = try? SaxoOrderResult(json: response.body)
            if let result, !result.others.isEmpty {
                self.init(result, of: ids)
                return
            }
            guard let problem = SaxoErrorBody(response), problem.hasError, !problem.info.isOutcomeUnknown
            else {
                self = .open
                return
            }
            self = .rejected(problem.detailedInfo)
        default:
            if response.body.isEmpty, response.status != 200 {
                self = .results(ids.map { _ in .accepted })
                return
            }
            self.init(try SaxoOrderResult(json: response.body), of: ids)
            // The result comes later, so an error may not be the outcome.
            if response.status == 202, self != .results(ids.map { _ in .accepted }) { self = .open }
        }
    }

    private init(_ result: SaxoOrderResult, of ids: [String]) {
        if let error = result.item.error, result.item.orderID == nil {
            if result.others.isEmpty {
                self = error.isOutcomeUnknown ? .open : .rejected(error)
                return
            }
            // The error contradicts an order of the list that is cancelled.
            guard result.others.allSatisfy({ $0.error != nil }) else {
                self = .open
                return
            }
        }
        let items = result.others.isEmpty ? [result.item] : result.others
        self = Self.outcomes(items, of: ids).map { .results($0) } ?? .open
    }

    /// The outcomes of orders by their results.
    ///
    /// Saxo names the order of each result in recorded responses, but not beside the error in the example of its document
    /// (Trading, `CancelOrderResponse`): there the place in the list tells which order it is, if there is a result for each.
    ///
    /// - Returns: The outcomes; nil if a result may be that of several orders.
    private static func outcomes(_ items: [SaxoOrderResult.Item], of ids: [String]) -> [Outcome]? {
        let named = items.compactMap(\.orderID)
        guard Set(named).count == named.count else { return nil }
        if named.count < items.count {
            guard items.count == ids.count, Set(named).isSubset(of: ids),
                zip(items, ids).allSatisfy({ item, id in item.orderID ?? id == id })
            else { return nil }
            return items.map(\.cancellation)
        }
        let results = Dictionary(zip(named, items)) { first, _ in first }
        return ids.map { results[$0]?.cancellation ?? .open }
    }
}

extension SaxoOrderResult.Item {
    /// What became of an order that was to be cancelled.
    fileprivate var cancellation: SaxoCancelResponse.Outcome {
        guard let error else { return orderID == nil ? .open : .accepted }
        return error.isOutcomeUnknown ? .open : .rejected(error)
    }
}

extension Order {
    /// The order after Saxo has accepted its cancellation.
    ///
    /// - Parameters:
    ///   - results: The outcomes of its legs by their ids.
    ///   - now: The time of the response.
    /// - Returns: The order and its legs, of which those that Saxo cancels are `pendingCancel`.
    func cancelled(_ results: [String: SaxoCancelResponse.Outcome], at now: Instant) -> Order {
        var order = self
        order.state = .pendingCancel
        // The exits of an entry that has not been filled end with it: Saxo responds that it is too late to cancel the first of
        // them, and does not cancel the others any more (its recorded response in OrderCancellationTests).
        let hasEntry = (filledQuantity ?? .zero).isZero
        for index in order.legs.indices {
            let leg = order.legs[index]
            let endsWithEntry = hasEntry && leg.side != side && !leg.state.isFinal
            if endsWithEntry || results[leg.id] == .accepted { order.legs[index].state = .pendingCancel }
        }
        order.provenance = Provenance(source: .saxo, fetchedAt: now)
        return order
    }
}
