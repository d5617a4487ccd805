import Foundation
import PorticoApp
import PorticoCore
import Testing
import Upstream
import portico

@Suite("The definition of a setting")
struct SettingDefinitionTests {
    /// Everything that settings of one provider, and of the identity provider, need of each other.
    private static let base = [
        "PORTICO_ALPACA_KEY_ID": "PKTEST", "PORTICO_ALPACA_SECRET_KEY": "secret",
        "PORTICO_SAXO_TOKEN": "token", "PORTICO_YAHOO": "true",
        "PORTICO_OIDC_ISSUER": "https://id.example.com", "PORTICO_OIDC_CLIENT_ID": "portico",
    ].merging(dataServices.map { ($0.key.value.variable, "key") }) { $1 }

    private static let dataServices = Settings.groups.compactMap { $0 as? any DataServiceSettings }

    /// Settings that are read only together with an application.
    private static let ofApplications = ["alpaca-authorize-url", "alpaca-token-url", "saxo-login-url"]

    /// Reads all settings, one of them set.
    private func read(_ setting: SettingDefinition, as value: String) async throws -> String {
        try await read(Self.base.merging([setting.variable: value]) { $1 })
    }

    private func read(_ environment: [String: String], flags: [String: String] = [:]) async throws -> String {
        let values = try SettingsLoader.load(flags: flags, environment: environment)
        return "\(try ServeSettings(values, sandbox: SandboxService.self))"
    }

    private var untouched: String {
        get async throws { try await read(Self.base) }
    }

    @Test("has a unique name")
    func names() {
        #expect(Set(Settings.all.map(\.name)).count == Settings.all.count)
        #expect(Settings.all.count > 80)
    }

    @Test("has a flag of `serve` if its literal says so, and no other has one")
    func flags() async throws {
        let help = try await Program.run(["serve", "--help"]).output
        let flags = Set(help.matches(of: /--(?:no-)?([a-z][a-z-]*)/).map { String($0.1) })
        let usage = Set(["help", "version"])
        let declared = Set(Settings.all.filter { $0.flag != nil }.map(\.name))
        #expect(declared == flags.subtracting(usage))
    }

    @Test("has its default: setting it changes nothing", arguments: Settings.all)
    func defaults(_ setting: SettingDefinition) async throws {
        // Yahoo is on in the base, so that its other settings are read.
        guard case .value(let value) = setting.standard, setting.name != "yahoo" else { return }
        #expect(try await read(setting, as: value) == untouched)
    }

    @Test("has its form: valid values have an effect, others are rejected", arguments: Settings.all)
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
            for word in words {
                _ = try await read(setting, as: word)
                _ = try await read(setting, as: word.uppercased())
            }
            try await expectRefusal(setting, "nonsense", naming: words)
        case .address:
            // Without an application, nobody goes there.
            guard !Self.ofApplications.contains(setting.name) else { return }
            try await expectRefusal(setting, "ftp://x", naming: ["http"])
        case .file:
            try await expectRefusal(setting, "/nowhere/at/all", naming: [])
        case .list, .text: return
        }
    }

    @Test(
        "in the configuration file is named in messages by its key and the file",
        arguments: Settings.all)
    func key(_ setting: SettingDefinition) async throws {
        let text: String? =
            switch setting.form {
            case .number, .onOff, .keyword: "nonsense"
            case .address: "ftp://x"
            case .file: "/nowhere/at/all"
            case .list, .text: nil
            }
        // Without an application, the addresses of one are not read; the file cannot name itself.
        guard let text, !Self.ofApplications.contains(setting.name), setting.name != "config" else { return }
        try await withFolder { folder in
            let file = folder.appending(path: "portico.json").path
            try #"{"\#(setting.name)": "\#(text)"}"#.write(toFile: file, atomically: true, encoding: .utf8)
            let error = await #expect(throws: UsageError.self) {
                let environment = Self.base.filter { $0.key != setting.variable }
                _ = try await read(environment, flags: ["config": file])
            }
            let message = try #require(error?.message)
            #expect(
                message.contains("\"\(setting.name)\" in the configuration file \"\(file)\""), "\(message)")
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
