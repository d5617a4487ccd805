/// A selection on one of the possible types of an interface or union, planned once for all places where the same is
/// selected from the same type.
///
/// Its loads and arguments have slots of their own, in a frame that each place makes for each run: so places can share
/// it. Were each place planned by itself, then a value within a value within a value, each of one of ten types, would
/// be planned a thousand times.
final class FragmentPlan: Sendable {
    let selection: ObjectPlan
    private let slotCount: Int
    private let steps: [SetupStep]

    init(_ selection: ObjectPlan, slotCount: Int, _ steps: [SetupStep]) {
        self.selection = selection
        self.slotCount = slotCount
        self.steps = steps
    }

    /// Whether something must be prepared before a value can be written.
    var needsFrame: Bool { slotCount > 0 }

    /// A frame for the values of one place; nil where none is needed.
    func frame(of execution: Execution) -> Execution? {
        guard needsFrame else { return nil }
        let frame = execution.frame(slotCount: slotCount)
        for step in steps { step.run(in: frame) }
        return frame
    }

    /// What is selected from which type, by where the selection sets stand in the document.
    struct Key: Hashable {
        private let object: ObjectIdentifier
        private let starts: [UInt32]

        init(_ object: BoundObject, _ selectionSets: [SelectionSet]) {
            self.object = ObjectIdentifier(object)
            starts = selectionSets.map(\.selections.start)
        }
    }
}
