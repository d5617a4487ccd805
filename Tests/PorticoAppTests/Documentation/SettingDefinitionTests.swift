import Foundation
import PorticoApp
import PorticoCore
import Testing
import portico

@Suite("What is told of a setting")
struct SettingDefinitionTests {
    /// Everything that settings of one provider need of each other.
    private static let base = [
        "PORTICO_ALPACA_KEY_ID": "PKTEST", "PORTICO_ALPACA_SECRET_KEY": "secret",
        "PORTICO_SAXO_TOKEN": "token", "PORTICO_ALPHA_VANTAGE_KEY": "key", "PORTICO_POLYGON_KEY": "key",
        "PORTICO_YAHOO": "true",
    ]

    /// Reads all settings, one of them set.
    private func read(_ setting: SettingDefinition, as value: String) async throws -> String {
        let environment = Self.base.merging([setting.variable: value]) { $1 }
        return
            "\(try ServeSettings(await SettingsLoader(flags: [:], environment: environment), sandbox: SandboxService.self))"
    }

    private var untouched: String {
        get async throws {
            "\(try ServeSettings(await SettingsLoader(flags: [:], environment: Self.base), sandbox: SandboxService.self))"
        }
    }

    @Test("stands in one chapter")
    func chapters() {
        let settings = SettingSection.all.flatMap(\.settings)
        #expect(settings.count == SettingDefinition.allCases.count)
        #expect(Set(settings) == Set(SettingDefinition.allCases))
    }

    @Test("is its default: to set it changes nothing", arguments: SettingDefinition.allCases)
    func defaults(_ setting: SettingDefinition) async throws {
        // Yahoo is on in the base, so that its other settings are read.
        guard case .value(let value) = setting.standard, setting != .yahoo else { return }
        #expect(try await read(setting, as: value) == untouched)
    }

    @Test("is what it takes: that is heeded, and nothing else", arguments: SettingDefinition.allCases)
    func forms(_ setting: SettingDefinition) async throws {
        switch setting.form {
        case .number(let bounds):
            for bound in [bounds.lowerBound, bounds.upperBound] {
                let isDefault = setting.standard.value == "\(bound)"
                #expect(try await (read(setting, as: "\(bound)") == untouched) == isDefault)
            }
            for value in ["\(bounds.lowerBound - 1)", "\(bounds.upperBound + 1)", "many"] {
                try await expectRefusal(
                    setting, value, naming: ["\(bounds.lowerBound)", "\(bounds.upperBound)"])
            }
        case .onOff: try await expectRefusal(setting, "perhaps", naming: ["true or false"])
        case .keyword(let words):
            // Yahoo's former language needs an address as well.
            for word in words where word != "yql" {
                _ = try await read(setting, as: word)
                _ = try await read(setting, as: word.uppercased())
            }
            try await expectRefusal(setting, "nonsense", naming: words)
        case .address:
            // Without an application, nobody goes there.
            guard ![.alpacaAuthorizeURL, .alpacaTokenURL, .saxoLoginURL].contains(setting) else { return }
            try await expectRefusal(setting, "ftp://x", naming: ["http"])
        case .file:
            try await expectRefusal(setting, "/nowhere/at/all", naming: [])
        case .list, .text: return
        }
    }

    @Test(
        "that the configuration file sets is named in messages by its key and the file",
        arguments: SettingDefinition.allCases)
    func key(_ setting: SettingDefinition) async throws {
        let text: String? =
            switch setting.form {
            case .number, .onOff, .keyword: "nonsense"
            case .address: "ftp://x"
            case .file: "/nowhere/at/all"
            case .list, .text: nil
            }
        // Without an application, the addresses of one are not read; the file cannot name itself.
        let unread: [SettingDefinition] = [.alpacaAuthorizeURL, .alpacaTokenURL, .saxoLoginURL, .config]
        guard let text, !unread.contains(setting) else { return }
        try await withFolder { folder in
            let file = folder.appending(path: "portico.json").path
            try #"{"\#(setting.key)": "\#(text)"}"#.write(toFile: file, atomically: true, encoding: .utf8)
            let error = await #expect(throws: UsageError.self) {
                let environment = Self.base.filter { $0.key != setting.variable }
                _ = try ServeSettings(
                    await SettingsLoader(flags: [.config: file], environment: environment),
                    sandbox: SandboxService.self)
            }
            let message = try #require(error?.message)
            #expect(
                message.contains("\"\(setting.key)\" in the configuration file \"\(file)\""), "\(message)")
            #expect(!message.contains(setting.variable), "\(message)")
        }
    }

    private func expectRefusal(_ setting: SettingDefinition, _ value: String, naming parts: [String])
        async throws
    {
        let error = await #expect(throws: UsageError.self, "\(setting.variable)=\(value)") {
            try await read(setting, as: value)
        }
        let message = try #require(error?.message)
        #expect(message.contains(setting.variable))
        for part in parts { #expect(message.contains(part), "\(message)") }
    }
}

extension SettingDefault {
    /// What could be set.
    fileprivate var value: String? {
        switch self {
        case .value(let value): value
        case .text: nil
        }
    }
}
