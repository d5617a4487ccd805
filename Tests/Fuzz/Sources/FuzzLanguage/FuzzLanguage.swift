import FuzzSupport
import GraphQL

/// Lexer, parser and printer, on arbitrary bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLanguage(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let source = unsafe SourceText(bytes: fuzzInput(start, count))
    checkDocument(source)
    checkParts(source)
    return 0
}

/// Checks that a parsed document can be printed, and that its canonical form is stable.
private func checkDocument(_ source: SourceText) {
    do throws(SyntaxError) {
        let printed = try parse(source).print()
        do throws(SyntaxError) {
            let again = try parse(printed).print()
            claim(printed == again, "Printing is no fixed point:\n\(printed)\nbecomes\n\(again)")
        } catch {
            claim(false, "What was printed does not parse: \(error.message)\n\(printed)")
        }
    } catch {
        checkPlace(of: error, in: source)
    }
}

/// Checks the same for the parts that can be parsed alone.
private func checkParts(_ source: SourceText) {
    if let value = try? parseValue(source, isConstant: false) {
        let printed = value.print()
        claim(
            (try? parseValue(SourceText(printed), isConstant: false))?.print() == printed,
            "A value: \(printed)")
    }
    if let type = try? parseType(source) {
        let printed = type.print()
        claim((try? parseType(SourceText(printed)))?.print() == printed, "A type: \(printed)")
    }
    if let coordinate = try? SchemaCoordinate(parsing: source) {
        let printed = coordinate.description
        let again = try? SchemaCoordinate(parsing: SourceText(printed))
        claim(again?.description == printed, "A coordinate: \(printed)")
    }
}

/// Checks that an error is inside the text, and can be printed.
private func checkPlace(of error: SyntaxError, in source: SourceText) {
    claim(error.location.line >= 1 && error.location.column >= 1, "\(error.location)")
    claim(!error.message.isEmpty, "An error without a message")
    _ = error.description
}
