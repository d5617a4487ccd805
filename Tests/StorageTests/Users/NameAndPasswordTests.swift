import Storage
import Testing

@Suite("Names and passwords")
struct NameAndPasswordTests {
    @Test(
        "a username has letters, digits and few signs",
        arguments: ["ann", "Ann.B-1", "ann@example.com", "007", "a+b"])
    func names(_ text: String) throws {
        let name = try Username(text)
        #expect(name.text == text)
        #expect(name.key == text.lowercased())
    }

    @Test(
        "a username that breaks a rule is rejected with the rule",
        arguments: [
            ("an", "A username has 3 to 64 characters; this one has 2."),
            ("", "A username has 3 to 64 characters; this one has 0."),
            (String(repeating: "a", count: 65), "A username has 3 to 64 characters; this one has 65."),
            ("ann b", "A username has letters A to Z, digits, and . _ - @ +; \" \" is none of them."),
            ("ann\u{0}b", "A username has letters A to Z, digits, and . _ - @ +; \"\u{0}\" is none of them."),
            // A Cyrillic а looks like Ann's.
            (
                "\u{0430}nn",
                "A username has letters A to Z, digits, and . _ - @ +; \"\u{0430}\" is none of them."
            ),
            (".ann", "A username begins with a letter or a digit."),
        ])
    func wrongNames(_ text: String, message: String) {
        let refusal = #expect(throws: Username.Refusal.self) { try Username(text) }
        #expect(refusal?.description == message)
    }

    @Test(
        "a password that breaks a rule is rejected with the rule, and not repeated",
        arguments: [
            ("short pas", "A password has at least 10 characters; this one has 9."),
            (
                String(repeating: "ab1!", count: 65),
                "A password has at most 256 bytes in UTF-8; this one has 260."
            ),
            ("aaaaaaabbb", "A password has at least 4 different characters."),
            ("my name is Ann.B", "A password does not contain the username."),
        ])
    func wrongPasswords(_ text: String, message: String) throws {
        let name = try Username("ann.b")
        let refusal = #expect(throws: Password.Refusal.self) { try Password(new: text, for: name) }
        #expect(refusal?.description == message)
    }

    @Test("a password is the same for all compositions of its letters")
    func normalised() throws {
        let name = try Username("ann")
        let (composed, decomposed) = (
            "Gr\u{00FC}\u{00DF}e aus K\u{00F6}ln", "Gru\u{0308}\u{00DF}e aus Ko\u{0308}ln"
        )
        #expect(Array(composed.utf8) != Array(decomposed.utf8))
        #expect(try Password(new: composed, for: name).bytes == Password(entered: decomposed)?.bytes)
    }

    @Test("a text that cannot be a password is rejected without a hash")
    func impossible() {
        #expect(Password(entered: "")?.bytes == nil)
        #expect(Password(entered: String(repeating: "a", count: 257))?.bytes == nil)
        #expect(Password(entered: String(repeating: "a", count: 1_000_000))?.bytes == nil)
    }

    @Test("a password is never printed")
    func hidden() throws {
        let password = try Password(new: "planted-password", for: Username("ann"))
        #expect(!"\(password) \(String(reflecting: password))".contains("planted"))
        var dumped = ""
        dump(password, to: &dumped)
        #expect(!dumped.contains("planted") && !dumped.contains("112"))
    }
}
