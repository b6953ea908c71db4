/** Who the audit log says has done what a command does. */
import type { Actor } from '../../service/audit/store.ts';

export const OPERATOR: Actor = { kind: 'operator' };
