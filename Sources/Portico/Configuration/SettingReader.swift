import Configuration
import Foundation
import SystemPackage

/// Reads settings: a flag before an environment variable before the configuration file.
struct SettingReader {
    private let providers: [any ConfigProvider]

    /// - Parameters:
    ///   - flags: what was given on the command line.
    ///   - environment: the process's variables.
    /// - Throws: `UsageError` where the file cannot be read, or a variable or key is none of Portico's: a mistyped
    ///   name would otherwise be silently without effect.
    init(flags: [Setting: String], environment: [String: String]) async throws {
        try SettingReader.check(environment)
        let given = flags.map {
            (AbsoluteConfigKey([$0.key.key]), ConfigValue(.string($0.value), isSecret: false))
        }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: given)),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "portico"),
        ]
        if let path = flags[.config] ?? environment[Setting.config.variable] {
            providers.append(try await SettingReader.file(at: path))
        }
        self.providers = providers
    }

    /// The text of a setting; nil where nobody has set it.
    func text(_ setting: Setting) throws -> String? {
        for provider in providers {
            if let text = try text(setting, in: provider), !text.isEmpty { return text }
        }
        return nil
    }

    /// A setting that is a number, within the bounds of its form.
    func number(_ setting: Setting) throws -> Int? {
        switch setting.form {
        case .number(let bounds): try number(setting, in: bounds)
        case .onOff, .word, .address, .list, .file, .text:
            throw UsageError(
                "\(setting.description) is read as a number, and takes \(setting.form.description).")
        }
    }

    /// A setting that is a number within bounds that are not its form's.
    func number(_ setting: Setting, in bounds: ClosedRange<Int>) throws -> Int? {
        guard let text = try text(setting) else { return nil }
        guard let number = Int(text), bounds.contains(number) else {
            throw UsageError(
                "\(setting.description) is \"\(text)\"; it takes a whole number from \(bounds.lowerBound) to "
                    + "\(bounds.upperBound).")
        }
        return number
    }

    /// A setting that is on or off.
    func flag(_ setting: Setting) throws -> Bool? {
        guard let text = try text(setting) else { return nil }
        switch text.lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw UsageError("\(setting.description) is \"\(text)\"; it takes true or false.")
        }
    }

    /// The content of the file that a setting names, without white space at its ends.
    func contentOfFile(_ setting: Setting) throws -> String? {
        guard let path = try text(setting) else { return nil }
        guard let content = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw UsageError("\(setting.description) names \"\(path)\", which cannot be read as text.")
        }
        let trimmed = content.trimmingCharacters(in: .whitespacesAndNewlines)
        if trimmed.isEmpty { throw UsageError("\(setting.description) names \"\(path)\", which is empty.") }
        return trimmed
    }

    /// A value as text, whatever type it has in the file.
    private func text(_ setting: Setting, in provider: any ConfigProvider) throws -> String? {
        let key = AbsoluteConfigKey([setting.key])
        for type in [ConfigType.string, .int, .bool] {
            guard let value = try? provider.value(forKey: key, type: type).value else { continue }
            switch value.content {
            case .string(let text): return text
            case .int(let number): return String(number)
            case .bool(let flag): return String(flag)
            default: continue
            }
        }
        return nil
    }
}

extension SettingReader {
    private static func check(_ environment: [String: String]) throws {
        let known = Set(Setting.allCases.map(\.variable))
        for name in environment.keys.sorted() where name.hasPrefix("PORTICO_") && !known.contains(name) {
            throw UsageError(
                "The environment has \(name), which is no variable of Portico's. They are: "
                    + known.sorted().joined(separator: ", ") + ".")
        }
    }

    private static func file(at path: String) async throws -> any ConfigProvider {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(Setting.config.description) names \"\(path)\", which cannot be read.")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw UsageError("The configuration file \"\(path)\" is no JSON object.")
        }
        let known = Set(Setting.allCases.map(\.key))
        for key in object.keys.sorted() where !known.contains(key) {
            throw UsageError(
                "The configuration file \"\(path)\" has \"\(key)\", which is no setting of Portico's. They are: "
                    + known.sorted().joined(separator: ", ") + ".")
        }
        for (key, value) in object where !(value is String || value is NSNumber) {
            throw UsageError(
                "\"\(key)\" in the configuration file \"\(path)\" must be a string, number or boolean.")
        }
        do {
            return try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
        } catch {
            throw UsageError("The configuration file \"\(path)\" cannot be read: \(error)")
        }
    }
}
