import PorticoCore
import TestSupport
import Testing

@Suite("Streams that store the latest value of each key")
struct ConflatingStreamTests {
    @Test("a slow reader gets the latest value of each key, in the order of the keys' first values")
    func conflation() async {
        let sent = Event<Void>()
        let stream = ConflatingStream<String, Int> { continuation in
            continuation.yield(1, for: "a")
            continuation.yield(2, for: "b")
            continuation.yield(3, for: "a")
            sent.happen(())
        }
        await sent.wait()
        var values: [Int] = []
        for await value in stream { values.append(value) }
        #expect(values == [3, 2])
    }

    @Test("beyond 50,000 keys the oldest value is dropped")
    func bound() async {
        let sent = Event<Void>()
        let stream = ConflatingStream<Int, Int> { continuation in
            for key in 0...50_000 { continuation.yield(key, for: key) }
            sent.happen(())
        }
        await sent.wait()
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == 1)
    }

    @Test("the producer is cancelled when the stream is released")
    func release() async {
        let (started, cancelled) = (Event<Void>(), Event<Void>())
        var stream: ConflatingStream<String, Int>? = ConflatingStream { _ in
            await withTaskCancellationHandler {
                started.happen(())
                await cancelled.wait()
            } onCancel: {
                cancelled.happen(())
            }
        }
        await started.wait()
        #expect(stream != nil)
        stream = nil
        await cancelled.wait()
    }

    @Test("a cancelled reader gets the end")
    func cancelledReader() async {
        let stream = ConflatingStream<String, Int> { _ in try? await Task.sleep(for: .seconds(3_600)) }
        let reader = Task {
            for await _ in stream { Issue.record("The stream has no values.") }
        }
        reader.cancel()
        await reader.value
    }
}
