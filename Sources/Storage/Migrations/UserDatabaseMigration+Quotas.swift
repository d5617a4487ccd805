extension UserDatabaseMigration {
    /// The slots of the windows of quotas.
    ///
    /// `ends` has the times at which slots are free again, in rising order and each once; `calls` has the number of slots
    /// for each. The time of a row never decreases: `changed_at` is the time of the last change of its
    /// slots or of `closed_until`.
    static let quotas = """
        CREATE TABLE quota (
            provider \(SQLDialect.postgresText) NOT NULL, credential \(SQLDialect.postgresText) NOT NULL, name \(SQLDialect.postgresText) NOT NULL,
            ends BIGINT[] NOT NULL DEFAULT '{}', calls BIGINT[] NOT NULL DEFAULT '{}',
            reported BIGINT, closed_until BIGINT NOT NULL DEFAULT 0, rejections BIGINT NOT NULL DEFAULT 0,
            changed_at BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (provider, credential, name)
        ) WITH (fillfactor = 50);
        CREATE INDEX quota_change ON quota (changed_at);
        """

    /// The operations of `PostgresQuota`, each of which is one statement.
    ///
    /// The rules are those of `QuotaWindowCounter` and `QuotaWindow.shared(of:)`, with the same constants in milliseconds: 25 hours
    /// for the longest closure, 1 s for the shortest, 2¹⁶ for the largest factor, and a minute for windows with a share.
    ///
    /// - `quota_lock` makes missing rows, and locks the rows of an account in the order of their names, so that there is
    ///   no deadlock. It returns the time, read after the wait.
    /// - `quota_earliest` is `QuotaWindowCounter.earliest` without closures and shares, which its caller applies.
    /// - `quota_add` adds slots to a row, or removes them, and forgets those that have ended. `width_bucket` is the number of
    ///   ends up to a time.
    /// - `quota_step` rounds a time up to a multiple of a step, without which it is exact. The caller determines the step
    ///   (`QuotaWindow.step`), so that processes and the database count alike.
    /// - `quota_slot_end` is the time at which a slot is free that may be used until a time. Without a period, the window is a day
    ///   in New York.
    /// - `quota_figures` returns the state of one window.
    /// - `quota_reserve` takes a slot in each window of a call, or in none, for several calls. It returns a row for each
    ///   window of a call, and one without a window for a call that gets no slot. Without `p_waits` it waits for no lock: a call
    ///   whose rows are locked, or do not exist yet, is busy.
    /// - `quota_record` applies the figures and refusals of a response, and returns the state of each window.
    static let quotaFunctions = """
        CREATE OR REPLACE FUNCTION quota_lock(p_provider TEXT, p_credential TEXT, p_windows JSONB)
        RETURNS BIGINT LANGUAGE plpgsql AS $$
        DECLARE
            wanted CONSTANT BIGINT := (SELECT count(DISTINCT w->>'name') FROM jsonb_array_elements(p_windows) w);
            known BIGINT;
            latest BIGINT;
        BEGIN
            LOOP
                -- Before the first lock: a new row may have to wait for another transaction that inserts it.
                INSERT INTO quota (provider, credential, name)
                    SELECT DISTINCT p_provider, p_credential, w->>'name' FROM jsonb_array_elements(p_windows) w
                    WHERE NOT EXISTS (SELECT 1 FROM quota
                        WHERE provider = p_provider AND credential = p_credential AND name = w->>'name')
                    ORDER BY 3
                ON CONFLICT DO NOTHING;
                SELECT count(*), max(locked.changed_at) INTO known, latest FROM (
                    SELECT quota.changed_at FROM quota
                    WHERE provider = p_provider AND credential = p_credential
                        AND name IN (SELECT w->>'name' FROM jsonb_array_elements(p_windows) w)
                    ORDER BY name FOR UPDATE
                ) locked;
                EXIT WHEN known >= wanted;
            END LOOP;
            RETURN greatest(clock_milliseconds(), latest);
        END $$;
        CREATE OR REPLACE FUNCTION quota_earliest(p_ends BIGINT[], p_calls BIGINT[], p_limit BIGINT, p_from BIGINT)
        RETURNS BIGINT LANGUAGE plpgsql IMMUTABLE AS $$
        DECLARE
            later BIGINT := 0;
        BEGIN
            IF p_limit <= 0 OR p_from IS NULL THEN RETURN NULL; END IF;
            SELECT coalesce(sum(number), 0) INTO later FROM unnest(p_calls[width_bucket(p_from, p_ends) + 1:]) number;
            IF later < p_limit THEN RETURN p_from; END IF;
            later := 0;
            FOR i IN REVERSE cardinality(p_ends)..1 LOOP
                later := later + p_calls[i];
                IF later >= p_limit THEN RETURN p_ends[i]; END IF;
            END LOOP;
        END $$;
        CREATE OR REPLACE FUNCTION quota_add(
            p_provider TEXT, p_credential TEXT, p_name TEXT, p_now BIGINT, p_end BIGINT, p_calls BIGINT
        ) RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            known quota%ROWTYPE;
            first INT;
            place INT;
            before INT;
            number BIGINT := p_calls;
        BEGIN
            SELECT * INTO known FROM quota
                WHERE provider = p_provider AND credential = p_credential AND name = p_name;
            first := width_bucket(p_now, known.ends) + 1;
            place := width_bucket(p_end, known.ends);
            before := place;
            IF known.ends[place] = p_end THEN
                before := place - 1;
                number := number + known.calls[place];
            END IF;
            IF number > 0 AND p_end > p_now THEN
                known.ends := known.ends[first:before] || p_end || known.ends[place + 1:];
                known.calls := known.calls[first:before] || number || known.calls[place + 1:];
            ELSE
                known.ends := known.ends[first:before] || known.ends[greatest(place + 1, first):];
                known.calls := known.calls[first:before] || known.calls[greatest(place + 1, first):];
            END IF;
            UPDATE quota SET changed_at = p_now, ends = known.ends, calls = known.calls
                WHERE provider = p_provider AND credential = p_credential AND name = p_name;
        END $$;
        CREATE OR REPLACE FUNCTION quota_step(p_end BIGINT, p_step BIGINT)
        RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
            SELECT CASE WHEN p_step > 0 THEN (p_end + p_step - 1) / p_step * p_step ELSE p_end END
        $$;
        CREATE OR REPLACE FUNCTION quota_slot_end(p_until BIGINT, p_period BIGINT, p_step BIGINT)
        RETURNS BIGINT LANGUAGE sql STABLE AS $$
            SELECT CASE
                WHEN p_period IS NULL THEN CAST(extract(epoch FROM (
                    date_trunc('day', to_timestamp(p_until / 1000.0) AT TIME ZONE 'America/New_York') + INTERVAL '1 day'
                ) AT TIME ZONE 'America/New_York') * 1000 AS BIGINT)
                ELSE quota_step(p_until + p_period, p_step)
            END
        $$;
        CREATE OR REPLACE FUNCTION quota_figures(
            p_row quota, p_limit BIGINT, p_now BIGINT,
            OUT window_limit BIGINT, OUT remaining BIGINT, OUT resets_in BIGINT, OUT is_refused BOOLEAN
        ) LANGUAGE sql STABLE AS $$
            SELECT least(p_limit, p_row.reported),
                CASE WHEN p_row.closed_until > p_now THEN 0
                    ELSE greatest(0, least(p_limit, p_row.reported) - coalesce(sum(number), 0)) END,
                nullif(greatest(coalesce(max(ending), 0), p_row.closed_until, p_now), p_now) - p_now, p_row.rejections > 0
            FROM unnest(p_row.ends, p_row.calls) AS known (ending, number) WHERE ending > p_now
        $$;
        CREATE OR REPLACE FUNCTION quota_reserve(p_calls JSONB, p_waits BOOLEAN)
        RETURNS TABLE (
            call BIGINT, is_busy BOOLEAN, moment BIGINT, start BIGINT, retry_at BIGINT, is_of_share BOOLEAN, window_name TEXT,
            slot_end BIGINT, window_limit BIGINT, remaining BIGINT, resets_in BIGINT, is_refused BOOLEAN
        ) LANGUAGE plpgsql AS $$
        DECLARE
            item RECORD;
            entry RECORD;
            others BIGINT;
            known BIGINT;
        BEGIN
            FOR item IN
                SELECT number, c.* FROM ROWS FROM (jsonb_to_recordset(p_calls)
                    AS (provider TEXT, credential TEXT, windows JSONB, wait BIGINT, "isShared" BOOLEAN)
                ) WITH ORDINALITY AS c (provider, credential, windows, wait, is_shared, number)
            LOOP
                call := item.number - 1;
                is_busy := false;
                IF p_waits THEN
                    moment := quota_lock(item.provider, item.credential, item.windows);
                ELSE
                    SELECT count(*), greatest(clock_milliseconds(), max(locked.changed_at)) INTO known, moment FROM (
                        SELECT quota.changed_at FROM quota
                        WHERE provider = item.provider AND credential = item.credential
                            AND name IN (SELECT w->>'name' FROM jsonb_array_elements(item.windows) w)
                        FOR UPDATE SKIP LOCKED
                    ) locked;
                    IF known < (SELECT count(DISTINCT w->>'name') FROM jsonb_array_elements(item.windows) w) THEN
                        is_busy := true;
                        start := NULL;
                        retry_at := NULL;
                        is_of_share := false;
                        window_name := NULL;
                        RETURN NEXT;
                        CONTINUE;
                    END IF;
                END IF;
                start := moment;
                others := moment;
                FOR entry IN
                    SELECT quota.*, least(w.size, reported) AS size, CASE
                            WHEN item.is_shared AND coalesce(w.period, 86400000) >= 60000
                            THEN (least(w.size, reported) + 1) / 2 ELSE least(w.size, reported) END AS share
                    FROM quota JOIN jsonb_to_recordset(item.windows) AS w (name TEXT, size BIGINT, period BIGINT)
                        USING (name)
                    WHERE provider = item.provider AND credential = item.credential ORDER BY name
                LOOP
                    IF start IS NOT NULL THEN
                        start := quota_earliest(entry.ends, entry.calls, entry.share, greatest(start, entry.closed_until));
                    END IF;
                    IF others IS NOT NULL THEN
                        others := quota_earliest(entry.ends, entry.calls, entry.size, greatest(others, entry.closed_until));
                    END IF;
                END LOOP;
                IF start IS NULL OR start > others OR (start > moment AND start >= moment + item.wait) THEN
                    retry_at := start;
                    is_of_share := item.is_shared AND others IS NOT NULL AND (others <= moment OR others < moment + item.wait);
                    start := NULL;
                    window_name := NULL;
                    RETURN NEXT;
                    CONTINUE;
                END IF;
                retry_at := NULL;
                is_of_share := false;
                FOR entry IN
                    SELECT w.* FROM jsonb_to_recordset(item.windows)
                        AS w (name TEXT, size BIGINT, period BIGINT, step BIGINT, validity BIGINT) ORDER BY name
                LOOP
                    window_name := entry.name;
                    slot_end := quota_slot_end(start + entry.validity, entry.period, entry.step);
                    PERFORM quota_add(item.provider, item.credential, entry.name, moment, slot_end, 1);
                    SELECT f.* INTO window_limit, remaining, resets_in, is_refused
                        FROM quota, quota_figures(quota, entry.size, moment) f
                        WHERE provider = item.provider AND credential = item.credential AND name = entry.name;
                    RETURN NEXT;
                END LOOP;
            END LOOP;
        END $$;
        CREATE OR REPLACE FUNCTION quota_release(p_provider TEXT, p_credential TEXT, p_slots JSONB)
        RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE
            moment CONSTANT BIGINT := quota_lock(p_provider, p_credential, p_slots);
            slot RECORD;
        BEGIN
            FOR slot IN
                SELECT s.name, s."end" AS ending FROM jsonb_to_recordset(p_slots) AS s (name TEXT, "end" BIGINT)
            LOOP
                PERFORM quota_add(p_provider, p_credential, slot.name, moment, slot.ending, -1);
            END LOOP;
        END $$;
        CREATE OR REPLACE FUNCTION quota_record(p_provider TEXT, p_credential TEXT, p_notes JSONB)
        RETURNS TABLE (
            window_name TEXT, window_limit BIGINT, remaining BIGINT, resets_in BIGINT, is_refused BOOLEAN
        ) LANGUAGE plpgsql AS $$
        DECLARE
            moment CONSTANT BIGINT := quota_lock(p_provider, p_credential, p_notes);
            note RECORD;
            known_row quota%ROWTYPE;
            new_limit BIGINT;
            bound BIGINT;
            missing BIGINT;
        BEGIN
            FOR note IN
                SELECT n.* FROM jsonb_to_recordset(p_notes) AS n (
                    name TEXT, size BIGINT, period BIGINT, step BIGINT, longest BIGINT, "isReported" BOOLEAN, reported BIGINT,
                    remaining BIGINT, "resetsIn" BIGINT, "isClosed" BOOLEAN, "isAdmitted" BOOLEAN, "retryIn" BIGINT
                ) ORDER BY name
            LOOP
                SELECT * INTO known_row FROM quota
                    WHERE provider = p_provider AND credential = p_credential AND name = note.name;
                IF note."isReported" THEN
                    -- With a limit of zero no call would be sent, so no later response could end it.
                    new_limit := CASE WHEN note.reported IS NOT NULL THEN greatest(note.reported, 1) END;
                    UPDATE quota SET reported = new_limit
                        WHERE provider = p_provider AND credential = p_credential AND name = note.name;
                    bound := least(note.size, new_limit);
                    SELECT bound - coalesce(sum(number), 0) - least(greatest(note.remaining, 0), bound) INTO missing
                        FROM unnest(known_row.ends, known_row.calls) AS known (ending, number) WHERE ending > moment;
                    IF missing > 0 AND coalesce(note."resetsIn", 1) > 0 THEN
                        PERFORM quota_add(p_provider, p_credential, note.name, moment,
                            CASE WHEN note."resetsIn" IS NULL THEN quota_slot_end(moment, note.period, note.step)
                                ELSE quota_step(moment + least(note."resetsIn", note.longest), note.step) END, missing);
                    END IF;
                END IF;
                IF note."isClosed" THEN
                    -- A refusal without a time closes the window for a second, the next one for two, up to its length.
                    -- `least` ignores NULL, so the time is chosen first.
                    UPDATE quota SET
                        closed_until = greatest(closed_until, moment + least(90000000, coalesce(
                            note."retryIn",
                            least(1000 * (1 << CAST(least(rejections, 16) AS INT)), greatest(note.longest, 1000))))),
                        rejections = rejections + CASE WHEN note."retryIn" IS NULL THEN 1 ELSE 0 END,
                        changed_at = moment
                    WHERE provider = p_provider AND credential = p_credential AND name = note.name;
                ELSIF note."isAdmitted" AND known_row.rejections > 0 THEN
                    UPDATE quota SET rejections = 0
                        WHERE provider = p_provider AND credential = p_credential AND name = note.name;
                END IF;
                window_name := note.name;
                SELECT f.* INTO window_limit, remaining, resets_in, is_refused
                    FROM quota, quota_figures(quota, note.size, moment) f
                    WHERE provider = p_provider AND credential = p_credential AND name = note.name;
                RETURN NEXT;
            END LOOP;
        END $$;
        """
}
