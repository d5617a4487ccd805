import Foundation
import Web

extension DocumentPolicy {
    /// Trusts the documents of a folder: every file below it whose name ends with `.graphql`.
    init(_ settings: SettingReader) throws {
        let runsOnlyTrusted = try settings.flag(.documentsOnly) ?? false
        guard let folder = try settings.text(.documents) else {
            guard !runsOnlyTrusted else {
                throw UsageError(
                    "\(Setting.documentsOnly.description) is on, and \(Setting.documents.description) names no folder "
                        + "of documents: nothing could be run.")
            }
            self.init()
            return
        }
        guard let files = FileManager.default.enumerator(atPath: folder) else {
            throw UsageError("\(Setting.documents.description) names \"\(folder)\", which is no folder.")
        }
        var documents: [String] = []
        for case let file as String in files where file.hasSuffix(".graphql") {
            let path = URL(filePath: folder).appending(path: file).path
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw UsageError(
                    "\(Setting.documents.description) has \"\(file)\", which cannot be read as text.")
            }
            documents.append(text)
        }
        self.init(trusting: documents, runsOnlyTrusted: runsOnlyTrusted)
    }
}
