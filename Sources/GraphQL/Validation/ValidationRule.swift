/// A rule of validation (specification, chapter 5): a pure function of a document with its types.
///
/// Each rule stands in a file of its own, as a static member here.
struct ValidationRule: Sendable {
    /// The specification's heading for the rule.
    let name: String
    /// What the document does against the rule; empty where it keeps it.
    let check: @Sendable (TypedDocument) -> [ValidationFinding]
}

/// One breach of a rule.
struct ValidationFinding {
    /// When a visitor that walks through the document would come upon it.
    let position: VisitPosition
    /// The places that the error names, in order.
    let spans: [SourceSpan]
    /// Words the error.
    ///
    /// Only errors that are reported are worded: suggestions cost more than finding the error.
    let message: () -> String

    init(_ position: VisitPosition, at spans: [SourceSpan], message: @escaping () -> String) {
        self.position = position
        self.spans = spans
        self.message = message
    }
}

/// A moment in a walk through the document, in depth-first order of the text.
///
/// The reference implementation reports errors in the order in which one walk, with all rules taking part, comes
/// upon them. Here each rule has a loop of its own, and the errors are sorted by these positions.
struct VisitPosition: Comparable {
    private let offset: UInt32
    private let phase: Phase
    private let tieBreak: UInt32

    private enum Phase: UInt8 {
        case leaving, entering
    }

    /// Before anything else.
    static let start = VisitPosition(offset: 0, phase: .leaving, tieBreak: 0)
    /// After everything else.
    static let end = VisitPosition(offset: .max, phase: .entering, tieBreak: 0)

    /// The walk comes to a node.
    static func entering(_ span: SourceSpan) -> VisitPosition {
        VisitPosition(offset: span.start, phase: .entering, tieBreak: 0)
    }

    /// The walk has been through a node.
    ///
    /// Of nodes that end together the inner one is left first.
    static func leaving(_ span: SourceSpan) -> VisitPosition {
        VisitPosition(offset: span.end, phase: .leaving, tieBreak: .max - span.start)
    }

    static func < (one: VisitPosition, other: VisitPosition) -> Bool {
        if one.offset != other.offset { return one.offset < other.offset }
        if one.phase != other.phase { return one.phase.rawValue < other.phase.rawValue }
        return one.tieBreak < other.tieBreak
    }
}

extension ValidationRule {
    /// The rules of the specification, in the order of the reference implementation: errors at one place follow it.
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
