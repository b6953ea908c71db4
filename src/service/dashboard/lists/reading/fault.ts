/** Why a file cannot be read. The message is for its owner: it says what was expected, and what to do. */
export class ListFault extends Error {}

export const EMPTY = 'This file is empty. Nothing was stored. Choose another file.';
