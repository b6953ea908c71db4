/** The error that ends a start or an admin command because of the database. */

/** Its message is one sentence for the operator. It never contains a password. The process ends with exit code 1. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}
