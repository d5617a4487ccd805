/// Writes JSON, which must be well formed, with a member or an object in each line, in its order; lists of plain values are one
/// line.
struct JSONLines {
    /// What is written for a plain member instead of its JSON, by the names from the root to the member; nil for its JSON.
    private let replacement: (_ path: [String], _ json: Substring) -> String?
    /// The maximum number of items of a list: of plain values, and of objects or lists.
    private let plainItems: Int
    private let objects: Int
    private(set) var text = ""
    private var path: [String] = []

    init(
        plainItems: Int = .max, objects: Int = .max,
        replacing replacement: @escaping (_ path: [String], _ json: Substring) -> String?
    ) {
        (self.plainItems, self.objects, self.replacement) = (plainItems, objects, replacement)
    }

    mutating func value(_ rest: inout Substring, depth: Int) {
        switch rest.first {
        case "{": members(&rest, depth: depth)
        case "[": items(&rest, depth: depth)
        default: text += plain(&rest)
        }
    }

    private mutating func members(_ rest: inout Substring, depth: Int) {
        rest.removeFirst()
        text += "{"
        while let next = rest.first, next != "}" {
            if next == "," {
                rest.removeFirst()
                text += ","
            }
            let name = plain(&rest)
            rest.removeFirst()
            newLine(depth + 1)
            text += "\(name): "
            var end = rest
            let isPlain = rest.first != "{" && rest.first != "["
            path.append(String(name.dropFirst().dropLast()))
            defer { path.removeLast() }
            if isPlain, let other = replacement(path, plain(&end)) {
                rest = end
                text += other
            } else {
                value(&rest, depth: depth + 1)
            }
        }
        if text.last != "{" { newLine(depth) }
        text += String(rest.removeFirst())
    }

    private mutating func items(_ rest: inout Substring, depth: Int) {
        rest.removeFirst()
        text += "["
        let isPlain = rest.first != "{" && rest.first != "["
        var (count, shown) = (0, text)
        while let next = rest.first, next != "]" {
            if next == "," {
                rest.removeFirst()
                text += isPlain ? ", " : ","
            }
            if !isPlain { newLine(depth + 1) }
            value(&rest, depth: depth + 1)
            count += 1
            if count <= (isPlain ? plainItems : objects) { shown = text }
        }
        text = shown
        if !isPlain { newLine(depth) }
        text += String(rest.removeFirst())
    }

    /// Takes a string, a number or a word.
    private func plain(_ rest: inout Substring) -> Substring {
        let start = rest
        if rest.first == "\"" {
            rest.removeFirst()
            while let character = rest.first, character != "\"" {
                rest.removeFirst()
                if character == "\\" { rest.removeFirst() }
            }
            rest.removeFirst()
        } else {
            rest = rest.drop { !",]}".contains($0) }
        }
        return start[..<rest.startIndex]
    }

    private mutating func newLine(_ depth: Int) {
        text += "\n" + String(repeating: "  ", count: depth)
    }
}
