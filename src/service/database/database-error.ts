/** The error that ends the start of the service if the database cannot be used. */

/** The message tells the operator why the database cannot be used and what to do. It never contains a password. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}
