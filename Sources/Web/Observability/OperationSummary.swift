import GraphQL

/// What logs and metrics tell of the operation that a response answers.
package struct OperationSummary: Sendable {
    /// As the client gives it; nil where it gives none.
    let name: String?
    /// The text of its document in UTF-8, for its hash.
    let document: [UInt8]
    let outcome: GraphQL.GraphQLResponse.Outcome
    var isMutation = false
    /// Whether it was answered before, and the answer is reused.
    var isReused = false
    /// What it has cost upstream, and how long it took; nil for what is reused.
    var upstream: UpstreamUsage?
}

extension OperationSummary {
    /// Of an operation that was run, and what came of it.
    init(_ request: PreparedRequest, _ outcome: GraphQL.GraphQLResponse.Outcome, isReused: Bool = false) {
        self.init(
            name: request.operationName, document: request.documentText, outcome: outcome,
            isMutation: request.operationType == .mutation, isReused: isReused)
    }
}

extension GraphQL.GraphQLResponse.Outcome {
    /// For logs and metrics.
    var label: String {
        switch self {
        case .complete: "complete"
        case .partial: "partial"
        case .refused: "refused"
        case .notAllowed: "not_allowed"
        }
    }
}
