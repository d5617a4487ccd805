import Brokerage
import Sandbox
import TestSupport
import Testing

/// The parameters that the adapters have sent to the sandbox, compared with the official documents of the providers.
struct ParameterCheck {
    /// Parameters of operations that the documents do not have, as `POLYGON GET /v3/reference/tickers: serach`.
    private(set) var undocumented: [String] = []
    /// The parameters of each endpoint, as lines.
    private(set) var lines: [String] = []
    /// The number of parameters that are in the documents.
    private(set) var documentedCount = 0

    private static let tables: [ProviderID: String] = [.alpaca: "alpaca", .polygon: "polygon", .saxo: "saxo"]

    init(_ calls: Calls) throws {
        for provider in ProviderID.allCases {
            let specification = try Self.tables[provider].map(Specification.init(of:))
            for (endpoint, parameters) in calls.parameters(of: provider) where !parameters.isEmpty {
                let words = endpoint.split(separator: " ").map(String.init)
                let operation = words.count == 2 ? specification?.operation(words[0], words[1]) : nil
                let mark = operation == nil ? " (no document)" : ""
                lines.append(
                    "\(provider.name.text) \(endpoint)\(mark): \(parameters.joined(separator: ", "))")
                guard let specification, let operation else { continue }
                let unknown = specification.unknownParameters(parameters, of: operation)
                documentedCount += parameters.count - unknown.count
                undocumented += unknown.map { "\(provider.name.text) \(endpoint): \($0)" }
            }
        }
    }

    /// Compares the parameters with the recorded ones, which show the difference if an adapter sends another.
    static func compare(_ calls: Calls, with name: String) throws {
        let check = try ParameterCheck(calls)
        #expect(check.undocumented.isEmpty)
        let count = "\(check.documentedCount) parameters are in the documents of the providers.\n"
        try Golden.compare(check.lines.joined(separator: "\n") + "\n" + count, with: name)
    }
}
