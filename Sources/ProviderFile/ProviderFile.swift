package import Brokerage
import Contract
import Foundation

/// The providers that a file describes.
package struct ProviderFile: Sendable {
    package let providers: [ProviderDescription]

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: YAML or JSON.
    ///   - file: The name of the file, for messages.
    ///   - compiled: The providers whose names the file must not have.
    /// - Throws: `FileProblems` with all errors of the text.
    package init(
        _ text: String, file: String, compiled: [ProviderID] = ProviderID.allCases
    ) throws(FileProblems) {
        let node = try FileNode(text, file: file)
        let schema = try FileSchema(Contract.providerFileSchema)
        let problems = schema.problems(node, file: file)
        var reader = ProviderFileReader(file: file, compiled: compiled)
        let providers = reader.providers(node)
        let all = FileProblems(problems + reader.problems)
        guard all.problems.isEmpty else { throw all }
        self.providers = providers
    }

    /// Reads a file.
    ///
    /// - Throws: `FileProblems` with all errors of the file, also if it cannot be read.
    package init(path: String, compiled: [ProviderID] = ProviderID.allCases) throws(FileProblems) {
        try self.init(Self.text(of: path), file: path, compiled: compiled)
    }

    /// The text of a file.
    ///
    /// - Throws: `FileProblems` for a file that cannot be read, is too large, or is not UTF-8.
    package static func text(of path: String) throws(FileProblems) -> String {
        func fail(_ message: String) -> FileProblems {
            FileProblems([FileProblem(file: path, line: 1, column: 1, field: "", message: message)])
        }
        // An empty file is no data, and no error.
        guard let handle = FileHandle(forReadingAtPath: path),
            case .success(let data) = Result(catching: {
                try handle.read(upToCount: FileNode.maximumBytes + 1) ?? Data()
            })
        else { throw fail("The file cannot be read. Check the path and the permissions.") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw fail("The file is not UTF-8. Save it in UTF-8.")
        }
        return text
    }

    /// The provider with a name; nil if the file has none.
    package subscript(name: ProviderName) -> ProviderDescription? {
        providers.first { $0.name == name }
    }
}
