import CMalloc
import Foundation
import NIOHTTP1

/// The memory of this process, for `/debug/memory`, in bytes.
///
/// The kernel's figures are those of proc(5), the heap's those of mallinfo2(3). A figure that the system does
/// not have is nil.
struct ProcessMemory: Sendable {
    /// `VmRSS`: memory in use, with shared libraries.
    let resident: Int?
    /// `VmHWM`: the maximum of `resident` since the start.
    let maximumResident: Int?
    /// Bytes that the program has allocated.
    let allocated: Int?
    /// Bytes that the allocator has free, and has not returned to the system.
    let free: Int?
    /// Bytes that the program has allocated in mappings of their own.
    let mapped: Int?

    static var current: ProcessMemory {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func kibibytes(_ name: String) -> Int? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
                .flatMap { Int($0) }.map { $0 * 1_024 }
        }
        #if canImport(Glibc)
        let heap = mallinfo2()
        let (allocated, free, mapped) = (Int(heap.uordblks), Int(heap.fordblks), Int(heap.hblkhd))
        return ProcessMemory(
            resident: kibibytes("VmRSS"), maximumResident: kibibytes("VmHWM"), allocated: allocated,
            free: free, mapped: mapped)
        #else
        return ProcessMemory(
            resident: kibibytes("VmRSS"), maximumResident: kibibytes("VmHWM"), allocated: nil, free: nil,
            mapped: nil)
        #endif
    }

    /// The response with these figures and those of the caches; a missing figure is null.
    func response(with caches: [CacheUse]) -> HTTPResponse {
        let figures: [(String, Int?)] = [
            ("residentBytes", resident), ("maximumResidentBytes", maximumResident),
            ("heapAllocatedBytes", allocated), ("heapFreeBytes", free), ("heapMappedBytes", mapped),
        ]
        let members =
            figures.map { "\"\($0)\":\($1.map(String.init) ?? "null")" }
            + ["\"caches\":[\(caches.map(\.json).joined(separator: ","))]"]
        var response = HTTPResponse(
            .ok, ResponseMediaType.json.contentType, body: Array("{\(members.joined(separator: ","))}".utf8))
        response.headers = [HTTPResponse.Header("cache-control", "no-store")]
        return response
    }
}

/// The use of one cache since the start of the process.
package struct CacheUse: Sendable {
    package let name: String
    /// The names of figures in JSON, and the figures.
    package let figures: [(name: String, value: Int)]

    /// `name` and the names of figures need no escape sequence.
    package init(name: String, figures: [(name: String, value: Int)]) {
        (self.name, self.figures) = (name, figures)
    }

    fileprivate var json: String {
        let members = figures.map { "\"\($0.name)\":\($0.value)" }
        return "{\"name\":\"\(name)\",\(members.joined(separator: ","))}"
    }
}
