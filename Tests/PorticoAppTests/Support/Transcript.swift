import Synchronization

/// What a process writes to one of its outputs, as it comes.
final class Transcript: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// All that has come so far.
    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// What `find` makes of the text, as soon as it makes something of it; nil where the process ends before.
    func first<Found>(_ find: (String) -> Found?) async -> Found? {
        while true {
            let (bytes, isOver) = state.withLock { ($0.bytes, $0.isOver) }
            if let found = find(String(decoding: bytes, as: UTF8.self)) { return found }
            if isOver { return nil }
            await change(after: bytes.count)
        }
    }

    /// Everything, once nothing more will come.
    func whole() async -> String {
        _ = await first { _ in Never?.none }
        return text
    }

    /// Takes what comes from a pipe until its other end is closed.
    func follow(_ pipe: OutputPipe) {
        pipe.read { self.take($0) }
    }

    /// No bytes are the end.
    private func take(_ bytes: ArraySlice<UInt8>) {
        let waiting = state.withLock { state in
            state.bytes += bytes
            if bytes.isEmpty { state.isOver = true }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for more than so many bytes, or the end.
    private func change(after known: Int) async {
        await withCheckedContinuation { continuation in
            let isNews = state.withLock { state in
                let isNews = state.isOver || state.bytes.count > known
                if !isNews { state.waiting.append(continuation) }
                return isNews
            }
            if isNews { continuation.resume() }
        }
    }
}
