import Foundation

/// Where the pages for people come from: the explorer at `/` and the example.
enum ExplorerSettings: Hashable {
    case off
    /// A folder that has an `index.html`.
    case folder(String)
    /// No folder was named, and none is where an installation has it.
    case missing

    /// The word that switches it off.
    private static let offValue = "off"

    init(_ settings: SettingsLoader, isProduction: Bool) throws {
        let text = try settings.text(.explorer)
        if isProduction || text?.lowercased() == ExplorerSettings.offValue {
            self = .off
        } else if let text {
            guard ExplorerSettings.hasPage(text) else {
                throw UsageError(
                    "\(settings.name(of: .explorer)) is \"\(text)\", which is no folder with an "
                        + "index.html. The folder `Explorer` of Portico's sources is one; "
                        + "\(ExplorerSettings.offValue) does without.")
            }
            self = .folder(text)
        } else if let folder = ExplorerSettings.installed, ExplorerSettings.hasPage(folder) {
            self = .folder(folder)
        } else {
            self = .missing
        }
    }

    /// The folder of an installation: `share/portico/explorer` beside the `bin` that has the executable.
    private static var installed: String? {
        Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../share/portico/explorer").standardizedFileURL.path
    }

    private static func hasPage(_ folder: String) -> Bool {
        FileManager.default.isReadableFile(atPath: folder + "/index.html")
    }
}
