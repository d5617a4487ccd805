/// A provider's response, with any status.
package struct HTTPClientResponse: Sendable {
    /// 100 to 999.
    package let status: Int
    /// Decompressed.
    package let body: [UInt8]
    /// The header section of the final response as it was received, with CRLF: most callers read one header
    /// or none, so it is not parsed in advance.
    private let head: [UInt8]

    package init(status: Int, head: [UInt8], body: [UInt8]) {
        self.status = status
        self.head = head
        self.body = body
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The first value of a header without surrounding white space; names are compared without case.
    package subscript(_ name: StaticString) -> String? {
        var rest = head[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            if let value = Self.value(of: name, in: line) { return value }
            rest = rest[line.endIndex...].dropFirst()
        }
        return nil
    }

    /// All values of a header that can occur several times, such as `Set-Cookie`, in their order.
    package func all(_ name: StaticString) -> [String] {
        head.split(separator: UInt8(ascii: "\n")).compactMap { Self.value(of: name, in: $0) }
    }

    private static func value(of name: StaticString, in line: ArraySlice<UInt8>) -> String? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isNamed = unsafe line[..<colon].elementsEqual(
            // A static string lives as long as the process.
            UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
            by: { lowercased($0) == lowercased($1) })
        guard isNamed else { return nil }
        let value = line[line.index(after: colon)...]
        let start = value.firstIndex { !isBlank($0) } ?? value.endIndex
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
        return String(decoding: value[start..<end], as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}

extension HTTPClientResponse: CustomStringConvertible, CustomReflectable {
    /// Status and size.
    ///
    /// Bodies and heads may hold secrets: an Alpha Vantage notice echoes the key.
    package var description: String { "status \(status), \(body.count) bytes" }

    package var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
