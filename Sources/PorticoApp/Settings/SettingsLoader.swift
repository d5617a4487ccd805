import Foundation
import GraphQL
package import PorticoCore
import ProviderFile

/// Loads settings: a flag before an environment variable before the configuration file.
package enum SettingsLoader {
    /// Loads the settings that are set.
    ///
    /// - Parameters:
    ///   - flags: The flags of the command line, by the names of their settings.
    ///   - environment: The environment variables of the process; those of ``KubernetesServiceLinks`` are ignored.
    /// - Returns: The settings.
    /// - Throws: `UsageError` if the file cannot be read, or if a variable or key is unknown: a mistyped name would
    ///   otherwise be ignored.
    package static func load(
        flags: [String: String] = [:], environment: [String: String]
    ) throws -> SettingValues {
        let serviceLinks = environment.filter { name, value in
            name.hasPrefix("PORTICO_") && KubernetesServiceLinks.contains(name, value)
        }
        let environment = environment.filter { name, _ in serviceLinks[name] == nil }
        let config = Settings.server.config.definition
        // As for every setting, an empty value counts as none.
        let path = [flags[config.name], environment[config.variable]].compactMap(\.self).first { !$0.isEmpty }
        let file = try path.map { try values(at: $0) } ?? [:]
        func entry(_ setting: SettingDefinition) -> SettingValues.Entry? {
            let sources = [
                (flags[setting.name], nil), (environment[setting.variable], nil), (file[setting.name], path),
            ]
            for case (let text?, let file) in sources where !text.isEmpty {
                return SettingValues.Entry(text, file: file)
            }
            return nil
        }
        // The provider file has names of further settings.
        let providers = Settings.server.providers.definition
        let providerFile = SettingValues(entry(providers).map { [providers.name: $0] } ?? [:])
        let definitions =
            try Settings.all
            + ProviderRegistry.fileProviders(providerFile).flatMap(\.settings.definitions)
        try check(environment, definitions)
        try check(file.keys.sorted(), of: path ?? "", definitions)
        var entries: [String: SettingValues.Entry] = [:]
        for setting in definitions { entries[setting.name] = entry(setting) }
        return SettingValues(entries, ignoredVariables: serviceLinks.keys.sorted())
    }

    private static func check(_ environment: [String: String], _ definitions: [SettingDefinition]) throws {
        let known = Set(definitions.map(\.variable)).union(commandVariables)
        for name in environment.keys.sorted() where name.hasPrefix("PORTICO_") && !known.contains(name) {
            throw UsageError(
                "The environment has \(name), which is not a variable of Portico."
                    + remedy(for: name, among: known, "PORTICO_"))
        }
    }

    /// The variables that other commands than `serve` read, and that may be in the same environment.
    private static let commandVariables: Set = ["PORTICO_TOKEN", "PORTICO_SCHEMA"]

    /// The most similar name; without one within an edit per five letters, where all names are.
    ///
    /// More edits make another word of a short name: `HOSTS` of `BOGUS`.
    private static func remedy(for name: String, among known: Set<String>, _ prefix: String = "") -> String {
        // The prefix, which all names have, would make short names similar.
        let names = known.map { String($0.dropFirst(prefix.count)) }
        let name = String(name.dropFirst(prefix.count))
        guard
            let best = Suggestions.resembling(name, among: names, atMost: name.utf16.count / 5 + 1).first
        else {
            return " `portico serve --help` and docs/settings.md list all."
        }
        return " Did you mean \(prefix)\(best)?"
    }

    private static func check(_ keys: [String], of path: String, _ definitions: [SettingDefinition]) throws {
        let config = Settings.server.config.definition.name
        if keys.contains(config) {
            throw UsageError(
                "The configuration file \"\(path)\" has \"\(config)\": a file cannot name another one. Remove it."
            )
        }
        let known = Set(definitions.map(\.name))
        for key in keys where !known.contains(key) {
            throw UsageError(
                "The configuration file \"\(path)\" has \"\(key)\", which is not a setting of Portico."
                    + remedy(for: key, among: known))
        }
    }

    /// The values of a configuration file as text, by key.
    private static func values(at path: String) throws(UsageError) -> [String: String] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw UsageError(
                "\(Settings.server.config) names \"\(path)\", which cannot be read: "
                    + "\(SystemReason.text(of: error) ?? error.localizedDescription). Name a file that Portico's user can read."
            )
        }
        var values: [String: String] = [:]
        for (key, value) in try object(in: data, of: path).fields {
            switch value {
            case .string(let text), .number(let text): values[key] = text
            case .int(let number): values[key] = String(number)
            case .boolean(let flag): values[key] = String(flag)
            case .null, .enum, .list, .object:
                throw UsageError(
                    "\"\(key)\" in the configuration file \"\(path)\" must be a string, number or boolean.")
            }
        }
        return values
    }

    private static func object(in data: Data, of path: String) throws(UsageError) -> InputObject {
        // The byte order mark, which some editors write.
        let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        do throws(GraphQL.JSONError) {
            if case .object(let object) = try InputValue(json: Array(text)) { return object }
        } catch {
            if case .duplicateName(let key) = error.reason {
                throw UsageError(
                    "The configuration file \"\(path)\" has \"\(key.prefix(80))\" twice, again at line \(error.location.line), "
                        + "column \(error.location.column). Remove one of them.")
            }
            throw UsageError("The configuration file \"\(path)\" is not a JSON object. \(error.message)")
        }
        throw UsageError("The configuration file \"\(path)\" is not a JSON object.")
    }
}
