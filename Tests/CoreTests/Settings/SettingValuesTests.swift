import Foundation
import PorticoCore
import Testing

@Suite("The settings that are set")
struct SettingValuesTests {
    private struct Group: SettingGroup {
        let title = "Example"
        let port = Setting("port", .integer(1...65_535), default: 80, isFlag: true, "A port.")
        let level = Setting(
            "log-level", .choice([("low", 1), ("high", 2)], aliases: [("top", 2)]), "A level.")
        let names = Setting("names", .list(of: "names"), default: ["a"], "Names.")
        let isOn = Setting("is-on", .boolean, default: false, "A switch.")
        let key = SecretSetting("key", "A key.")
    }

    private let group = Group()

    private func values(_ texts: [String: String], file: String? = nil) -> SettingValues {
        SettingValues(texts.mapValues { SettingValues.Entry($0, file: file) })
    }

    @Test("are those of the literals, a secret twice, in order")
    func definitions() {
        #expect(
            group.definitions.map(\.name) == ["port", "log-level", "names", "is-on", "key", "key-file"])
        #expect(
            group.definitions.map(\.description).prefix(2)
                == ["--port (PORTICO_PORT)", "PORTICO_LOG_LEVEL"])
        #expect(group.definitions.map(\.standard).prefix(3) == [.value("80"), .text("none"), .value("a")])
    }

    @Test("have their default values if they are not set")
    func defaults() throws {
        let values = values([:])
        #expect(try values[group.port] == 80)
        #expect(try values[group.level] == nil)
        #expect(try values[group.names] == ["a"])
        #expect(try values[group.key] == nil)
        #expect(values.names(in: group).isEmpty)
    }

    @Test("are named for the log if they differ from their default, without texts")
    func changed() {
        let values = values([
            "port": "80", "log-level": "high", "names": "planted", "is-on": "true", "key": "planted",
        ])
        #expect(
            values.changed(among: group.definitions) == [
                "log-level": "high", "names": "set", "is-on": "true", "key": "set",
            ])
    }

    @Test("are read by type")
    func types() throws {
        let values = values([
            "port": "8080", "log-level": "TOP", "names": " a ,, b", "is-on": "Yes", "key": "secret",
        ])
        #expect(try values[group.port] == 8080)
        #expect(try values[group.level] == 2)
        #expect(try values[group.names] == ["a", "b"])
        #expect(try values[group.isOn])
        #expect(try values[group.key] == "secret")
        #expect(values.names(in: group).count == 5)
    }

    @Test("a list of spaces and commas is empty", arguments: ["  ", ",", " , \t,"])
    func emptyItems(text: String) throws {
        #expect(try values(["names": text])[group.names].allSatisfy { $0.isEmpty })
    }

    @Test(
        "of another type are rejected, with the name, the text and the type",
        arguments: [
            ("port", "0", "--port (PORTICO_PORT) is \"0\"; it takes a whole number from 1 to 65535."),
            ("port", "99999999999999999999", "it takes a whole number from 1 to 65535."),
            ("log-level", "x", "PORTICO_LOG_LEVEL is \"x\"; it takes low or high."),
            ("is-on", "perhaps", "PORTICO_IS_ON is \"perhaps\"; it takes true or false."),
        ])
    func rejections(name: String, text: String, message: String) throws {
        let values = values([name: text])
        let error = #expect(throws: UsageError.self) {
            _ = (try values[group.port], try values[group.level], try values[group.isOn])
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("of the configuration file are named by key and file")
    func file() throws {
        let error = #expect(throws: UsageError.self) {
            try values(["port": "x"], file: "/etc/portico.json")[group.port]
        }
        #expect(
            error?.message.hasPrefix("\"port\" in the configuration file \"/etc/portico.json\" is") == true)
    }

    @Test("a secret is set itself or by a file, not both, and the file must exist")
    func secrets() throws {
        let missing = #expect(throws: UsageError.self) { try values(["key-file": "/nowhere"])[group.key] }
        #expect(missing?.message.contains("PORTICO_KEY_FILE names \"/nowhere\"") == true)
        #expect(values(["key-file": "/nowhere"]).isSet(group.key))
    }

    @Test("a secret's file that cannot be read is reported with its path, the reason and the remedy")
    func unreadableSecrets() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-core-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (bytes, locked) = (folder.appending(path: "bytes").path, folder.appending(path: "locked").path)
        try Data([0xFF, 0xFE, 0xFD]).write(to: URL(filePath: bytes))
        try Data("secret".utf8).write(to: URL(filePath: locked))
        try FileManager.default.setAttributes(
            [.posixPermissions: NSNumber(value: 0)], ofItemAtPath: locked)
        let remedy = "Name a file that Portico's user can read."
        var faults = [
            (folder.path + "/missing", "cannot be read: No such file or directory. \(remedy)"),
            (folder.path, "cannot be read: Is a directory. \(remedy)"),
            (bytes, "is not text in UTF-8. Write the value as text in UTF-8."),
        ]
        // The permissions of a file do not restrict root.
        if geteuid() != 0 { faults.append((locked, "cannot be read: Permission denied. \(remedy)")) }
        for (path, fault) in faults {
            let error = #expect(throws: UsageError.self) { try values(["key-file": path])[group.key] }
            #expect(error?.message == "PORTICO_KEY_FILE names \"\(path)\", which \(fault)")
        }
    }
}
