#!/usr/bin/env node
'use strict';

// Measures graphql-js on the workload, the engine alone, and prints one JSON object: medians in microseconds.
//   cached: execute a document that is parsed and validated, and write the answer as JSON
//   cold:   parse, validate, execute and write
//   parse, validate: these alone
const { check, execute, graphql, names, prepare, read, schema } = require('./workload.js');

const samples = 101;
const sampleNanoseconds = 5e6;

/**
 * The time that this process has had the processor, in nanoseconds: on a busy machine it leaves out what other
 * programs take.
 */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/** The median time of one call, from samples of as many calls as last some milliseconds, after as long a warm-up. */
function median(operation) {
  const time = (calls) => {
    const start = processorTime();
    for (let call = 0; call < calls; call += 1) operation();
    return processorTime() - start;
  };
  let calls = 1;
  while (time(calls) < sampleNanoseconds) calls *= 2;
  for (let sample = 0; sample < samples; sample += 1) time(calls);
  const times = Array.from({ length: samples }, () => time(calls) / calls / 1000);
  return Number(times.sort((a, b) => a - b)[samples >> 1].toFixed(2));
}

const result = { engine: 'graphql-js', version: graphql.version, node: process.versions.node };
for (const name of names) {
  const source = read(`${name}.graphql`);
  const { variables } = JSON.parse(read(`${name}.json`));
  const document = prepare(source);
  check(name, JSON.stringify(execute(document, variables)));
  result[name] = {
    cached: median(() => JSON.stringify(execute(document, variables))),
    cold: median(() => JSON.stringify(execute(prepare(source), variables))),
    parse: median(() => graphql.parse(source)),
    validate: median(() => graphql.validate(schema, document)),
  };
}
console.log(JSON.stringify(result));
