/// A validation rule (specification, chapter 5): a pure function of a typed document.
struct ValidationRule: Sendable {
    /// The heading of the rule in the specification.
    let name: String
    /// Returns the violations of the rule; empty if there are none.
    let check: @Sendable (TypedDocument) -> [ValidationFinding]
}

/// A violation of a rule.
struct ValidationFinding {
    /// The position at which a traversal of the document finds the violation.
    let position: TraversalPosition
    /// The positions of the error, in order.
    let spans: [SourceSpan]
    /// Returns the message.
    ///
    /// Only messages of reported errors are computed, because suggestions cost more than finding the error.
    let message: () -> String

    init(_ position: TraversalPosition, at spans: [SourceSpan], message: @escaping () -> String) {
        self.position = position
        self.spans = spans
        self.message = message
    }
}

/// A position in a depth-first traversal of the document.
///
/// The reference implementation reports errors in the order of one traversal with all rules. Here each rule
/// is a separate loop, and the errors are sorted by these positions.
struct TraversalPosition: Comparable {
    private let offset: UInt32
    private let phase: Phase
    private let tieBreak: UInt32

    private enum Phase: UInt8 {
        case leaving, entering
    }

    /// The position before all others.
    static let start = TraversalPosition(offset: 0, phase: .leaving, tieBreak: 0)
    /// The position after all others.
    static let end = TraversalPosition(offset: .max, phase: .entering, tieBreak: 0)

    /// Returns the position at the start of a node.
    static func entering(_ span: SourceSpan) -> TraversalPosition {
        TraversalPosition(offset: span.start, phase: .entering, tieBreak: 0)
    }

    /// Returns the position after a node.
    ///
    /// Of nodes with the same end, the inner one precedes the outer one.
    static func leaving(_ span: SourceSpan) -> TraversalPosition {
        TraversalPosition(offset: span.end, phase: .leaving, tieBreak: .max - span.start)
    }

    static func < (one: TraversalPosition, other: TraversalPosition) -> Bool {
        if one.offset != other.offset { return one.offset < other.offset }
        if one.phase != other.phase { return one.phase.rawValue < other.phase.rawValue }
        return one.tieBreak < other.tieBreak
    }
}

extension ValidationRule {
    /// The rules of the specification in the order of the reference implementation, which is the order of
    /// errors at one position.
    static let all: [ValidationRule] = [
        .executableDefinitions,
        .knownOperationTypes,
        .uniqueOperationNames,
        .loneAnonymousOperation,
        .singleFieldSubscriptions,
        .knownTypeNames,
        .fragmentsOnCompositeTypes,
        .variablesAreInputTypes,
        .scalarLeafs,
        .fieldsOnCorrectType,
        .uniqueFragmentNames,
        .knownFragmentNames,
        .noUnusedFragments,
        .possibleFragmentSpreads,
        .noFragmentCycles,
        .uniqueVariableNames,
        .noUndefinedVariables,
        .noUnusedVariables,
        .knownDirectives,
        .uniqueDirectivesPerLocation,
        .deferStreamDirectiveOnRootField,
        .deferStreamDirectiveOnValidOperations,
        .deferStreamDirectiveLabel,
        .streamDirectiveOnListField,
        .knownArgumentNames,
        .uniqueArgumentNames,
        .valuesOfCorrectType,
        .providedRequiredArguments,
        .variablesInAllowedPosition,
        .overlappingFieldsCanBeMerged,
        .uniqueInputFieldNames,
        .maxIntrospectionDepth,
    ]
}
