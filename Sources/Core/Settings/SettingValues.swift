import Foundation

/// The settings of one process: the texts that are set, with typed look-up.
package struct SettingValues: Sendable {
    /// A text and its source.
    package struct Entry: Sendable {
        let text: String
        let file: String?

        /// - Parameters:
        ///   - text: The text that is set.
        ///   - file: The path of the configuration file; nil for a flag or a variable.
        package init(_ text: String, file: String? = nil) {
            self.text = text
            self.file = file
        }
    }

    private let entries: [String: Entry]
    /// The names of environment variables that have the form of a setting's variable, but are none.
    package let ignoredVariables: [String]

    /// - Parameters:
    ///   - entries: The entries of the settings that are set, by name.
    ///   - ignoredVariables: The names of environment variables that are ignored.
    package init(_ entries: [String: Entry], ignoredVariables: [String] = []) {
        self.entries = entries
        self.ignoredVariables = ignoredVariables
    }

    /// The value of a setting; its default value if it is not set.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        get throws(UsageError) { try value(of: setting, setting.parse, setting.definition.form) }
    }

    /// The value of a setting that one command restricts to a range.
    package func value(of setting: Setting<Int>, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        let type = SettingType<Int>.integer(range)
        return try value(of: setting, type.parse, type.form)
    }

    private func value<Value>(
        of setting: Setting<Value>, _ parse: (String) -> Value?, _ form: SettingForm
    ) throws(UsageError) -> Value {
        guard let entry = entries[setting.definition.name] else { return setting.defaultValue }
        guard let value = parse(entry.text) else {
            throw UsageError("\(name(of: setting)) \(form.rejection(of: entry.text))")
        }
        return value
    }

    /// The settings that have another value than their default, by name, for a log.
    ///
    /// Values are those of numbers, switches and keywords. A text, an address or a path can contain a secret, so that only its name
    /// is returned, with the value `set`.
    package func changed(among definitions: [SettingDefinition]) -> [String: String] {
        var changed: [String: String] = [:]
        for definition in definitions {
            guard let text = entries[definition.name]?.text, definition.standard != .value(text) else {
                continue
            }
            switch definition.form {
            case .number, .onOff, .keyword: changed[definition.name] = text
            case .address, .list, .file, .text: changed[definition.name] = "set"
            }
        }
        return changed
    }

    /// Whether a setting is set.
    package func isSet<Value>(_ setting: Setting<Value>) -> Bool {
        entries[setting.definition.name] != nil
    }

    /// Whether a secret is set, itself or by a file.
    package func isSet(_ secret: SecretSetting) -> Bool {
        isSet(secret.value) || isSet(secret.file)
    }

    /// The name of a setting for messages.
    ///
    /// - Returns: The key and the file if the value is from the configuration file, else the flag and the variable.
    package func name<Value>(of setting: Setting<Value>) -> String {
        name(of: setting.definition)
    }

    /// The name of the setting that has a secret, or its file, for messages.
    package func name(of secret: SecretSetting) -> String {
        isSet(secret.file) ? name(of: secret.file) : name(of: secret.value)
    }

    private func name(of definition: SettingDefinition) -> String {
        guard let file = entries[definition.name]?.file else { return definition.description }
        return "\"\(definition.name)\" in the configuration file \"\(file)\""
    }

    /// The names of the settings of a group that are set, in order.
    package func names(in group: some SettingGroup) -> [String] {
        group.definitions.filter { entries[$0.name] != nil }.map { name(of: $0) }
    }

    /// The content of the file that a setting names, without white space at its ends; nil if it is not set.
    package func content(of setting: Setting<String?>) throws(UsageError) -> String? {
        guard let path = try self[setting] else { return nil }
        let content: String
        do {
            content = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw UsageError("\(name(of: setting)) names \"\(path)\", which \(Self.fault(of: error))")
        }
        let trimmed = content.trimmingCharacters(in: .whitespacesAndNewlines)
        if trimmed.isEmpty { throw UsageError("\(name(of: setting)) names \"\(path)\", which is empty.") }
        return trimmed
    }

    /// The end of a sentence about a file that could not be read as text, and the remedy.
    private static func fault(of error: any Error) -> String {
        guard let reason = SystemReason.text(of: error) else {
            return "is not text in UTF-8. Write the value as text in UTF-8."
        }
        return "cannot be read: \(reason). Name a file that Portico's user can read."
    }

    /// A secret; nil if it is not set.
    ///
    /// - Throws: `UsageError` if it is set itself and by a file, or if the file cannot be read.
    package subscript(_ secret: SecretSetting) -> String? {
        get throws(UsageError) {
            let value = try self[secret.value]
            let content = try content(of: secret.file)
            if value != nil, content != nil {
                throw UsageError(
                    "\(name(of: secret.value)) and \(name(of: secret.file)) exclude each other: "
                        + "leave one of them out.")
            }
            return value ?? content
        }
    }

    /// The error for a provider of which some settings are set, but not those that it needs.
    ///
    /// - Parameters:
    ///   - provider: The group of the provider's settings.
    ///   - needs: The settings that it needs.
    /// - Returns: The error, which names what is set, what is needed, and the remedies.
    package func incomplete(_ provider: some SettingGroup, needs: String) -> UsageError {
        UsageError(
            """
            Of the settings of \(provider.title), these are set: \(names(in: provider).joined(separator: ", ")). \
            \(provider.title) needs \(needs). Add what is missing, or remove what is not needed.
            """)
    }
}

/// An invalid use of a command, setting or input file: exit status 2, and a message with the remedy.
package struct UsageError: LocalizedError {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    package var errorDescription: String? { message }
}
