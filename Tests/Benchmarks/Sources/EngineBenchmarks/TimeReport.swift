import Foundation

/// Times of the engine alone, beside those of a peer where there is one.
enum TimeReport {
    /// Engine and peer take turns, so that a disturbance meets both; a ratio compares the two of one turn, and the
    /// median of the turns is reported.
    private static let rounds = 3

    static func print(peer command: [String]) throws {
        let operations = try Operation.all()
        var rounds: [Round] = []
        for _ in 0..<self.rounds { rounds.append(try Round(operations, peer: command)) }
        Swift.print(Table(rounds, operations).text)
        Swift.print(try ValidationGrowth.measure().map(\.text).joined(separator: "\n"))
    }

    /// One measurement of everything.
    fileprivate struct Round {
        private var times: [String: [Operation.Step: Double]] = [:]
        let peer: Peer?

        init(_ operations: [Operation], peer command: [String]) throws {
            for operation in operations {
                for step in Operation.Step.allCases {
                    let time = try Measurement.median(of: try operation.measured(step))
                    times[operation.name, default: [:]][step] = time
                }
            }
            peer = command.isEmpty ? nil : try Peer.measure(command)
        }

        func time(_ step: Operation.Step, of operation: Operation) -> Double? {
            times[operation.name]?[step]
        }
    }

    /// The rounds' medians, an operation a line.
    fileprivate struct Table {
        let text: String

        init(_ rounds: [Round], _ operations: [Operation]) {
            let steps = Operation.Step.allCases
            var lines = ["".padded(to: 20) + steps.map { $0.rawValue.aligned(to: 12) }.joined()]
            func line(_ title: String, _ cell: (Operation.Step) -> String) {
                lines.append(title.padded(to: 20) + steps.map { cell($0).aligned(to: 12) }.joined())
            }
            for operation in operations {
                line("\(operation.name) Portico") { step in
                    rounds.compactMap { $0.time(step, of: operation) }.median.formatted(decimals: 2)
                }
                guard let peer = rounds[0].peer else { continue }
                line("   \(peer.engine)") { step in
                    rounds.compactMap { $0.peer?.time(step, of: operation.name) }.median.formatted(
                        decimals: 2)
                }
                line("   times faster") { step in
                    let ratios = rounds.compactMap { round in
                        round.time(step, of: operation).flatMap { ours in
                            round.peer?.time(step, of: operation.name).map { $0 / ours }
                        }
                    }
                    let ratio = ratios.median.formatted(decimals: 1)
                    guard let aim = Aims.ratio(operation.name, step) else { return ratio }
                    return "\(ratio) (≥ \(aim))"
                }
            }
            if let peer = rounds[0].peer {
                lines.append(
                    "\(peer.engine) \(peer.version) on Node \(peer.node); what is aimed at in brackets")
            }
            text = lines.joined(separator: "\n")
        }
    }
}

/// How many times faster than graphql-js the engine is to be.
enum Aims {
    static func ratio(_ operation: String, _ step: Operation.Step) -> Int? {
        switch (operation, step) {
        case ("w1", .cached): 5
        case ("w2", .cached), ("w3", .cached): 20
        case ("w4", .cached): 12
        case ("w2", .cold): 15
        default: nil
        }
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }

    func aligned(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(1, width - count)) + self
    }
}

extension Double {
    func formatted(decimals: Int) -> String {
        String(format: "%.\(decimals)f", self)
    }
}
