/** A program of docs/server.md imports it. server.test.ts checks its types; it is in .ci/tools/, which few tests have. */
declare module '@auth/express';
