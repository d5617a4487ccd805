package import GraphQL
import PorticoCore

/// A file with responses for a mock.
package struct MockResponsesFile {
    package let responses: InputObject

    /// Reads a file.
    ///
    /// - Throws: `UsageError` if it cannot be read, or is not a JSON object.
    package init(path: String) throws {
        let file = try InputFile(path: path)
        let value: InputValue
        do {
            value = try InputValue(json: file.bytes, limits: LargeStackThread.jsonLimits)
        } catch {
            throw UsageError("\(file.name) is not JSON: \(error.message)")
        }
        guard case .object(let responses) = value else {
            throw UsageError(
                "\(file.name): the values are not a JSON object, as in {\"Account.name\": \"Main\"}")
        }
        self.responses = responses
    }
}
