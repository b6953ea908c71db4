/** Holds the error that ends the start of the service when the database cannot be used. */

/** The message is for the operator: it says why the database cannot be used and what to do. It holds no password. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}
