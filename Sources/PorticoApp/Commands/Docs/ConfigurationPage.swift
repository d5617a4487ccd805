import PorticoCore

/// Every setting of `portico serve`.
struct ConfigurationPage {
    var page: GeneratedPage {
        GeneratedPage(name: "settings.md", text: text)
    }

    private var text: String {
        """
        # Settings

        All settings of `portico serve`.

        ## Overview

        A setting has one name in three forms: the flag `--log-level`, the environment variable `PORTICO_LOG_LEVEL`, and the
        key `log-level` in the file that `--config` names, which is one JSON object. A flag takes precedence over a variable,
        a variable over the file. Only some settings have a flag; secrets have none, because the list of processes shows flags.
        A setting whose name ends with `-file` takes the path of a file that contains the value.

        Portico exits with status 2 if a variable that begins with `PORTICO_`, or a key of the file, is not in this list, so
        that a mistyped name is not ignored. There are two exceptions:

        - `PORTICO_TOKEN` and `PORTICO_SCHEMA`, which other commands read;
        - variables that Kubernetes sets for a Service, such as `PORTICO_PORT=tcp://10.0.0.11:80`. They are ignored and named
          in the log; `enableServiceLinks: false` in the specification of the pod turns them off.

        `make docs` generates this page from the code.
        \(Settings.groups.map(section).joined())
        """
    }

    private func section(_ group: any SettingGroup) -> String {
        let table = MarkdownTable(
            columns: ["Flag", "Variable", "Key", "Takes", "Default", "Meaning"],
            rows: group.definitions.map(row))
        let introduction = group.introduction.map { "\($0)\n\n" } ?? ""
        return "\n## \(group.title)\n\n\(introduction)\(table.text)"
    }

    private func row(_ setting: SettingDefinition) -> [String] {
        [
            setting.flag.map { "`\($0)`" } ?? "", "`\(setting.variable)`",
            setting.name == Settings.server.config.definition.name ? "" : "`\(setting.name)`",
            setting.form.description, standard(of: setting), setting.help,
        ]
    }

    private func standard(of setting: SettingDefinition) -> String {
        switch setting.standard {
        case .value(let value): "`\(value)`"
        case .text(let text): text
        }
    }
}
