import NIOCore
import SocketInputs
import TestSupport

/// The check of a response against the input's requirement.
struct Verdict {
    private let demand: SocketInput.Demand

    init(_ demand: SocketInput.Demand) {
        self.demand = demand
    }

    /// - Throws: ``Finding``, with the text that `describe` makes of the error.
    func check(_ response: ByteBuffer, _ describe: (String) -> String) throws {
        switch demand {
        case .survival: break
        case .refusal:
            let statuses = try statuses(response, describe)
            guard statuses.count == 1, (400...599).contains(statuses[0]) else {
                throw Finding(describe("\(statuses) instead of a refusal"))
            }
        case .responses(let count):
            let statuses = try statuses(response, describe)
            guard statuses.count == count else {
                throw Finding(describe("\(statuses), not \(count) responses"))
            }
            // 406 is the status of a subscription that does not accept a stream.
            guard statuses.allSatisfy({ [200, 400, 406].contains($0) }) else {
                throw Finding(describe("\(statuses) to requests whose framing is right"))
            }
        }
    }

    /// Returns the statuses of the responses, which must be complete.
    private func statuses(_ response: ByteBuffer, _ describe: (String) -> String) throws -> [Int] {
        var bytes = Array(response.readableBytesView)
        var statuses: [Int] = []
        while !bytes.isEmpty {
            guard let response = try RawResponse.take(from: &bytes, toHead: false) else {
                throw Finding(
                    describe("a response without its end: \(String(decoding: bytes, as: UTF8.self))"))
            }
            statuses.append(response.status)
        }
        return statuses
    }
}
