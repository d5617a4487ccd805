import FuzzSupport
import GraphQL

/// The JSON reader, and what it makes of the bodies of requests.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe fuzzInput(start, count)
    checkValue(bytes)
    do throws(RequestBodyError) {
        _ = try Request(json: bytes)
    } catch {
        claim(!error.message.isEmpty, "An error without a message")
    }
    return 0
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
