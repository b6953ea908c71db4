/** Why a file cannot be read. The message tells its owner what was expected and what to do. */
export class ListFault extends Error {}

export const EMPTY = 'This file is empty, so it was not stored. Choose another file.';
