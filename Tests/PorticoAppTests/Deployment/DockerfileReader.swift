import TestSupport

/// The instructions of a Dockerfile, stage by stage.
struct DockerfileReader {
    struct Instruction {
        /// In capitals.
        let name: String
        /// What stands behind it, continued lines joined by a space.
        let text: String

        /// The words of the form `["a", "b"]`; nil where it is not in it.
        var words: [String]? {
            (try? JSONValue(parsing: text))?.elements?.compactMap(\.string)
        }
    }

    struct Stage {
        /// What the stage is called behind `AS`.
        let name: String?
        fileprivate(set) var instructions: [Instruction] = []

        /// Those with a name, in their order.
        func all(_ name: String) -> [Instruction] { instructions.filter { $0.name == name } }

        /// The text of the only one with a name.
        func text(_ name: String) -> String? {
            all(name).count == 1 ? all(name).first?.text : nil
        }

        /// What `ENV` sets.
        var environment: [String: String] {
            let pairs = all("ENV").flatMap { $0.text.split(separator: " ") }.map { pair in
                pair.split(separator: "=", maxSplits: 1).map(String.init)
            }
            return Dictionary(
                pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { _, last in last })
        }
    }

    private(set) var stages: [Stage] = []

    init(_ text: String) {
        var pending = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            pending += (pending.isEmpty ? "" : " ") + line.drop { $0 == " " }
            if pending.hasSuffix("\\") {
                pending.removeLast()
                while pending.last == " " { pending.removeLast() }
                continue
            }
            add(pending)
            pending = ""
        }
    }

    private mutating func add(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        let instruction = Instruction(name: parts[0].uppercased(), text: parts[1])
        if instruction.name == "FROM" {
            let words = instruction.text.split(separator: " ").map(String.init)
            stages.append(Stage(name: words.count == 3 ? words[2] : nil))
        }
        // Arguments before the first stage belong to none.
        if !stages.isEmpty { stages[stages.count - 1].instructions.append(instruction) }
    }
}
