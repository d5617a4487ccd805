import CPQ
import Foundation

/// The result of a statement, with values in binary form.
///
/// The pointer is this object's own, hence `@safe`.
@safe
final class PostgresResult {
    private let handle: OpaquePointer

    /// Takes over a result of libpq.
    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe PQclear(handle) }

    /// The server's refusal of the statement; nil if it was executed.
    var failure: PostgresFailure? {
        let status = unsafe PQresultStatus(handle)
        if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY {
            return nil
        }
        // Without a state, libpq reports a lost connection.
        guard let state = unsafe cpq_sql_state(handle) else { return .lost }
        return .refused(state: unsafe String(cString: state))
    }

    /// `COMMIT`, `ROLLBACK`, `UPDATE 3` and so on.
    var command: String { unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? "" }

    /// The number of rows that the statement inserted, changed or deleted.
    var changedRows: Int {
        unsafe PQcmdTuples(handle).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    var count: Int { Int(unsafe PQntuples(handle)) }

    var columnCount: Int { Int(unsafe PQnfields(handle)) }

    var columns: [String] {
        let count = unsafe PQnfields(handle)
        return (0..<count).map { column in
            unsafe PQfname(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// The value of a column of a row, which must be below ``columnCount`` and ``count``.
    ///
    /// - Throws: `CorruptedRow` for a type that no table of Portico has.
    func value(_ row: Int32, _ column: Int32) throws(CorruptedRow) -> SQLValue {
        guard unsafe PQgetisnull(handle, row, column) == 0, let start = unsafe PQgetvalue(handle, row, column)
        else { return .null }
        // The bytes belong to the result and are copied.
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, column)))
        switch unsafe PQftype(handle, column) {
        case Self.boolean: return .boolean(unsafe bytes.first != 0)
        case Self.bytes: return unsafe .bytes(Data(bytes))
        case Self.bigint, Self.integer, Self.smallint:
            // Big-endian two's complement of 8, 4 or 2 bytes.
            let isNegative = unsafe (bytes.first ?? 0) >= 0x80
            return .integer(
                unsafe bytes.reduce(isNegative ? -1 : 0) { ($0 << 8) | Int64($1) })
        case Self.text, Self.name, Self.varchar, Self.unknown:
            return .text(unsafe String(decoding: bytes, as: UTF8.self))
        default: throw CorruptedRow()
        }
    }

    // Object identifiers of `pg_type`, which never change.
    private static let boolean: Oid = 16
    private static let bytes: Oid = 17
    private static let name: Oid = 19
    private static let bigint: Oid = 20
    private static let smallint: Oid = 21
    private static let integer: Oid = 23
    private static let text: Oid = 25
    private static let unknown: Oid = 705
    private static let varchar: Oid = 1043
}
