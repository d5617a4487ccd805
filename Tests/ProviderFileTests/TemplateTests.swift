import ProviderFile
import Testing

@Suite("A provider file")
struct EmptyFileTests {
    @Test("that is empty has an error with its place")
    func empty() {
        let error = #expect(throws: FileProblems.self) { try ProviderFile("", file: "p.yaml") }
        #expect(
            error?.description
                == #"p.yaml:1:1: The file is empty. It needs "version" and "providers"."#)
    }
}
