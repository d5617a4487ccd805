import CJemalloc
import Foundation
import NIOHTTP1

/// The memory of this process, for `/debug/memory`, in bytes.
///
/// The kernel's figures are those of proc(5), the heap's those of jemalloc(3). A figure that the system does
/// not have is nil.
struct ProcessMemory: Sendable {
    /// `VmRSS`: memory in use, with shared libraries.
    let resident: Int?
    /// `VmHWM`: the maximum of `resident` since the start.
    let maximumResident: Int?
    /// `stats.allocated`: bytes that the program has allocated.
    let heapAllocated: Int?
    /// `stats.resident`: bytes in pages that the allocator uses or has not yet returned to the system.
    let heapResident: Int?
    /// `stats.mapped`: bytes of address space with allocations.
    let heapMapped: Int?

    static var current: ProcessMemory {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func kibibytes(_ name: String) -> Int? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
                .flatMap { Int($0) }.map { $0 * 1_024 }
        }
        refreshHeapFigures()
        return ProcessMemory(
            resident: kibibytes("VmRSS"), maximumResident: kibibytes("VmHWM"),
            heapAllocated: heapFigure("stats.allocated"), heapResident: heapFigure("stats.resident"),
            heapMapped: heapFigure("stats.mapped"))
    }

    /// jemalloc's figures are those of the last write to `epoch`.
    private static func refreshHeapFigures() {
        var epoch: UInt64 = 1
        _ = unsafe mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size)
    }

    private static func heapFigure(_ name: String) -> Int? {
        var bytes = 0
        var size = MemoryLayout<Int>.size
        guard unsafe mallctl(name, &bytes, &size, nil, 0) == 0 else { return nil }
        return bytes
    }

    /// The response with these figures and those of the caches; a missing figure is null.
    func response(with caches: [CacheUse]) -> HTTPResponse {
        let figures: [(String, Int?)] = [
            ("residentBytes", resident), ("maximumResidentBytes", maximumResident),
            ("heapAllocatedBytes", heapAllocated), ("heapResidentBytes", heapResident),
            ("heapMappedBytes", heapMapped),
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
