import GraphQL

/// One line of a batch's input.
struct BatchCase {
    let id: InputValue
    let action: Action
    let schema: String?
    let document: String?
    let operationName: String?
    let variables: InputObject
    let rootValue: InputValue

    /// What is done with the document or the schema.
    enum Action: String, CaseIterable {
        case parse, print, validate, execute, introspect
    }

    /// Why a line is no case.
    struct Fault: Error {
        /// What the line says of its id, so that whoever sent it finds it again.
        let id: InputValue
        let message: String
    }

    /// Reads a line.
    init(_ line: [UInt8]) throws(Fault) {
        let members: InputObject
        do {
            guard case .object(let object) = try InputValue(json: line, limits: LargeStackThread.jsonLimits)
            else {
                throw Fault(id: .null, message: "A case is a JSON object.")
            }
            members = object
        } catch let fault as Fault {
            throw fault
        } catch let error as JSONError {
            throw Fault(id: .null, message: "The line is no JSON: \(error.message)")
        } catch {
            throw Fault(id: .null, message: "The line is no JSON.")
        }
        let reader = BatchFieldReader(members)
        id = reader.id
        action = try reader.action()
        schema = try reader.text("schema")
        document = try reader.text("document")
        operationName = try reader.text("operationName")
        variables = try reader.object("variables")
        rootValue = members["rootValue"] ?? .null
    }
}

/// Takes the members of a case one by one.
private struct BatchFieldReader {
    let members: InputObject
    let id: InputValue

    init(_ members: InputObject) {
        self.members = members
        id = members["id"] ?? .null
    }

    func action() throws(BatchCase.Fault) -> BatchCase.Action {
        guard let name = try text("action") else { throw fault("A case has an \"action\": \(known).") }
        guard let action = BatchCase.Action(rawValue: name) else {
            throw fault("The action \"\(name)\" is none of \(known).")
        }
        return action
    }

    private var known: String {
        BatchCase.Action.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }

    func text(_ name: String) throws(BatchCase.Fault) -> String? {
        switch members[name] {
        case .string(let text): return text
        case nil, .null: return nil
        case .boolean, .int, .number, .enum, .list, .object: throw fault("\"\(name)\" is not a string.")
        }
    }

    func object(_ name: String) throws(BatchCase.Fault) -> InputObject {
        switch members[name] {
        case .object(let object): return object
        case nil, .null: return InputObject()
        case .boolean, .int, .number, .string, .enum, .list: throw fault("\"\(name)\" is not an object.")
        }
    }

    private func fault(_ message: String) -> BatchCase.Fault {
        BatchCase.Fault(id: id, message: message)
    }
}
