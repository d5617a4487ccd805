import PorticoCore
import TestSupport
import Testing

@Suite("The slot of a request")
struct AdmissionSlotTests {
    private let queue = AdmissionQueue(limit: 1, queueLimit: 1)

    private func admit() {
        guard case .admitted = queue.acquire(onAdmission: {}) else {
            Issue.record("The queue is not empty.")
            return
        }
    }

    @Test("is returned once while several tasks of the request wait, and taken again")
    func several() async throws {
        admit()
        let (first, second, end) = (Event<Void>(), Event<Void>(), Event<Void>())
        try await AdmissionSlot.held(of: queue) {
            await withTaskGroup(of: Void.self) { group in
                for event in [first, second] {
                    group.addTask {
                        await AdmissionSlot.released {
                            event.happen()
                            await end.wait()
                        }
                    }
                }
                await first.wait()
                await second.wait()
                #expect(queue.occupancy.admitted == 0)
                end.happen()
            }
            #expect(queue.occupancy.admitted == 1)
            // Each later wait returns it again.
            let during = await AdmissionSlot.released { queue.occupancy.admitted }
            #expect(during == 0)
            #expect(queue.occupancy.admitted == 1)
        }
    }

    @Test("is not returned by a task that has none")
    func none() async {
        admit()
        let during = await AdmissionSlot.released { queue.occupancy.admitted }
        #expect(during == 1)
    }

    @Test("is not passed on by a cancelled request, which took it beyond the limit")
    func cancelled() async throws {
        let queue = AdmissionQueue(limit: 1, queueLimit: 2)
        guard case .admitted = queue.acquire(onAdmission: {}) else { return fail("admitted") }
        let (isReleased, end) = (Event<Void>(), Event<Void>())
        let request = Task {
            try await AdmissionSlot.held(of: queue) {
                await AdmissionSlot.released {
                    isReleased.happen()
                    await end.wait()
                }
            }
        }
        await isReleased.wait()
        guard case .admitted = queue.acquire(onAdmission: {}) else { return fail("admitted") }
        let isNextAdmitted = Event<Void>()
        guard case .queued = queue.acquire(onAdmission: { isNextAdmitted.happen() }) else {
            return fail("queued")
        }
        guard case .queued = queue.acquire(onAdmission: {}) else { return fail("queued") }
        // It does not matter whether it waits again before or after it is cancelled.
        end.happen()
        request.cancel()
        try await request.value
        #expect(queue.occupancy == (2, 2))
        queue.release()
        #expect(queue.occupancy == (1, 2))
        #expect(!isNextAdmitted.hasHappened)
        // The slot within the limit is passed on.
        queue.release()
        #expect(queue.occupancy == (1, 1))
        #expect(isNextAdmitted.hasHappened)
    }

    private func fail(_ entry: String) { Issue.record("A request is not \(entry).") }
}
