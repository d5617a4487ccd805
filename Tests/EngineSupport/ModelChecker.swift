import Testing

/// A system of several processes, whose steps can be executed in any order.
package protocol CheckedModel {
    associatedtype State: Hashable

    var initial: State { get }

    /// All steps that are possible in a state, with the states after them.
    func steps(from state: State) -> [(name: String, state: State)]

    /// The rule that a state violates; nil for none.
    func violation(of state: State) -> String?
}

extension CheckedModel {
    /// Examines every state that can be reached, by breadth first search.
    ///
    /// - Parameter limit: A larger number of states is a failure of the test: then not all were examined.
    /// - Returns: The number of states, and the shortest way to a violation.
    /// - Throws: A failure of the test if there are too many states.
    package func check(limit: Int = 2_000_000) throws -> (
        states: Int, violation: (rule: String, steps: [String])?
    ) {
        var states = [initial]
        var known: Set<State> = [initial]
        var origins: [(previous: Int, step: String)] = [(0, "")]
        var next = 0
        while next < states.count {
            if let rule = violation(of: states[next]) {
                var steps: [String] = []
                var index = next
                while index > 0 {
                    steps.append(origins[index].step)
                    index = origins[index].previous
                }
                return (states.count, (rule, steps.reversed()))
            }
            for (name, state) in steps(from: states[next]) where known.insert(state).inserted {
                states.append(state)
                origins.append((next, name))
            }
            next += 1
            try #require(states.count < limit, "too many states to examine them all")
        }
        return (states.count, nil)
    }
}
