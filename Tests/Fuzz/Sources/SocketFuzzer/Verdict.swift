import NIOCore
import SocketInputs
import TestSupport

/// Holds what came back against what must.
struct Verdict {
    private let demand: SocketInput.Demand

    init(_ demand: SocketInput.Demand) {
        self.demand = demand
    }

    /// - Throws: ``Finding``, in the words that `describe` makes of what is wrong.
    func judge(_ answer: ByteBuffer, _ describe: (String) -> String) throws {
        switch demand {
        case .survival: break
        case .refusal:
            let statuses = try statuses(answer, describe)
            guard statuses.count == 1, (400...599).contains(statuses[0]) else {
                throw Finding(describe("\(statuses) instead of a refusal"))
            }
        case .responses(let count):
            let statuses = try statuses(answer, describe)
            guard statuses.count == count else {
                throw Finding(describe("\(statuses), not \(count) responses"))
            }
            // 406 is said of a subscription that is asked for as one answer.
            guard statuses.allSatisfy({ [200, 400, 406].contains($0) }) else {
                throw Finding(describe("\(statuses) to requests whose framing is right"))
            }
        }
    }

    /// Of the responses, which must be whole.
    private func statuses(_ answer: ByteBuffer, _ describe: (String) -> String) throws -> [Int] {
        var bytes = Array(answer.readableBytesView)
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
