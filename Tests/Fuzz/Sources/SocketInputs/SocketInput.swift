import TestSupport

/// What is sent on one connection, and what must come back.
package struct SocketInput: Sendable {
    package let bytes: [UInt8]
    package let demand: Demand

    package enum Demand: Sendable, Hashable {
        /// Nothing, but that the server goes on for others.
        case survival
        /// So many responses, and then the end.
        case responses(Int)
        /// One response, an error, and then the end: what stands behind the message is not read.
        case refusal
    }

    package init(_ bytes: [UInt8], _ demand: Demand) {
        self.bytes = bytes
        self.demand = demand
    }
}

/// Makes up inputs of every kind, the same ones for the same seed.
package struct SocketInputs: Sendable {
    private var random: SplitMix

    package init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    package mutating func next() -> SocketInput {
        switch random.number(below: 100) {
        case ..<40: RequestInputs.next(&random)
        case ..<65: BodyInputs.next(&random)
        case ..<90: FrameInputs.next(&random)
        default: SmugglingInputs.next(&random)
        }
    }
}
