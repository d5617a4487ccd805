import Synchronization

/// Collects what the readers of a response noticed: members that no reader read, members that no object has, names that are not
/// known, rows that could not be read, and lists with and without elements.
///
/// Readers note positions only within ``during(_:)``, and find the paths of these positions afterwards, so that all other
/// reads cost nothing more.
package final class JSONInspection: Sendable {
    @TaskLocal static var current: JSONInspection?

    /// One kind of difference at one place.
    package struct Finding: Hashable, Sendable {
        /// `positions[].qty`: every index is `[]`, and every key that is a symbol or a date is `*`.
        package let path: String
        package let kind: Kind

        package enum Kind: Hashable, Sendable {
            /// No reader reads the member.
            case unread(JSONKind)
            /// No object at this place has the member, which is read where it exists.
            case absent
            /// The text is none of the names that are known here.
            case unknownName
            /// The value could not be read.
            case unreadable(JSONError.Reason)
            /// A list was read; without an element, nothing was compared at its place.
            case list(isEmpty: Bool)
        }

        /// The member's name; empty for the whole text.
        package var member: Substring { path.split(separator: ".").last ?? "" }
    }

    private struct State {
        /// The number of objects at each place, of those that a table of fields read.
        var objects: [String: Int] = [:]
        var counts: [Finding: Int] = [:]
    }

    /// Locked, because a response may be read by several readers; held for additions only.
    private let state = Mutex(State())

    package init() {}

    /// The findings, by their paths.
    package var findings: [Finding] {
        state.withLock { state in
            state.counts.filter { finding, count in
                finding.kind != .absent || count == state.objects[Self.parent(of: finding.path)]
            }.keys.sorted { ($0.path, "\($0.kind)") < ($1.path, "\($1.kind)") }
        }
    }

    /// Executes `body`, whose readers report to this inspection.
    package func during<Value>(_ body: () throws(JSONError) -> Value) throws(JSONError) -> Value {
        let result = JSONInspection.$current.withValue(self) {
            Result { () throws(JSONError) in try body() }
        }
        return try result.get()
    }

    /// Adds what a reader noted in a text.
    func add(_ notes: [JSONNote], _ failure: JSONError?, in text: [UInt8]) {
        let paths = Self.paths(of: Set(notes.map(\.position)), in: text)
        state.withLock { state in
            func count(_ kind: Finding.Kind, _ path: String) {
                state.counts[Finding(path: path, kind: kind), default: 0] += 1
            }
            for note in notes {
                guard let (path, kind) = paths[note.position] else { continue }
                switch note.kind {
                case .object: state.objects[path, default: 0] += 1
                case .absent(let key): count(.absent, Self.path(path, key))
                case .unread: if kind != .null { count(.unread(kind), path) }
                case .unknownName: count(.unknownName, path)
                case .list(let isEmpty): count(.list(isEmpty: isEmpty), path)
                case .unreadable(let error): count(.unreadable(error.reason), Self.path(path, error.path))
                }
            }
            if let failure { count(.unreadable(failure.reason), Self.path("", failure.path)) }
        }
    }

    // MARK: Paths

    /// The paths and kinds of the values that begin at some positions; those before the first error of the text.
    private static func paths(of positions: Set<Int>, in text: [UInt8]) -> [Int: (String, JSONKind)] {
        var paths: [Int: (String, JSONKind)] = [:]
        guard !positions.isEmpty else { return paths }
        JSONInspection.$current.withValue(nil) {
            _ = try? JSONReader.read(text) { reader throws(JSONError) in
                try find(positions, in: &reader, at: "", &paths)
            }
        }
        return paths
    }

    private static func find(
        _ positions: Set<Int>, in reader: inout JSONReader, at path: String,
        _ paths: inout [Int: (String, JSONKind)]
    ) throws(JSONError) {
        let kind = try reader.kind()
        if positions.contains(reader.position) { paths[reader.position] = (path, kind) }
        switch kind {
        case .object:
            try reader.object { key, reader throws(JSONError) in
                let kind = try reader.kind()
                let isInner = kind == .object || kind == .array
                try find(positions, in: &reader, at: Self.path(path, key.printable, isInner: isInner), &paths)
            }
        case .array:
            try reader.array { reader throws(JSONError) in
                try find(positions, in: &reader, at: path + "[]", &paths)
            }
        case .string, .number, .true, .false, .null: try reader.skip()
        }
    }

    private static func path(_ outer: String, _ steps: [JSONError.PathStep]) -> String {
        steps.enumerated().reduce(outer) { outer, step in
            switch step.element {
            case .index: outer + "[]"
            case .key(let key): path(outer, key, isInner: step.offset < steps.count - 1)
            }
        }
    }

    /// The path of a member; keys that are data are not names.
    private static func path(_ outer: String, _ key: String, isInner: Bool = false) -> String {
        let name = isData(key, isInner: isInner) ? "*" : key.replacing(".", with: "_")
        return outer + (outer.isEmpty ? "" : ".") + name
    }

    /// Whether a key is a symbol, a date or a number, and not the name of a member; `isInner` for that of an object or array,
    /// whose names have small letters at all providers.
    private static func isData(_ key: String, isInner: Bool) -> Bool {
        func has(_ bytes: ClosedRange<UInt8>) -> Bool { key.utf8.contains { bytes.contains($0) } }
        let hasSmallLetters = has(UInt8(ascii: "a")...UInt8(ascii: "z"))
        let hasLetters = hasSmallLetters || has(UInt8(ascii: "A")...UInt8(ascii: "Z"))
        return isInner ? !hasSmallLetters : !hasLetters
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: ".").map { String(path[..<$0]) } ?? ""
    }
}

/// What a reader noticed at a position of its text.
struct JSONNote: Sendable {
    /// The position of the first byte of a value.
    let position: Int
    let kind: Kind

    enum Kind: Sendable {
        /// A table of fields read the object.
        case object
        case absent(key: String)
        case unread
        case unknownName
        case unreadable(JSONError)
        case list(isEmpty: Bool)
    }
}
