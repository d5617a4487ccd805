import FuzzSupport
import GraphQL

/// The JSON reader, and the parser of request bodies.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe fuzzInput(start, count)
    checkValue(bytes)
    checkBody(bytes)
    return 0
}

/// Checks that a body is the same request with and without batches, and that a batch obeys its limit.
private func checkBody(_ bytes: [UInt8]) {
    let limit = 3
    do throws(RequestBodyError) {
        let request = try GraphQLRequest(json: bytes)
        guard case .single(let same) = try RequestBody(json: bytes.span, batchLimit: limit) else {
            return claim(false, "An object was read as a batch")
        }
        claim(request.document == same.document && request.variables == same.variables, "Two readings differ")
    } catch {
        claim(!error.message.isEmpty, "An error without a message")
    }
    do throws(RequestBodyError) {
        guard case .batch(let requests) = try RequestBody(json: bytes.span, batchLimit: limit) else { return }
        claim((1...limit).contains(requests.count), "A batch of \(requests.count)")
    } catch {
        claim(!error.message.isEmpty, "An error without a message")
    }
}

/// Checks that a parsed value can be written, and parses as the same value.
private func checkValue(_ bytes: [UInt8]) {
    do throws(JSONError) {
        let value = try InputValue(json: bytes)
        let written = value.json
        claim(
            (try? InputValue(json: written)) == value,
            "Written as \(String(decoding: written, as: UTF8.self))")
    } catch {
        claim(error.offset >= 0 && error.offset <= bytes.count, "\(error) lies outside of the text")
        claim(error.location.line >= 1 && error.location.column >= 1, "\(error.location)")
        claim(!error.message.isEmpty, "An error without a message")
    }
}
