/** What the database says when another row has the value already. The transaction is over then. */
const UNIQUE_VIOLATION = '23505';

/** @param name the constraint or the index */
export function isUniqueViolation(error: unknown, name: string): boolean {
  const { code, constraint } = Object(error) as { code?: unknown; constraint?: unknown };
  return code === UNIQUE_VIOLATION && constraint === name;
}
