import Brokerage
import GraphQL
import PorticoCore
import Upstream

/// Disclaimers that brokers require before an order.
package struct DisclaimerService: Sendable {
    let scope: RequestScope
}

extension DisclaimerService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope)
    }

    /// The texts of the disclaimers of orders; an item that the broker does not return as a whole is an error.
    func disclaimers(
        of pending: [PendingDisclaimers?]
    ) -> MaybeAsync<BatchResults<BatchResults<ConnectedDisclaimer>?>> {
        .each(pending) { pending in
            guard let pending else { return .ready(nil) }
            guard !pending.references.isEmpty, let tradingAPI = pending.connection.orders else {
                return .ready([])
            }
            return .async {
                try await self.disclaimers(pending.references, at: tradingAPI, by: pending.connection)
            }
        }
    }

    private func disclaimers(
        _ references: [OrderDisclaimer.Reference], at tradingAPI: any TradingAPI,
        by connection: BrokerConnection
    ) async throws(FieldError) -> BatchResults<ConnectedDisclaimer> {
        let found: KeyedResults<OrderDisclaimer.Reference, OrderDisclaimer>
        do throws(ProviderFailure) {
            found = try await tradingAPI.disclaimers(references, in: scope.call)
        } catch {
            throw FieldError(error)
        }
        return references.map { reference in
            if let disclaimer = found[reference] {
                return .success(ConnectedDisclaimer(disclaimer: disclaimer, connection: connection))
            }
            let failure = found.failures[reference] ?? ProviderFailure(connection.provider, .notFound)
            return .failure(FieldError(failure))
        }
    }

    /// Accepts disclaimers at the brokers that named them: none, unless each of them can be accepted.
    ///
    /// - Throws: `FieldError` UNSUPPORTED for a call of a tool, BAD_USER_INPUT for too many ids or a wrong text, NOT_FOUND
    ///   for an id that the user's brokers do not know, CONFLICT for a disclaimer that blocks the order.
    func accept(_ ids: [String], typing text: String?) throws -> MaybeAsync<AcceptDisclaimersPayload?> {
        guard !scope.isToolCall else { throw FieldError.notByTools }
        guard ids.count <= ConnectedDisclaimer.maximumCount else {
            throw FieldError.argument(
                "ids",
                "It has \(ids.count) entries; at most \(ConnectedDisclaimer.maximumCount) are accepted at a time."
            )
        }
        let connections = try ConnectionDirectory(scope).connections(with: nil)
        let named = try ids.enumerated().map { index, id in
            for connection in connections {
                if let reference = ConnectedDisclaimer.reference(id, of: connection) {
                    return (connection, reference)
                }
            }
            throw FieldError.noDisclaimer(index)
        }
        return .async {
            var accepted: [ConnectedDisclaimer] = []
            for (index, (connection, reference)) in named.enumerated() {
                accepted.append(
                    try await self.acceptable(reference, of: connection, typing: text, at: index))
            }
            // A separate task, so that the others are accepted if the client disconnects.
            try await Task { try await self.send(accepted, typing: text) }.value
            return AcceptDisclaimersPayload(acceptedIDs: ids)
        }
    }

    /// A disclaimer that the user can accept with a text.
    private func acceptable(
        _ reference: OrderDisclaimer.Reference, of connection: BrokerConnection, typing text: String?,
        at index: Int
    ) async throws -> ConnectedDisclaimer {
        guard let tradingAPI = connection.orders else { throw FieldError.noDisclaimer(index) }
        let connected: ConnectedDisclaimer
        do {
            let found = try await disclaimers([reference], at: tradingAPI, by: connection)
            guard let first = try found.first?.get() else { throw FieldError.noDisclaimer(index) }
            connected = first
        } catch let error as FieldError where [.notFound, .unsupported].contains(error.code) {
            throw FieldError.noDisclaimer(index)
        }
        guard !connected.disclaimer.isBlocking else {
            throw FieldError.argument(
                "ids[\(index)]", code: .conflict,
                "\(connection.provider.name.text) blocks the order with this disclaimer, which cannot be accepted. Do not place the order.",
                provider: connection.provider)
        }
        if let required = connected.disclaimer.requiredText, required != text {
            throw FieldError.argument(
                "typedText",
                "It is not the `requiredText` of ids[\(index)], which the user must type exactly.",
                provider: connection.provider)
        }
        return connected
    }

    private func send(_ disclaimers: [ConnectedDisclaimer], typing text: String?) async throws(FieldError) {
        for (index, connected) in disclaimers.enumerated() {
            do throws(ProviderFailure) {
                try await connected.connection.orders?.accept(
                    connected.disclaimer.reference,
                    typing: connected.disclaimer.requiredText == nil ? nil : text, in: scope.call)
            } catch {
                var failure = FieldError(error)
                if error.cause == .unsupported { failure = .noDisclaimer(index) }
                failure.argument = "ids[\(index)]"
                throw failure
            }
        }
    }
}

extension FieldError {
    fileprivate static let notByTools = FieldError(
        .unsupported,
        "A tool cannot accept a disclaimer, because the person who trades must read it. Show it to the person."
    )

    fileprivate static func noDisclaimer(_ index: Int) -> FieldError {
        .argument(
            "ids[\(index)]", code: .notFound,
            "None of the user's brokers requires this disclaimer. Preview the order again, and use the new ids."
        )
    }
}
