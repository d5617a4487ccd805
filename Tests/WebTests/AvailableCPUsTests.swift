import NIOCore
import Testing
import Web

@Suite("The CPUs that a process may use")
struct AvailableCPUsTests {
    struct Mask: CustomTestStringConvertible, Sendable {
        let line: String
        let count: Int?
        var testDescription: String { line }

        static let all = [
            Mask(line: "Cpus_allowed:\t3", count: 2),
            Mask(line: "Cpus_allowed:\t2", count: 1),
            Mask(line: "Cpus_allowed:\tff", count: 8),
            Mask(line: "Cpus_allowed:\tffffffff,ffffffff", count: 64),
            Mask(line: "Cpus_allowed:\t00000001,00000000,80000001", count: 3),
            Mask(line: "Cpus_allowed:\t0", count: nil),
            Mask(line: "Cpus_allowed:\t", count: nil),
            Mask(line: "Cpus_allowed:\tfffffffff", count: nil),
            Mask(line: "Cpus_allowed:\tx", count: nil),
            Mask(line: "Cpus_allowed_list:\t0-1", count: nil),
        ]
    }

    @Test("are the bits of its affinity mask", arguments: Mask.all)
    func mask(_ mask: Mask) {
        let status = "Name:\tportico\n\(mask.line)\nMems_allowed:\t1\n"
        #expect(AvailableCPUs.allowed(by: status) == mask.count)
    }

    @Test("are at least one, and not more than the machine has")
    func bounds() {
        #expect(AvailableCPUs.count >= 1 && AvailableCPUs.count <= System.coreCount)
    }
}
