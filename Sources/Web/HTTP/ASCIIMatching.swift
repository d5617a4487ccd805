extension Span<UInt8> {
    /// Whether the bytes are the given text.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != text.byte(at: index) { return false }
        return true
    }

    /// Whether the bytes are the given text, in any mix of ASCII cases; that one is given in lower case.
    func matches(_ lowercased: StaticString) -> Bool {
        guard count == lowercased.utf8CodeUnitCount else { return false }
        for index in indices {
            let (byte, letter) = (self[index], lowercased.byte(at: index))
            guard byte == letter || (byte &- UInt8(ascii: "A") < 26 && byte | 0x20 == letter) else {
                return false
            }
        }
        return true
    }
}

extension StringProtocol {
    /// Whether the text is the given one, in any mix of ASCII cases; that one is given in lower case.
    func matches(_ lowercased: StaticString) -> Bool {
        guard utf8.count == lowercased.utf8CodeUnitCount else { return false }
        return lowercased.withUTF8Buffer { expected in
            var position = 0
            for byte in utf8 {
                let letter = unsafe expected[position]
                guard byte == letter || (byte &- UInt8(ascii: "A") < 26 && byte | 0x20 == letter) else {
                    return false
                }
                position += 1
            }
            return true
        }
    }
}

extension StaticString {
    /// A byte of a literal; the index is less than their number, which the callers above have compared.
    fileprivate func byte(at index: Int) -> UInt8 {
        unsafe utf8Start[index]
    }
}
