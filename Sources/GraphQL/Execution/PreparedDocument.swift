import Synchronization

/// A document that was parsed and validated once, with its operations.
final class PreparedDocument: Sendable {
    let valid: ValidDocument
    /// The text in UTF-8.
    let text: [UInt8]
    private let operations: [PreparedOperation]
    private let wasRun = Atomic(false)

    init(_ valid: ValidDocument) {
        self.valid = valid
        text = valid.document.source.bytes
        let variables = DirectiveWords(valid.document).conditionalVariables(in: valid.document)
        operations = valid.document.definitions.compactMap { definition in
            guard case .operation(let operation) = definition else { return nil }
            return PreparedOperation(operation, of: valid, conditionalVariables: variables)
        }
    }

    /// Whether one of its operations was run before; from now on one was.
    var isRunAgain: Bool {
        wasRun.load(ordering: .relaxed) || wasRun.exchange(true, ordering: .relaxed)
    }

    /// The operation that a request means (specification, section 6.1, GetOperation).
    func operation(named name: String?) throws(GraphQLErrors) -> PreparedOperation {
        guard let name else {
            if operations.count > 1 {
                throw GraphQLErrors([
                    GraphQLError("Must provide operation name if query contains multiple operations.")
                ])
            }
            guard let only = operations.first else {
                throw GraphQLErrors([GraphQLError("Must provide an operation.")])
            }
            return only
        }
        let named = operations.first { $0.definition.name.map { valid.document.text($0) } == name }
        guard let named else { throw GraphQLErrors([GraphQLError("Unknown operation named \"\(name)\".")]) }
        return named
    }
}
