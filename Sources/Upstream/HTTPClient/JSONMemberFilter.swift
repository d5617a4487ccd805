/// Keeps only some members of the objects in a top-level array, while the response is received.
///
/// It is for a long list of objects of which few members are read, so that the rest takes no memory. Everything else stays
/// as it is: a response without such an array, elements that are no objects, and the values that are kept. White space
/// outside of strings is removed. The result is valid JSON if the response is; what is not kept is not checked.
package struct JSONMemberFilter: Sendable {
    /// The most bytes that may be received.
    package let maximumBytes: Int
    private let kept: Set<[UInt8]>
    private var received = 0
    private var state = State.start
    /// The number of open arrays and objects; an element's members are at 2.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The name that is read, with its quotation marks.
    private var name: [UInt8] = []
    private var isFirstMember = true

    private enum State {
        /// Before the first byte that is no white space.
        case start
        /// Everything is kept.
        case whole
        /// Between elements, or in an element that is no object.
        case element
        case name
        case value(isKept: Bool)
    }

    /// - Parameters:
    ///   - names: The names of the members to keep, as they are in the response.
    ///   - maximumBytes: The most bytes that may be received.
    package init(keeping names: Set<String>, maximumBytes: Int) {
        kept = Set(names.map { Array("\"\($0)\"".utf8) })
        self.maximumBytes = maximumBytes
    }

    /// Adds what is kept of the next bytes to `body`.
    ///
    /// - Returns: False if the response is too long.
    package mutating func append(_ bytes: some Sequence<UInt8>, count: Int, to body: inout [UInt8]) -> Bool {
        guard count <= maximumBytes - received else { return false }
        received += count
        for byte in bytes { append(byte, to: &body) }
        return true
    }

    private mutating func append(_ byte: UInt8, to body: inout [UInt8]) {
        switch state {
        case .start:
            if Self.isSpace(byte) { return }
            state = byte == UInt8(ascii: "[") ? .element : .whole
            depth = 1
            body.append(byte)
        case .whole: body.append(byte)
        case .element, .name, .value:
            if isInString { appendInString(byte, to: &body) } else { appendOutside(byte, to: &body) }
        }
    }

    private mutating func appendInString(_ byte: UInt8, to body: inout [UInt8]) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
        keep(byte, in: &body)
    }

    private mutating func appendOutside(_ byte: UInt8, to body: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            keep(byte, in: &body)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            keep(byte, in: &body)
            depth += 1
            if depth == 2, byte == UInt8(ascii: "{") { (state, name, isFirstMember) = (.name, [], true) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 1 { state = .element }
            if depth == 0 { state = .whole }
            keep(byte, in: &body)
        case UInt8(ascii: ":") where isBetweenMembers: beginValue(in: &body)
        case UInt8(ascii: ",") where isBetweenMembers: (state, name) = (.name, [])
        case _ where Self.isSpace(byte): break
        default: keep(byte, in: &body)
        }
    }

    /// Whether the place is in an element, and not in one of its values.
    private var isBetweenMembers: Bool {
        guard depth == 2 else { return false }
        switch state {
        case .name, .value: return true
        case .start, .whole, .element: return false
        }
    }

    private mutating func beginValue(in body: inout [UInt8]) {
        let isKept = kept.contains(name)
        state = .value(isKept: isKept)
        guard isKept else { return }
        if !isFirstMember { body.append(UInt8(ascii: ",")) }
        isFirstMember = false
        body += name
        body.append(UInt8(ascii: ":"))
    }

    private mutating func keep(_ byte: UInt8, in body: inout [UInt8]) {
        switch state {
        case .start, .whole, .element, .value(isKept: true): body.append(byte)
        case .value(isKept: false): break
        // A longer name is none of those that are kept.
        case .name: if name.count <= Self.maximumName { name.append(byte) }
        }
    }

    private static let maximumName = 64

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
