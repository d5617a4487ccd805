import Testing
import Web

@Suite("A date in HTTP")
struct HTTPDateTests {
    @Test(
        "has the form of RFC 9110",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (1_795_132_799, "Thu, 19 Nov 2026 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ])
    func isWritten(_ seconds: Int, _ text: String) {
        #expect(HTTPDate.text(secondsSince1970: seconds) == text)
    }
}
