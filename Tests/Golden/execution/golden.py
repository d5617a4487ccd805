"""Writes cases.ndjson: cases for the tests, with what graphql-core 3.3.2 answers (see README.md).

    /tmp/graphql-core/bin/python golden.py > cases.ndjson
"""

import json

import generate
import record

SEED = 2025
LONGEST_CASE = 3_500


def main():
    schema = None
    for case in generate.cases(SEED, 36, 10, depth=2):
        answer = record.answer(case)
        if len(json.dumps([case, answer])) - len(case["schema"]) > LONGEST_CASE:
            continue
        if case["schema"] != schema:
            schema = case["schema"]
            print(json.dumps({"schema": schema}, ensure_ascii=False, separators=(",", ":")))
        del case["schema"]
        print(json.dumps({"case": case, "answer": answer}, ensure_ascii=False, separators=(",", ":")))


main()
