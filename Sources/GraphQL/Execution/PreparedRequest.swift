/// A request after its document has been looked up, or parsed and validated, and its operation selected.
///
/// `ExecutableSchema.prepare(_:)` returns one for every request. A server reads from this value how to
/// execute, cache and log the request. Each request therefore prepares its document once, also if the
/// document is rejected. A rejected request has a value too, because it is logged, traced and streamed like
/// any other. It contains the coerced variables and not the request: a subscription that runs for days does
/// not retain other data of its request.
public struct PreparedRequest: Sendable {
    /// The name of the operation: in the request, or in the document if the client sent none; nil if it has none.
    public let operationName: String?
    /// True if the client sent `extensions`.
    package let hasExtensions: Bool
    /// True if the client requests the cost of the operation in the response's `extensions`.
    let requestsCost: Bool
    /// The format of payloads that the client requests in `extensions`, such as `{"deferSpec": "20220824"}`;
    /// nil if it requests none.
    package let incrementalFormat: IncrementalFormat?
    let state: State

    enum State: Sendable {
        /// The operation can be executed, unless its variables are invalid.
        case operation(
            PreparedOperation, of: PreparedDocument, variables: Result<VariableValues, GraphQLErrors>)
        /// The document or the operation's name is invalid.
        ///
        /// `text` is the document in UTF-8.
        case rejected(GraphQLErrors, text: [UInt8])
        /// See `init(unprepared:operationType:cachePolicy:)`.
        indirect case unprepared(GraphQLRequest, OperationType?, CachePolicy?)
    }

    init(_ request: GraphQLRequest, _ state: State) {
        if case .operation(let operation, _, _) = state {
            operationName = operation.name
        } else {
            operationName = request.operationName
        }
        hasExtensions = !request.extensions.fields.isEmpty
        requestsCost = hasExtensions && request.extensions["cost"] == .boolean(true)
        incrementalFormat = hasExtensions ? IncrementalFormat(request.extensions) : nil
        self.state = state
    }

    /// Creates a request to a service that has no executable schema, such as a mock.
    ///
    /// An executable schema that receives it prepares it first.
    ///
    /// - Parameters:
    ///   - request: The request as received.
    ///   - operationType: The value of `operationType`.
    ///   - cachePolicy: The value of `cachePolicy`.
    public init(
        unprepared request: GraphQLRequest, operationType: OperationType? = nil,
        cachePolicy: CachePolicy? = nil
    ) {
        self.init(request, .unprepared(request, operationType, cachePolicy))
    }

    /// The request as received, if no executable schema has prepared it; otherwise nil.
    public var unprepared: GraphQLRequest? {
        guard case .unprepared(let request, _, _) = state else { return nil }
        return request
    }

    /// The type of the operation; nil if the document is rejected.
    public var operationType: OperationType? {
        switch state {
        case .operation(let operation, _, _): operation.definition.type
        case .rejected: nil
        case .unprepared(_, let type, _): type
        }
    }

    /// True if the document contains `@defer` or `@stream`.
    public var hasIncrementalDirectives: Bool {
        switch state {
        case .operation(_, let document, _): document.hasIncrementalDirectives
        case .rejected, .unprepared: false
        }
    }

    /// The lifetime and the scope of the response in caches, from `@cacheControl`.
    ///
    /// Nil if the document is rejected, and if the schema does not define the directive.
    public var cachePolicy: CachePolicy? {
        switch state {
        case .operation(let operation, _, _): operation.cachePolicy()
        case .rejected: nil
        case .unprepared(_, _, let policy): policy
        }
    }

    /// The text of the document in UTF-8.
    package var documentText: [UInt8] {
        switch state {
        case .operation(_, let document, _): document.text
        case .rejected(_, let text): text
        case .unprepared(let request, _, _): Array(request.document.utf8)
        }
    }

    /// The memory in bytes that an operation retains while it runs.
    package struct Retained: Sendable {
        /// The document with its plans, which all operations that run it share; nil if it is rejected.
        package let document: (id: ObjectIdentifier, bytes: Int)?
        /// The coerced variables, and the other memory of the operation.
        package let variables: Int

        package init(document: (id: ObjectIdentifier, bytes: Int)?, variables: Int) {
            (self.document, self.variables) = (document, variables)
        }
    }

    /// The memory in bytes that the source of a subscription retains for each item of the lists in its
    /// arguments.
    ///
    /// Measured: what Portico's `quotes` retains for each symbol (see `MemoryBoundTests`).
    package static let followedItemWeight = 384

    /// See `Retained`.
    package var retained: Retained {
        switch state {
        case .operation(let operation, let document, let variables):
            let values = (try? variables.get())?.entries.map(\.value) ?? []
            var bytes = values.reduce(1_024) { $0 + 64 + ($1?.weight ?? 0) }
            if operation.definition.type == .subscription {
                let literals = document.valid.document.values.count
                let items = values.reduce(literals) { $0 + ($1?.itemCount ?? 0) }
                bytes += items * PreparedRequest.followedItemWeight
            }
            return Retained(document: (ObjectIdentifier(document), document.weight), variables: bytes)
        case .rejected, .unprepared: return Retained(document: nil, variables: 0)
        }
    }

    /// The operation in keys of caches; nil if the request cannot be executed.
    ///
    /// A response depends on it, on `cacheVariables` and on the session.
    package var cacheIdentity: OperationIdentity? {
        switch state {
        case .operation(let operation, _, .success): operation.identity
        case .operation(_, _, .failure), .rejected: nil
        case .unprepared(let request, _, _):
            OperationIdentity(document: Array(request.document.utf8), operation: nil)
        }
    }

    /// The variables in keys of caches: the coerced values of those that the operation declares, in their
    /// order.
    package var cacheVariables: [InputValue?] {
        switch state {
        case .operation(_, _, .success(let variables)): variables.entries.map(\.value)
        case .operation(_, _, .failure), .rejected: []
        case .unprepared(let request, _, _):
            [request.operationName.map { .string($0) }, .object(request.variables)]
        }
    }
}

/// An operation in keys of caches: the bytes of its document, and its name in the document.
///
/// Identities of one prepared document share its text, so they are compared by reference first. The digest
/// is computed once for each document.
package struct OperationIdentity: Hashable, Sendable {
    private let digest: UInt64
    /// The position of the operation's name; nil for the only operation of a document, if it has no name.
    private let operation: SourceSpan?
    private let document: [UInt8]

    init(document: [UInt8], operation: SourceSpan?) {
        self.init(document: document, digest: SeededHash.digest(of: document.span), operation: operation)
    }

    init(document: [UInt8], digest: UInt64, operation: SourceSpan?) {
        (self.document, self.digest, self.operation) = (document, digest, operation)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
        hasher.combine(operation?.start)
    }

    /// The memory of the identity in bytes, assuming that it is the only owner of the document.
    package var weight: Int { document.count + 128 }
}
