/// Every setting of `portico serve`.
struct ConfigurationPage {
    var page: GeneratedPage {
        GeneratedPage(name: "Configuration.md", text: text)
    }

    private var text: String {
        """
        # Configuration

        Everything that `portico serve` can be told.

        ## Overview

        A setting has one name in three forms: the flag `--log-level`, the environment variable `PORTICO_LOG_LEVEL`, and the
        key `log-level` in the file that `--config` names, which is one JSON object. A flag counts before a variable, a
        variable before the file. What has no flag is set by variable or file: most of it is secret, and flags show in a list
        of processes. A setting that ends with `-file` names a file, in which the value stands.

        A variable that begins with `PORTICO_`, or a key of the file, that is none of these is refused with exit status 2, so
        that a mistyped name is not silently without effect.

        This page is made from the code, by `make docs`.
        \(SettingSection.all.map(section).joined())
        """
    }

    private func section(_ chapter: SettingSection) -> String {
        let table = MarkdownTable(
            columns: ["Flag", "Variable", "Key", "Takes", "Default", "Meaning"],
            rows: chapter.settings.map(row))
        let text = chapter.text.map { "\($0)\n\n" } ?? ""
        return "\n## \(chapter.title)\n\n\(text)\(table.text)"
    }

    private func row(_ setting: SettingDefinition) -> [String] {
        [
            setting.flag.map { "`\($0)`" } ?? "", "`\(setting.variable)`", "`\(setting.key)`",
            setting.form.description, standard(of: setting), setting.meaning,
        ]
    }

    private func standard(of setting: SettingDefinition) -> String {
        switch setting.standard {
        case .value(let value): "`\(value)`"
        case .text(let words): words
        }
    }
}
