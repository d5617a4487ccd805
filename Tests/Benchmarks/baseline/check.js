#!/usr/bin/env node
'use strict';

// Asks a server the four operations and ends with 1 unless each answer is right: check.js http://127.0.0.1:8080/graphql
const { check, names, read } = require('./workload.js');

(async () => {
  for (const name of names) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(process.argv[2], { method: 'POST', headers, body: read(`${name}.json`) });
    if (response.status !== 200) throw new Error(`${name}: status ${response.status}: ${await response.text()}`);
    check(name, await response.text());
  }
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
