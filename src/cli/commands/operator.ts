/** The actor of commands in the audit log. */
import type { Actor } from '../../service/audit/audit-store.ts';

export const OPERATOR: Actor = { kind: 'operator' };
