/** Runs the tests that ship in the official client in Node's test runner. They are written for Mocha. */
const { readdirSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { describe, it } = require('node:test');

globalThis.describe = describe;
globalThis.it = (title, run) => it(title, { timeout: 300_000 }, (_, done) => run(done));

const folder = resolve('.ci/tools/node_modules/emailable/test');
for (const file of readdirSync(folder)) if (file.endsWith('.spec.js')) require(join(folder, file));
