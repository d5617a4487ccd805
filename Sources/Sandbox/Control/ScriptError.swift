import NIOHTTP1

/// Why a script is refused.
struct ScriptError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    var response: SandboxResponse { .json(["error": .string(description)], status: .badRequest) }
}

extension SandboxRoute {
    /// An endpoint of the control API: the response to invalid input has the status 400 and names the error.
    static func control(
        _ method: HTTPMethod, _ template: PathTemplate,
        _ answer: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(method, template) { request in
            do {
                return try answer(request)
            } catch let error as ScriptError {
                return error.response
            } catch let error as JSONDocument.SyntaxError {
                return ScriptError("not JSON: \(error)").response
            }
        }
    }
}

extension JSONDocument {
    /// Refuses a mistyped or repeated member instead of passing over it.
    func requireMembers(_ names: Set<String>) throws(ScriptError) {
        guard case .object(let members) = self else { throw ScriptError("an object is expected") }
        var seen: Set<String> = []
        for member in members {
            guard names.contains(member.name) else {
                throw ScriptError("unknown member \"\(member.name)\"; known are \(names.sorted())")
            }
            guard seen.insert(member.name).inserted else {
                throw ScriptError("\"\(member.name)\" stands there twice")
            }
        }
    }

    /// The whole number of a member; nil when there is none.
    func integerMember(_ name: String, in range: ClosedRange<Int>) throws(ScriptError) -> Int? {
        guard let member = self[name] else { return nil }
        guard let number = member.integer, range.contains(number) else {
            throw ScriptError(
                "\"\(name)\" must be a whole number of \(range.lowerBound) ... \(range.upperBound)")
        }
        return number
    }

    /// The text of a member; nil when there is none.
    func text(_ name: String, such example: String) throws(ScriptError) -> String? {
        guard let member = self[name] else { return nil }
        guard let text = member.string else {
            throw ScriptError("\"\(name)\" must be a string such as \"\(example)\"")
        }
        return text
    }
}
