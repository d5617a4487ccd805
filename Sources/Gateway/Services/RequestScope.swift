import Brokerage
package import Coordination
package import Upstream

/// What belongs to one request, which resolvers receive: its session, its client, its deadline, and the services of the process.
///
/// It has no methods that read values: each topic has a service, which is created from it.
package final class RequestScope: Sendable {
    package let session: Session
    package let services: GatewayServices
    /// The deadline of calls to providers for the request, and what records them.
    package let call: CallContext
    /// The client that sent the request.
    package let client: ClientOrigin
    /// Whether a language model executes the operation as a tool: rules of ``ToolOrders`` apply to its orders.
    let isToolCall: Bool
    /// The value that an event of a subscription carries, in the scope of its message; nil in every other scope.
    let event: EventValue?

    package convenience init(
        session: Session, services: GatewayServices, call: CallContext, client: ClientOrigin = .unknown,
        isToolCall: Bool = false
    ) {
        self.init(
            session: session, services: services, call: call, client: client, isToolCall: isToolCall,
            event: nil)
    }

    private init(
        session: Session, services: GatewayServices, call: CallContext, client: ClientOrigin,
        isToolCall: Bool, event: EventValue?
    ) {
        (self.session, self.services, self.call) = (session, services, call)
        (self.client, self.isToolCall, self.event) = (client, isToolCall, event)
    }

    /// The same scope for the message of an event.
    ///
    /// The value that the event carries is not read again.
    func showing(_ event: EventValue?) -> RequestScope {
        RequestScope(
            session: session, services: services, call: call, client: client, isToolCall: isToolCall,
            event: event)
    }

    /// The time, by the clock of the caches.
    var clock: TimeSource { services.reads.clock }

    /// The requesting user.
    ///
    /// - Throws: `FieldError` UNAUTHENTICATED if the request has no session.
    func owner() throws(FieldError) -> OwnerID {
        guard let owner = session.owner else { throw session.unauthenticated }
        return owner
    }
}
