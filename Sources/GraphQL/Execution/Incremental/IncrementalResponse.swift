/// The payloads of a response: one complete response, or a first payload and those of its deferred parts.
public struct IncrementalResponse: Sendable {
    /// The complete response, or the first payload.
    public let first: GraphQLResponse
    /// The other payloads; nil if the first is complete.
    ///
    /// If it is released before its end, the loads of the deferred parts are cancelled.
    public var rest: ResponseStream? { publisher.map(ResponseStream.init) }

    /// The writer of the other payloads.
    let publisher: PublisherReference?

    init(_ first: GraphQLResponse, rest publisher: PublisherReference? = nil) {
        (self.first, self.publisher) = (first, publisher)
    }

    /// All payloads of an operation without loads, none of which must be awaited.
    var available: [GraphQLResponse] {
        var payloads = [first]
        while let payload = publisher?.publisher.nextAvailable() { payloads.append(payload) }
        return payloads
    }
}

/// A publisher that is passed to the one reader of its payloads.
final class PublisherReference: @unchecked Sendable {
    // Sendable, although the publisher has mutable state: only the iterator of the payloads uses it, and a
    // response stream has one reader.
    let publisher: IncrementalPublisher

    init(_ publisher: IncrementalPublisher) {
        self.publisher = publisher
    }
}

extension OperationPlan {
    /// Executes an operation with incremental delivery.
    ///
    /// - Parameters:
    ///   - variables: The coerced variables.
    ///   - context: The context that resolvers receive.
    ///   - cost: The cost of the operation, if the response reports it.
    ///   - includesAvailable: True if the first payload contains the deferred parts whose data are available.
    /// - Returns: The payloads; a closure that returns them if something must be awaited.
    func deliver(
        _ variables: VariableValues, _ context: consuming AnyContext, cost: OperationCost?,
        includesAvailable: Bool
    ) -> MaybeAsync<IncrementalResponse> {
        guard let format else { return run(variables, context, cost: cost).map { IncrementalResponse($0) } }
        let loads = DeferredLoads(timeLimit: settings.timeLimit)
        let execution = begin(variables, context, cost: cost, loads)
        // The publisher cancels the loads when it is released, also if the first payload is never written.
        let publisher = PublisherReference(IncrementalPublisher(self, execution, loads, format))
        guard let awaited = start(execution) else {
            return .ready(firstPayload(execution, publisher, includesAvailable))
        }
        return .async { [self] in
            await finish(awaited, of: execution)
            return firstPayload(execution, publisher, includesAvailable)
        }
    }

    private func firstPayload(
        _ execution: Execution, _ reference: PublisherReference, _ includesAvailable: Bool
    ) -> IncrementalResponse {
        let recorder = IncrementRecorder(
            includesAvailable: includesAvailable, format: format ?? .pendingAndCompleted)
        let response = write(execution, recorder)
        let first = reference.publisher.first(response, recorder.increments)
        return IncrementalResponse(first, rest: reference.publisher.hasEnded ? nil : reference)
    }
}
