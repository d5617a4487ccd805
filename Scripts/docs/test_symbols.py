"""Tests of symbols.py and reasons.py: python3 -m unittest discover Scripts/docs"""
import os
import pathlib
import subprocess
import tempfile
import unittest

import reasons
import symbols

SOURCE = '''
/// An order: ``Order/total(of:in:)``, ``Side/buy``, ``total(of:in:)``, ``Named/name``.
package struct Order: Named {
    let quantity, price: Int
    /// A text with a { and a "quoted \\(value)": see `Order.quantity`, and Values.swift.
    let about = "{ \\(quantity) }"
    enum Side: String { case buy, sell(at: Int) }
    /// Not in the type: LINK.
    func total(
        of values: [String: Int], in _: Int
    ) -> (Int, Int) { (0, 0) }
    private func local() { let hidden = 1 }
}
protocol Named { var name: String { get } }
extension Order.Side { static let all = 1 }
'''


class Repository(unittest.TestCase):
    def faults(self, link="``Order``", page=""):
        """What the checks find in a small repository, in a comment with `link` and in a page about the code."""
        with tempfile.TemporaryDirectory() as folder:
            files = {
                "Sources/Orders/Order.swift": SOURCE.replace("LINK", link), "Sources/Orders/Values.swift": "",
                "Sources/Engine/Engine.docc/Engine.md": "``Order``", "docs/design/page.md": page,
                "schema/schema.graphql": 'type Quote {\n  """\n  about\n  """\n  price: Decimal\n}\nscalar Decimal\n',
            }
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            before = os.getcwd()
            os.chdir(folder)
            try:
                checks = symbols.Checks()
                checks.run()
                return checks.faults
            finally:
                os.chdir(before)

    def test_accepts_what_is_declared(self):
        for link in [
            "``Order``", "``Order/quantity``", "``price``", "``Order/Side``", "``Side/sell(at:)``", "``Side/all``",
            "``Order/name``", "``Orders/Order``", "``total(of:in:)-(Int,_)``", "`Order.total`", "`Order.Side.buy`",
            "`Quote.price`", "`BRK.B`", "`Int.max`", "Order.swift", "Sources/Orders/Order.swift",
        ]:
            self.assertEqual(self.faults(link), [], link)
        for text in [
            "`Order`", "`Order.quantity`", "`Quote.price`", "`Sources/Orders/Values.swift`",
            "[a](../design/page.md)", "```\n`InventedType` invented.swift\n```", "http://127.0.0.1:8080/invented.graphql",
        ]:
            self.assertEqual(self.faults(page=text), [], text)

    def test_names_an_invented_link_with_its_place(self):
        for link in [
            "``Invented``", "``Order/invented``", "``total(of:)``", "``Order/total(of:at:)``", "``hidden``", "``Order/hidden``",
            "``Side/sell(for:)``", "``Order/all``", "``Named/quantity``",
        ]:
            self.assertEqual(self.faults(link), [f"Sources/Orders/Order.swift:8: {link} is not declared"])

    def test_names_an_invented_member_type_or_file(self):
        for name in ["Order.invented", "Order.Side.invented", "Quote.invented", "InventedType.member"]:
            self.assertEqual(self.faults(f"`{name}`"), [f"Sources/Orders/Order.swift:8: `{name}` is not declared"])
            self.assertEqual(self.faults(page=f"\n`{name}`"), [f"docs/design/page.md:2: `{name}` is not declared"])
        self.assertEqual(self.faults(page="`InventedType`"), ["docs/design/page.md:1: `InventedType` is not declared"])
        for name in ["Invented.swift", "Sources/Orders/Invented.swift", "docs/invented.md", "../invented.md"]:
            self.assertEqual(self.faults(name), [f"Sources/Orders/Order.swift:8: {name} does not exist"])
            self.assertEqual(self.faults(page=f"see `{name}`"), [f"docs/design/page.md:1: {name} does not exist"])


class Reasons(unittest.TestCase):
    def faults(self, text):
        return [fault.split(":")[1] for fault in reasons.faults("a.swift", text)]

    def test_finds_locks_without_a_reason(self):
        self.assertEqual(self.faults("final class A {\n    let state = Mutex(1)\n}"), ["2"])
        self.assertEqual(self.faults("/// Text.\nfinal class A {\n    let n = 1\n    let state: Mutex<Int>\n}"), ["4"])
        self.assertEqual(self.faults("final class A: @unchecked Sendable {"), ["1"])
        self.assertEqual(self.faults("nonisolated(unsafe) var a = 1"), ["1"])

    def test_accepts_a_reason_beside_it(self):
        for text in [
            "/// Has a lock, because all threads use it.\n@Observable\nfinal class A {\n    let n = 1\n    let state = Mutex(1)\n}",
            "final class A {\n    // Why.\n    let state = Mutex(1)\n}", "// Why.\nfinal class A: @unchecked Sendable {",
            "let state = Mutex(1)  // Why.", "// A Mutex( in a comment is none.",
        ]:
            self.assertEqual(self.faults(text), [], text)


if __name__ == "__main__":
    unittest.main()
