/** A program of docs/server.md imports it. It has no types of its own. */
declare module 'express';
