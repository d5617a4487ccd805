#!/usr/bin/env node
'use strict';

// graphql-js behind Node's HTTP server, on the loopback port $PORT: POST /graphql. Documents are cached by their
// text, as any server that is measured against would do.
const http = require('http');
const { execute, prepare } = require('./workload.js');

const documents = new Map();

function answer(body) {
  const { query, variables } = JSON.parse(body);
  let document = documents.get(query);
  if (!document) documents.set(query, (document = prepare(query)));
  return JSON.stringify(execute(document, variables));
}

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method !== 'POST' || request.url !== '/graphql') return response.writeHead(404).end();
    let text;
    try {
      text = answer(Buffer.concat(chunks).toString());
    } catch (error) {
      return response.writeHead(400, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ errors: [{ message: error.message }] }));
    }
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
