import FuzzSupport
import GraphQL

/// The JSON reader, and what it makes of the bodies of requests.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe fuzzInput(start, count)
    checkValue(bytes)
    checkBody(bytes)
    return 0
}

/// A body is the same request alone as where a batch might be, and a batch keeps to its limit.
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

/// What is read can be written, and reads as the same again.
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
