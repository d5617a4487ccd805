/// Where in the response the write pass stands: a stack of integers, made into names only when something fails.
///
/// A response key is kept as the complement of its index in the plan's keys (so it is negative), a list position as
/// itself. The top of the stack is the field or item that is being written now.
@usableFromInline
@frozen
@safe
struct ResponsePath: ~Copyable {
    /// The position of the top; -1 before the root object has been entered.
    @usableFromInline
    var depth = -1
    @usableFromInline
    var segments: UnsafeMutablePointer<Int>
    @usableFromInline
    var capacity: Int
    /// Whether the memory is the path's own, which it is once it has grown.
    @usableFromInline
    var isOwner = false

    /// As deep as paths are as a rule.
    static var usualDepth: Int { 32 }

    /// - Parameter room: Where the path begins, with room for `usualDepth` segments; it lives longer.
    init(in room: UnsafeMutablePointer<Int>) {
        unsafe segments = room
        capacity = ResponsePath.usualDepth
    }

    @inlinable
    deinit {
        if isOwner { unsafe segments.deallocate() }
    }

    /// Goes one level down; the caller sets the new top.
    @inlinable
    @inline(__always)
    mutating func enter() {
        depth &+= 1
        if depth == capacity { grow() }
    }

    /// Comes back up.
    @inlinable
    @inline(__always)
    mutating func exit() {
        depth &-= 1
    }

    /// Names the item that is written now.
    @inlinable
    @inline(__always)
    mutating func set(index: Int) {
        unsafe segments[depth] = index
    }

    /// Names the field that is written now.
    @inlinable
    @inline(__always)
    mutating func set(key: Int) {
        unsafe segments[depth] = ~key
    }

    /// The path so far, the top included.
    var copy: [Int] {
        unsafe Array(UnsafeBufferPointer(start: segments, count: depth + 1))
    }

    @inline(never)
    @usableFromInline
    mutating func grow() {
        let larger = UnsafeMutablePointer<Int>.allocate(capacity: capacity * 2)
        unsafe larger.update(from: segments, count: capacity)
        if isOwner { unsafe segments.deallocate() }
        unsafe segments = larger
        isOwner = true
        capacity *= 2
    }
}

/// A field or item that failed, as the write pass notes it.
@usableFromInline
struct FieldFailure {
    /// A `ResponsePath`, its top included.
    let path: [Int]
    let error: any Error

    /// The least bytes of its entry in `errors`: with a location, a path of short segments and no message.
    var leastBytes: Int { 60 + path.count * 2 }
}
