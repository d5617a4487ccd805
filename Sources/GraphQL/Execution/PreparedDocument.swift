import Synchronization

/// A document that was parsed and validated once, with its operations.
package final class PreparedDocument: Sendable {
    package let valid: ValidDocument
    /// The text in UTF-8.
    package let text: [UInt8]
    /// The digest of the text, for tables.
    let digest: UInt64
    /// True if the document contains `@defer` or `@stream`.
    let hasIncrementalDirectives: Bool
    private let operations: [PreparedOperation]
    private let wasRun = Atomic(false)
    /// The memory in bytes without the plans.
    private let ownWeight: Int

    /// Creates a prepared document.
    ///
    /// - Parameters:
    ///   - valid: The document.
    ///   - planBytes: The memory limit for the stored plans of all its operations.
    package init(_ valid: ValidDocument, planBytes: Int = .max) {
        self.valid = valid
        let text = valid.document.source.bytes
        let digest = SeededHash.digest(of: text.span)
        (self.text, self.digest) = (text, digest)
        let directives = ConditionalDirectives(valid.document)
        hasIncrementalDirectives = directives.areIncremental(in: valid.document)
        let variables = directives.conditionalVariables(in: valid.document)
        // Each operation has the same share.
        let count = max(1, valid.typed.operations.count)
        operations = valid.document.definitions.compactMap { definition in
            guard case .operation(let operation) = definition else { return nil }
            return PreparedOperation(
                operation, of: valid, digest: digest, conditionalVariables: variables,
                planBytes: planBytes / count)
        }
        // The measurements, the cost plan and the cache policy of an operation grow with the selections.
        ownWeight =
            2_048 + valid.document.weight + valid.typed.weight
            + valid.document.selections.count * PreparedDocument.selectionWeight
            + operations.count * (PreparedDocument.operationWeight + variables.heapWeight)
    }

    private static let selectionWeight = 96
    private static let operationWeight = 1_024

    /// The approximate memory in bytes, with the plans that are stored now.
    package var weight: Int { operations.reduce(ownWeight) { $0 + $1.planWeight } }

    /// Records a run; returns true if one of the operations was run before.
    func markRun() -> Bool {
        wasRun.load(ordering: .relaxed) || wasRun.exchange(true, ordering: .relaxed)
    }

    /// Returns the operation that a request names (specification, section 6.1, GetOperation).
    package func operation(named name: String?) throws(GraphQLErrors) -> PreparedOperation {
        guard let name else {
            if operations.count > 1 {
                throw PreparedDocument.unresolved(
                    "Must provide operation name if query contains multiple operations.")
            }
            guard let only = operations.first else {
                throw PreparedDocument.unresolved("Must provide an operation.")
            }
            return only
        }
        guard let named = operations.first(where: { $0.name?.hasSameBytes(as: name) == true }) else {
            throw PreparedDocument.unresolved("Unknown operation named \"\(name.shortened())\".")
        }
        return named
    }

    private static func unresolved(_ message: String) -> GraphQLErrors {
        GraphQLErrors([
            GraphQLError(message, extensions: RequestErrorCode.operationNotResolved.extensions)
        ])
    }
}
