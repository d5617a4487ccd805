/// The responses of a subscription, one for each event of its source stream (specification, section 6.2.3).
///
/// Reading is pull-based: the next event is requested when the reader requests the next response. A slow
/// reader therefore buffers nothing beyond the source stream's own buffer. It never throws; an error that
/// ends the source stream is in a last response.
public struct ResponseStream: AsyncSequence, Sendable {
    private enum Source {
        case single(ExecutionArguments)
        case events(ExecutionArguments, any AsyncSequence<SourceEvent, any Error> & Sendable)
        case responses(AsyncStream<GraphQLResponse>)
        case payloads(PublisherReference)
    }

    private let source: Source

    /// True if there is a response for each event, rather than a single one or its payloads.
    package var isSubscription: Bool {
        switch source {
        case .single, .payloads: false
        case .events, .responses: true
        }
    }

    init(single run: ExecutionArguments) {
        source = .single(run)
    }

    init(_ run: ExecutionArguments, _ events: any AsyncSequence<SourceEvent, any Error> & Sendable) {
        source = .events(run, events)
    }

    /// Creates the payloads of a response after the first.
    init(_ publisher: PublisherReference) {
        source = .payloads(publisher)
    }

    /// Creates a stream of finished responses.
    package init(_ responses: AsyncStream<GraphQLResponse>) {
        source = .responses(responses)
    }

    /// Starts reading.
    ///
    /// A stream has one reader: a second one would share the source stream's events with it.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .single(let run): Iterator(state: .single(run))
        case .events(let run, let events): Iterator(state: .events(run, events.makeAsyncIterator()))
        case .responses(let responses): Iterator(state: .responses(responses.makeAsyncIterator()))
        case .payloads(let publisher): Iterator(state: .payloads(publisher))
        }
    }

    /// Reads responses.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum State {
            case single(ExecutionArguments)
            case events(ExecutionArguments, any AsyncIteratorProtocol<SourceEvent, any Error>)
            case responses(AsyncStream<GraphQLResponse>.Iterator)
            case payloads(PublisherReference)
            case ended
        }

        fileprivate var state: State

        /// Returns the next response; nil after the last one.
        public mutating func next() async -> GraphQLResponse? {
            await next(isolation: nil)
        }

        /// Returns the next response, for a caller on an actor; nil after the last one.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> GraphQLResponse? {
            switch state {
            case .ended:
                return nil
            case .single(let run):
                state = .ended
                let delivery = run.plan.deliver(
                    run.variables, run.context, cost: run.cost, includesAvailable: true)
                guard let response = try? await delivery.value() else { return nil }
                if let rest = response.publisher { state = .payloads(rest) }
                return response.first
            case .responses(var responses):
                let response = await responses.next(isolation: actor)
                state = response == nil ? .ended : .responses(responses)
                return response
            case .payloads(let reference):
                let payload = await reference.publisher.next(isolation: actor)
                if payload == nil { state = .ended }
                return payload
            case .events(let run, var events):
                do {
                    let event = try await events.next(isolation: actor)
                    guard let event, let context = run.contextOfEvent else {
                        state = .ended
                        return nil
                    }
                    state = .events(run, events)
                    return await run.plan.respond(to: event, run.variables, context, cost: run.cost)
                } catch {
                    state = .ended
                    if error is CancellationError { return nil }
                    let presented = run.plan.settings.presenter.present(error, path: [], locations: [])
                    return GraphQLResponse(requestErrors: [presented])
                }
            }
        }
    }
}

/// The error that a subscription did not start.
public struct SubscriptionError: Error {
    /// The response with the reason.
    public let response: GraphQLResponse

    /// Creates an error from a response.
    public init(_ response: GraphQLResponse) {
        self.response = response
    }
}

/// An operation that is ready to run.
struct ExecutionArguments: Sendable {
    let plan: OperationPlan
    let variables: VariableValues
    let cost: OperationCost?
    let context: AnyContext
    /// Returns the context of each event of a subscription, nil to end it.
    ///
    /// If this closure is nil, all events have the same context.
    let renewedContext: (@Sendable () -> AnyContext?)?

    /// The context of the response to an event; nil to end the subscription.
    fileprivate var contextOfEvent: AnyContext? {
        guard let renewedContext else { return context }
        return renewedContext()
    }
}
