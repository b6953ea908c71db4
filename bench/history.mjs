/**
 * Fills a database with the history of many customers, and measures what each statement of the service costs in it.
 *
 *   npm run bench:history                                 everything, in an embedded database that goes afterwards
 *   npm run bench:history -- --scale 0.1                  a tenth of the rows
 *   npm run bench:history -- --json                       for programs
 *   npm run bench:history -- --only readRows              the functions whose names contain this
 *   npm run bench:history -- --database postgres://…      an empty database, or one that this command has filled
 *
 * It ends with 1 if a statement breaks its bound.
 */
import { importMain } from './build.mjs';

const { main } = await importMain('history');
process.exitCode = await main(process.argv.slice(2));
