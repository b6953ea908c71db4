/** The size limits of lists. Batches have their own limit, which counts addresses only. */

/** An uploaded file. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** A kept file is stored in pieces of this size. */
export const FILE_PIECE_BYTES = 1024 * 1024;
/** A pasted text. The same limit as a request to `/v1/batch`. */
export const MAX_PASTED_BYTES = 8 * 1024 * 1024;
/** Without the row of titles. */
export const MAX_ROWS = 1_000_000;
export const MAX_COLUMNS = 200;
/** Spreadsheets have the same limit. */
export const MAX_CELL_LENGTH = 32_767;
/** All cells of a row. A page shows several rows, and a download writes a row at once. */
export const MAX_ROW_LENGTH = 128 * 1024;
/** All unpacked parts of a workbook together. A workbook is a ZIP file, which can be a thousand times larger inside. */
export const MAX_UNPACKED_BYTES = 160 * 1024 * 1024;
/** All rows of a list together, as they are stored. Cells of a workbook can share one long text, which is stored for each. */
export const MAX_ROWS_CHARACTERS = MAX_UNPACKED_BYTES;
/** The sheets with addresses that are read, besides the one in front. */
export const MOST_SHEETS = 20;
/** The parts of a workbook. */
export const MAX_PARTS = 2_000;

export const FILE_TOO_LARGE = `Expected a file of at most ${MAX_FILE_BYTES / 1024 / 1024} MiB, got a larger one. Remove columns that you do not need, or split the file.`;
