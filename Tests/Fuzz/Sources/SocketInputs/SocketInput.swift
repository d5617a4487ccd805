import TestSupport

/// The bytes of one connection, and the required response.
package struct SocketInput: Sendable {
    package let bytes: [UInt8]
    package let demand: Demand

    package enum Demand: Sendable, Hashable {
        /// No response is required, but the server must continue to serve others.
        case survival
        /// A number of responses, and then the end.
        case responses(Int)
        /// One error response, and then the end: bytes after the message are not read.
        case refusal
    }

    package init(_ bytes: [UInt8], _ demand: Demand) {
        self.bytes = bytes
        self.demand = demand
    }
}

/// Generates inputs of every kind; equal seeds give equal inputs.
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
